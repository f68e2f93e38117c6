"""What names say about keys."""

import pytest

from app.inspect.keys.names import ColumnName, TableNames, forms_of, is_abbreviation, same_words, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CustomerID", ("customer", "id")),
        ("customer_id", ("customer", "id")),
        ("SupportRepId", ("support", "rep", "id")),
        ("HTTPServerNo2", ("http", "server", "no", "2")),
        ("order-line key", ("order", "line", "key")),
        ("客户编号", ("客户编号",)),
        ("", ()),
        ("__", ()),
    ],
)
def test_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("customer_id", ("customer",)),
        ("id_customer", ("customer",)),
        ("fk_customer_id", ("customer",)),
        ("home_team_id", ("home", "team")),
        ("key_id", ()),
        ("id", ()),
        ("customerid", ("customer",)),
        ("客户编号", ("客户",)),
        ("name", ("name",)),
    ],
)
def test_stems(name: str, stem: tuple[str, ...]) -> None:
    assert ColumnName(name).glued_stem == stem


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("city", "cities"),
        ("match", "matches"),
        ("movie", "movies"),
        ("address", "addresses"),
        ("status", "statuses"),
        ("person", "people"),
        ("team", "teams"),
    ],
)
def test_number(one: str, many: str) -> None:
    assert same_words([one], [many])
    assert one in forms_of(many)


def test_different_words_are_different() -> None:
    assert not same_words(["glass"], ["glas"])
    assert not same_words(["team"], ["teams", "home"])
    assert not same_words([], [])


def test_abbreviations() -> None:
    assert is_abbreviation("dept", "department")
    assert is_abbreviation("prod", "product")
    assert not is_abbreviation("no", "note")
    assert not is_abbreviation("product", "product")


def test_shared_first_words_of_tables_say_nothing() -> None:
    tables = ["wp_posts", "wp_users", "wp_terms", "wp_order_items"]
    names = TableNames(tables)
    assert [names[table].words for table in tables] == [("posts",), ("users",), ("terms",), ("order", "items")]
    assert [table.name for table in names.called(("order", "item"))] == ["wp_order_items"]
    assert TableNames(["tbl_user", "film_actor"])["tbl_user"].words == ("user",)
    assert TableNames(["film_actor", "film_category", "actor", "store"])["film_actor"].words == ("film", "actor")
