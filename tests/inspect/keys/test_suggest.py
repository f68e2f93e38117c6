"""Suggestions from small tables in which each piece of evidence is there, missing, or misleading."""

import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.budget import deadline
from app.inspect.keys.model import KeySuggestions
from app.inspect.keys.suggest import suggest_keys
from app.tables.column import column_of
from app.tables.schema import ColumnSchema, TableSchema
from app.tables.table import Table
from app.values import Affinity, Scalar


def table(name: str, columns: Mapping[str, Sequence[Scalar]], affinity: Affinity = Affinity.BLOB) -> Table:
    schema = TableSchema(name, tuple(ColumnSchema(column, "", affinity) for column in columns))
    rows = len(next(iter(columns.values())))
    return Table(schema, {column: column_of(list(cells)) for column, cells in columns.items()}, rows)


def primary(suggestions: KeySuggestions) -> dict[str, tuple[str, ...]]:
    return {name: key.columns for name, key in suggestions.best_primary_keys().items()}


def foreign(suggestions: KeySuggestions) -> set[tuple[str, ...]]:
    return {(key.table, *key.columns, key.ref_table, *key.ref_columns) for key in suggestions.likely_foreign_keys()}


CUSTOMERS = table("customers", {"id": range(1, 51), "name": [f"n{i}" for i in range(50)], "city": ["a", "b"] * 25})


def test_a_plain_reference() -> None:
    orders = table("orders", {"order_id": range(100, 300), "customer_id": [i % 50 + 1 for i in range(200)]})
    found = suggest_keys([CUSTOMERS, orders])
    assert primary(found) == {"customers": ("id",), "orders": ("order_id",)}
    assert foreign(found) == {("orders", "customer_id", "customers", "id")}
    key = found.likely_foreign_keys()[0]
    assert key.hit_rate == 1.0
    assert 0.9 < key.score <= 1.0
    assert "100.0% of its values are found there" in key.reason


def test_inclusion_alone_proves_nothing() -> None:
    """Small numbers are in every key; without a name that points there they are no reference."""
    items = table("items", {"item_id": range(1, 101), "quantity": [i % 9 + 1 for i in range(100)], "stars": [3] * 100})
    assert foreign(suggest_keys([CUSTOMERS, items])) == set()


def test_a_name_alone_proves_nothing_where_there_are_values() -> None:
    orders = table("orders", {"order_id": range(50), "customer_id": [f"X{i}" for i in range(50)]})
    assert foreign(suggest_keys([CUSTOMERS, orders])) == set()


def test_dangling_values_lower_the_score_and_show_in_the_hit_rate() -> None:
    soft = table("orders", {"order_id": range(100), "customer_id": [i % 50 + 1 for i in range(90)] + [999] * 10})
    key = suggest_keys([CUSTOMERS, soft]).likely_foreign_keys()[0]
    assert key.hit_rate == pytest.approx(0.9)
    assert 0.5 <= key.score < 0.8
    worse = table("orders", {"order_id": range(100), "customer_id": [i % 50 + 1 for i in range(60)] + [999] * 40})
    assert suggest_keys([CUSTOMERS, worse]).likely_foreign_keys() == []


def test_missing_values_are_no_misses() -> None:
    orders = table("orders", {"order_id": range(100), "customer_id": [None] * 50 + list(range(1, 51))})
    assert suggest_keys([CUSTOMERS, orders]).likely_foreign_keys()[0].hit_rate == 1.0


def test_empty_texts_are_missing_in_csv_only() -> None:
    people = table("people", {"person_id": ["a", "b", "c"]})
    notes = table("notes", {"note_id": ["1", "2", "3", "4"], "person_id": ["a", "", "", "b"]})
    assert suggest_keys([people, notes], empty_is_missing=True).likely_foreign_keys()[0].hit_rate == 1.0
    assert suggest_keys([people, notes]).likely_foreign_keys() == []


def test_roles_prefixes_plurals_and_abbreviations() -> None:
    employees = table(
        "Employees",
        {"EmployeeID": range(1, 41), "ReportsTo": [None] + [i // 4 + 1 for i in range(39)], "Salary": [1.5] * 40},
    )
    departments = table("departments", {"dept_no": [f"d{i}" for i in range(10)]})
    teams = table("teams", {"team_id": [f"T-{i}" for i in range(12)]})
    games = table(
        "games",
        {
            "game_id": range(66),
            "home_team_id": [f"T-{i % 11}" for i in range(66)],
            "away_team_id": [f"T-{i % 11 + 1}" for i in range(66)],
            "referee_agent_id": [i % 40 + 1 for i in range(66)],
            "dept_no": [f"d{i % 10}" for i in range(66)],
        },
    )
    assert foreign(suggest_keys([employees, departments, teams, games])) == {
        ("Employees", "ReportsTo", "Employees", "EmployeeID"),
        ("games", "home_team_id", "teams", "team_id"),
        ("games", "away_team_id", "teams", "team_id"),
        ("games", "referee_agent_id", "Employees", "EmployeeID"),
        ("games", "dept_no", "departments", "dept_no"),
    }


def test_a_table_that_relates_others_is_identified_by_both_references() -> None:
    films = table("film", {"film_id": range(1, 21), "title": [f"f{i}" for i in range(20)]})
    actors = table("actor", {"actor_id": range(1, 11), "last_name": [f"a{i}" for i in range(10)]})
    pairs = [(film, (film * 3 + step) % 10 + 1) for film in range(1, 21) for step in range(3)]
    cast = table(
        "film_actor",
        {"film_id": [f for f, _ in pairs], "actor_id": [a for _, a in pairs], "note": ["x"] * len(pairs)},
    )
    found = suggest_keys([films, actors, cast])
    assert primary(found)["film_actor"] == ("film_id", "actor_id")
    assert foreign(found) == {
        ("film_actor", "film_id", "film", "film_id"),
        ("film_actor", "actor_id", "actor", "actor_id"),
    }


def test_a_reference_that_happens_to_be_unique_is_not_the_key_of_a_relation() -> None:
    films = table("film", {"film_id": range(1, 21)})
    categories = table("category", {"category_id": range(1, 6)})
    link = table("film_category", {"film_id": range(1, 21), "category_id": [i % 5 + 1 for i in range(20)]})
    found = suggest_keys([films, categories, link])
    assert primary(found)["film_category"] == ("film_id", "category_id")
    assert ("film", "film_id", "film_category", "film_id") not in foreign(found)


def test_composite_keys_and_references_to_them() -> None:
    years = [str(1930 + 4 * i) for i in range(8)]
    cups = table("cups", {"cup_id": years})
    stages = table(
        "stages",
        {"cup_id": [y for y in years for _ in range(3)], "stage_no": [1, 2, 3] * 8, "stage_label": ["g", "s", "f"] * 8},
    )
    rounds = [(year, stage) for year in years for stage in (1, 2, 3)] * 4
    matches = table(
        "matches",
        {"match_id": range(len(rounds)), "cup_id": [y for y, _ in rounds], "stage_no": [s for _, s in rounds]},
    )
    found = suggest_keys([cups, stages, matches])
    assert primary(found) == {"cups": ("cup_id",), "stages": ("cup_id", "stage_no"), "matches": ("match_id",)}
    assert ("matches", "cup_id", "stage_no", "stages", "cup_id", "stage_no") in foreign(found)
    assert ("stages", "cup_id", "cups", "cup_id") in foreign(found)


def test_a_counter_of_rows_gives_way_to_the_tables_own_keys() -> None:
    tables = [
        table(name, {"key_id": range(1, 31), f"{name[:-1]}_id": [f"{name}{i}" for i in range(30)]})
        for name in ("players", "coaches", "courts", "clubs")
    ]
    found = suggest_keys(tables)
    assert primary(found)["players"] == ("player_id",)
    assert all(key.columns != ("key_id",) for key in found.best_primary_keys().values())
    assert foreign(found) == set()


def test_a_surrogate_is_the_key_where_there_is_no_other() -> None:
    logs = table("logs", {"row_id": range(1, 31), "message": ["x"] * 30})
    assert primary(suggest_keys([logs])) == {"logs": ("row_id",)}


@pytest.mark.parametrize("cells", [[1.5, 2.5, 3.5], [10, 20, 30]])
def test_what_is_unique_by_chance_is_no_key(cells: list[Scalar]) -> None:
    prices = table("prices", {"product": ["a", "a", "b"], "currency": ["x", "y", "x"], "amount": cells})
    assert primary(suggest_keys([prices])) == {}


def test_an_alternate_key_is_referred_to_only_where_the_key_is_not() -> None:
    countries = table(
        "countries", {"country_id": range(20), "iso_code": [f"{i:02}" for i in range(20)], "n": ["x"] * 20}
    )
    cities = table("cities", {"city_id": range(60), "iso_code": [f"{i % 20:02}" for i in range(60)]})
    both = table(
        "ports",
        {
            "port_id": range(60),
            "country_id": [i % 20 for i in range(60)],
            "iso_code": [f"{i % 20:02}" for i in range(60)],
        },
    )
    assert foreign(suggest_keys([countries, cities, both])) == {
        ("cities", "iso_code", "countries", "iso_code"),
        ("ports", "country_id", "countries", "country_id"),
    }


def test_tables_without_rows_are_judged_by_their_names() -> None:
    films = table("film", {"film_id": list[Scalar]()})
    copies = table("inventory", {"inventory_id": list[Scalar](), "film_id": list[Scalar]()})
    found = suggest_keys([films, copies])
    assert primary(found) == {"film": ("film_id",), "inventory": ("inventory_id",)}
    assert [key.hit_rate for key in found.foreign_keys] == [None]
    assert "by its name alone" in found.foreign_keys[0].reason


def test_a_part_of_a_table_does_not_refer_to_it_by_its_own_key() -> None:
    columns = {"payment_id": list[Scalar](), "amount": list[Scalar]()}
    payments = table("payment", {"payment_id": range(20), "amount": [1.5] * 20})
    assert foreign(suggest_keys([payments, table("payment_2007", columns)])) == set()


def test_texts_refer_to_numbers_by_the_parents_affinity() -> None:
    parents = table("shop", {"shop_id": [1, 2, 3]}, Affinity.INTEGER)
    children = table("sale", {"sale_id": [1, 2, 3, 4], "shop_id": ["1", "2", "3", "01"]})
    assert suggest_keys([parents, children]).foreign_keys[0].hit_rate == 1.0


def test_order_of_rows_and_tables_does_not_matter() -> None:
    orders = {"order_id": list(range(100, 300)), "customer_id": [i % 50 + 1 for i in range(200)]}
    order = list(range(200))
    random.Random(1).shuffle(order)
    shuffled = table("orders", {name: [cells[i] for i in order] for name, cells in orders.items()})
    first, second = suggest_keys([CUSTOMERS, table("orders", orders)]), suggest_keys([shuffled, CUSTOMERS])
    assert sorted(map(str, first.primary_keys)) == sorted(map(str, second.primary_keys))
    assert first.foreign_keys == second.foreign_keys


def test_a_deadline_ends_the_search_with_what_there_is() -> None:
    tables = [table(f"t{i}", {f"t{i}_id": range(50), f"t{i + 1}_id": range(50)}) for i in range(40)]
    with deadline(0.0, "suggesting keys"):
        found = suggest_keys(tables)
    assert not found.complete
    assert suggest_keys(tables).complete


def test_mixed_booleans_and_reals_are_survived() -> None:
    odd = table(
        "odd",
        {"odd_id": [1, "a", 2.5, None], "flag_id": [True, False, True, None], "customer_id": [1.0, 2.0, 3.0, None]},
    )
    found = suggest_keys([CUSTOMERS, odd])
    assert all(0 <= key.score <= 1 for key in (*found.primary_keys, *found.foreign_keys))


NAMES = st.sampled_from(["id", "a_id", "b_id", "name", "no", "date", "parent_id", "a", "x1", ""])
CELLS = st.lists(
    st.one_of(st.none(), st.integers(-3, 3), st.text("ab1", max_size=2), st.booleans(), st.sampled_from([0.5, 1.0])),
    min_size=0,
    max_size=6,
)


@given(st.lists(st.dictionaries(NAMES, CELLS, min_size=1, max_size=4), min_size=1, max_size=3), st.booleans())
def test_whatever_is_suggested_holds(contents: list[dict[str, list[Scalar]]], empty_is_missing: bool) -> None:
    tables = []
    for name, columns in zip(("a", "b", "a_b"), contents, strict=False):
        rows = min(map(len, columns.values()))
        tables.append(table(name, {column: cells[:rows] for column, cells in columns.items()}))
    found = suggest_keys(tables, empty_is_missing=empty_is_missing)
    by_name = {each.schema.name: each for each in tables}
    for key in found.primary_keys:
        rows = list(zip(*(by_name[key.table].columns[column].to_list() for column in key.columns), strict=True))
        assert 0 <= key.score <= 1
        assert all(cell is not None and not (empty_is_missing and cell == "") for row in rows for cell in row)
        assert len(set(rows)) == len(rows)
    for reference in found.foreign_keys:
        assert 0 <= reference.score <= 1
        assert set(reference.columns) <= set(by_name[reference.table].columns)
        assert set(reference.ref_columns) <= set(by_name[reference.ref_table].columns)
