"""Folders of CSV files in which suggestions were wrong or missing, and the kinds of evidence that mend them."""

from pathlib import Path
from typing import Any

import pytest

from app.inspect.keys.document import suggestion_document
from app.inspect.keys.suggest import suggest_keys
from app.values import Scalar
from tests.inspect.keys.test_suggest import foreign, primary, table

CASES = Path(__file__).parents[2] / "cases-2"


def proposed(folder: str) -> dict[str, list[tuple[list[str], str, list[str]]]]:
    """The foreign keys that `suggest-keys --write` writes, by table."""
    paths = sorted(map(str, (CASES / folder).glob("*.csv")))
    argument = {"paths": paths, "delimiter": None, "threshold": 0.5, "seconds": 60.0, "all_csv": True}
    document: dict[str, Any] = suggestion_document(argument)
    return {
        each["name"]: [(key["columns"], key["ref_table"], key["ref_columns"]) for key in each["foreign_keys"]]
        for each in document["proposal"]["tables"]
    }


def test_case_50_the_table_that_owns_the_key_is_meant_and_small_numbers_mean_nothing() -> None:
    found = proposed("50-suggest-keys-wrong-targets")

    assert found["conquest_warrior_ranks"] == [(["warrior_id"], "conquest_warriors", ["id"])]
    assert found["conquest_warrior_names"] == [(["warrior_id"], "conquest_warriors", ["id"])]
    assert found["pokemon_types"] == []
    assert found["encounter_slots"] == found["conquest_warriors"] == []


def test_case_51_a_column_named_after_a_table_refers_to_its_code() -> None:
    paths = sorted(map(str, (CASES / "51-suggest-keys-misses").glob("*.csv")))
    argument = {"paths": paths, "delimiter": None, "threshold": 0.5, "seconds": 60.0, "all_csv": True}
    (key,) = suggestion_document(argument)["foreign_keys"]

    assert (key["table"], list(key["columns"])) == ("regions", ["iso_country"])
    assert (key["ref_table"], list(key["ref_columns"]), key["hit_rate"]) == ("countries", ["code"], 1.0)


PLAYERS = table("players", {"player_id": range(1, 41), "name": ["x"] * 40})
TEAMS = table("teams", {"team_id": range(1, 41), "city": ["x"] * 40})


def cycled(count: int, rows: int = 80) -> list[Scalar]:
    return [place % count + 1 for place in range(rows)]


def test_winners_and_losers_are_the_only_ones_who_contest() -> None:
    matches = table("matches", {"match_id": range(80), "winner_id": cycled(40), "loser_id": cycled(39)})
    assert foreign(suggest_keys([PLAYERS, matches])) == {
        ("matches", "winner_id", "players", "player_id"),
        ("matches", "loser_id", "players", "player_id"),
    }


def test_no_role_is_guessed_where_two_tables_could_play_it() -> None:
    matches = table("matches", {"match_id": range(80), "winner_id": cycled(40), "loser_id": cycled(39)})
    assert foreign(suggest_keys([PLAYERS, TEAMS, matches])) == set()


def test_values_that_are_no_chance_decide_between_two_tables() -> None:
    numbers = [100_000 + 37 * place for place in range(40)]
    players = table("players", {"player_id": numbers, "name": ["x"] * 40})
    matches = table("matches", {"match_id": range(80), "winner_id": numbers * 2, "seed": cycled(8)})
    assert foreign(suggest_keys([players, TEAMS, matches])) == {("matches", "winner_id", "players", "player_id")}


def test_a_user_is_a_customer_where_nobody_else_is() -> None:
    customers = table("raw_customers", {"id": range(1, 41), "first_name": ["x"] * 40})
    orders = table("raw_orders", {"id": range(1, 81), "user_id": cycled(38)})
    users = table("users", {"user_id": range(1, 39), "login": [f"u{place}" for place in range(38)]})

    assert foreign(suggest_keys([customers, orders])) == {("raw_orders", "user_id", "raw_customers", "id")}
    assert foreign(suggest_keys([customers, orders, users])) == {("raw_orders", "user_id", "users", "user_id")}


@pytest.mark.parametrize(
    ("column", "cells", "target"),
    [
        ("airport_ident", [f"K{place:03}" for place in range(40)], "ident"),
        ("associated_airport", [f"K{place:03}" for place in range(40)], "ident"),
        ("airport_ref", [7 * place for place in range(40)], "id"),
        ("airport_code", [f"K{place:03}" for place in range(40)], None),
        ("ident", [f"K{place:03}" for place in range(40)], None),
        ("airport", [place for place in range(40)], None),
    ],
)
def test_a_table_is_referred_to_by_the_key_that_has_the_values(
    column: str, cells: list[Scalar], target: str | None
) -> None:
    airports = table("airports", {"id": [7 * place for place in range(40)], "ident": [f"K{n:03}" for n in range(40)]})
    stops = table("stops", {"stop_id": range(80), column: cells * 2})
    assert foreign(suggest_keys([airports, stops])) == ({("stops", column, "airports", target)} if target else set())


@pytest.mark.parametrize("column", ["base_stat", "minimum_stat", "slot", "rank", "targets", "level"])
def test_small_numbers_without_a_word_for_a_key_refer_to_nothing(column: str) -> None:
    tables = [
        table(name, {"id": range(1, 13), "identifier": [f"{name}{place}" for place in range(12)]})
        for name in ("stats", "encounter_slots", "warrior_ranks", "move_targets", "levels")
    ]
    moves = table("moves", {"move_id": range(60), column: cycled(5, 60)})
    assert foreign(suggest_keys([*tables, moves])) == set()


def test_the_longer_name_is_meant() -> None:
    stats = table("stats", {"id": range(1, 9)})
    warrior_stats = table("conquest_warrior_stats", {"id": range(1, 5)})
    names = table("stat_names", {"warrior_stat_id": cycled(4), "name": [f"n{place}" for place in range(80)]})
    assert foreign(suggest_keys([stats, warrior_stats, names])) == {
        ("stat_names", "warrior_stat_id", "conquest_warrior_stats", "id")
    }


def test_a_table_refers_to_itself_in_a_role_only() -> None:
    ranks = table(
        "ranks", {"id": range(1, 81), "rank": cycled(3), "higher_rank_id": cycled(70), "parent_id": cycled(60)}
    )
    assert foreign(suggest_keys([ranks])) == {
        ("ranks", "higher_rank_id", "ranks", "id"),
        ("ranks", "parent_id", "ranks", "id"),
    }


@pytest.mark.parametrize(
    ("name", "column", "is_home"),
    [
        ("employees", "manager_id", True),
        ("employees", "manager_employee_id", True),
        ("employees", "manager_emp_no", True),
        ("employees", "manager_city_id", False),
        ("departments", "manager_id", False),
        ("categories", "parent_category", True),
        ("categories", "parent_shop_id", False),
        ("comments", "reply_to_comment_id", True),
        ("versions", "previous_version", True),
    ],
)
def test_roles_of_rows_of_the_same_table(name: str, column: str, is_home: bool) -> None:
    rows = table(name, {"id": range(1, 81), column: [None, *cycled(79, 79)]})
    assert foreign(suggest_keys([rows])) == ({(name, column, name, "id")} if is_home else set())


@pytest.mark.parametrize("column", ["player1_id", "player_2_id", "player_b_id", "PlayerIDTwo", "best_player"])
def test_numbered_and_unkeyed_names_of_tables(column: str) -> None:
    sparse = [1_000 + 13 * place for place in range(40)]
    players = table("players", {"player_id": sparse, "name": ["x"] * 40})
    matches = table("matches", {"match_id": range(80), column: sparse * 2})
    assert foreign(suggest_keys([players, matches])) == {("matches", column, "players", "player_id")}


def test_soft_references_of_values_that_are_no_chance() -> None:
    numbers = [f"{900_000 + 977 * place}" for place in range(60)]
    income = table("income", {"ssn": numbers, "amount": [1.5] * 60})
    people = table("people", {"id": range(80), "ssn": [*numbers, *(f"7{place}" for place in range(20))]})
    found = suggest_keys([income, people])

    assert foreign(found) == {("people", "ssn", "income", "ssn")}
    assert found.likely_foreign_keys()[0].hit_rate == 0.75
    assert primary(found) == {"income": ("ssn",), "people": ("id",)}


def test_no_party_is_guessed_from_what_is_not_one() -> None:
    accounts = table("accounts", {"id": range(1, 41), "kind": ["x"] * 40})
    transfers = table("transfers", {"id": range(1, 81), "customer_id": cycled(38), "agent_id": cycled(30)})
    assert foreign(suggest_keys([accounts, transfers])) == set()


def test_numbers_that_texts_do_not_write_show_nothing() -> None:
    """Whole numbers in a key of texts: what is found there is found by chance."""
    labels = table("labels", {"code": [str(place) for place in range(1, 40)] + ["x"], "text": ["t"] * 40})
    parcels = table("parcels", {"parcel_id": range(80), "label": [str(place % 9 + 1) for place in range(80)]})
    assert foreign(suggest_keys([labels, parcels])) == {("parcels", "label", "labels", "code")}
    sized = table("sized", {"sized_id": range(80), "code_rank": [str(place % 9 + 1) for place in range(80)]})
    assert foreign(suggest_keys([labels, sized])) == set()


TEAM_YEARS = [(year, f"T{team}") for year in range(2000, 2010) for team in range(6)]


def test_references_to_composite_keys_in_roles() -> None:
    teams = table(
        "Teams",
        {
            "yearID": [year for year, _ in TEAM_YEARS],
            "lgID": ["A", "B"] * 30,
            "teamID": [team for _, team in TEAM_YEARS],
            "franchID": [f"F{team}" for _, team in TEAM_YEARS],
        },
    )
    series = table(
        "Series",
        {
            "yearID": [year for year, _ in TEAM_YEARS],
            "round": [f"r{place % 6}" for place in range(60)],
            "teamIDwinner": [team for _, team in TEAM_YEARS],
            "teamIDloser": [team for _, team in TEAM_YEARS[1:]] + ["T0"],
        },
    )
    found = suggest_keys([teams, series])

    assert primary(found) == {"Teams": ("yearID", "teamID"), "Series": ("yearID", "round")}
    assert foreign(found) == {
        ("Series", "yearID", "teamIDwinner", "Teams", "yearID", "teamID"),
        ("Series", "yearID", "teamIDloser", "Teams", "yearID", "teamID"),
    }


def test_a_number_that_counts_the_rows_of_an_order_is_part_of_the_key() -> None:
    """The products of an order differ as well, which is what happens to be, not what is meant."""
    orders, products = table("orders", {"order_id": range(1, 31)}), table("products", {"product_id": range(1, 21)})
    pairs = [(order, line) for order in range(1, 31) for line in range(1, 2 + order % 4)]
    lines = table(
        "order_lines",
        {
            "order_id": [order for order, _ in pairs],
            "product_id": [(7 * order + line) % 20 + 1 for order, line in pairs],
            "line_no": [line for _, line in pairs],
        },
    )
    assert primary(suggest_keys([orders, products, lines]))["order_lines"] == ("order_id", "line_no")


def test_a_table_that_relates_others_is_identified_by_all_of_its_leading_references() -> None:
    """A player is in one squad of a cup; the squad is what the table says of it."""
    cups, teams = table("cups", {"cup_id": range(1, 5)}), table("teams", {"team_id": range(1, 9)})
    players = table("players", {"player_id": range(1, 81)})
    squads = table(
        "squads",
        {
            "cup_id": [cup for cup in range(1, 5) for _ in range(80)],
            "team_id": [(player + cup) % 8 + 1 for cup in range(1, 5) for player in range(80)],
            "player_id": list(range(1, 81)) * 4,
        },
    )
    found = suggest_keys([cups, teams, players, squads])
    assert primary(found)["squads"] == ("cup_id", "team_id", "player_id")


def test_relations_without_rows_are_keys_of_their_references() -> None:
    customers = table("customers", {"customer_id": range(1, 9)})
    kinds = table("demographics", {"customer_type_id": list[Scalar](), "description": list[Scalar]()})
    both = table("customer_demographics", {"customer_id": list[Scalar](), "customer_type_id": list[Scalar]()})
    found = suggest_keys([customers, kinds, both])

    assert primary(found)["demographics"] == ("customer_type_id",)
    assert primary(found)["customer_demographics"] == ("customer_id", "customer_type_id")
    assert ("customer_demographics", "customer_type_id", "demographics", "customer_type_id") in foreign(found)
