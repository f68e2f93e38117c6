"""The campaign of dumps can fail: every kind of difference is seen, and scripts shrink to what matters."""

from collections import Counter
from dataclasses import replace

import pytest

from tests.campaigns.dumps.answer import Answer, ColumnAnswer, Key, Kind, TableAnswer, shared_names
from tests.campaigns.dumps.comparison import UNHOLDABLE, differences, expected
from tests.campaigns.dumps.script import Definition, Rows, Script, Statement
from tests.campaigns.dumps.typos import with_typo
from tests.campaigns.dumps.words import Dice

COLUMNS = (ColumnAnswer("id", Kind.INTEGER), ColumnAnswer("n", Kind.TEXT), ColumnAnswer("up", Kind.INTEGER))
KEY = Key.of("t", ("up",), "t", ("id",))
SERVER = Answer(
    {"t": TableAnswer("t", COLUMNS, ("id",), (("1", "a", None), ("2", None, "1")))},
    {KEY: Counter({(("2", None, "1"), ("1", "a", None)): 1})},
)
READ = Answer(
    {"t": TableAnswer("t", COLUMNS, ("id",), ((2, None, 1), (1, "a", None)))},
    {KEY: Counter({((2, None, 1), (1, "a", None)): 1})},
)


def with_table(**changes: object) -> Answer:
    return replace(READ, tables={"t": replace(READ.tables["t"], **changes)})


def test_equal_answers_have_no_differences() -> None:
    assert differences(SERVER, READ) == []


WRONG = {
    "tables": replace(READ, tables={}),
    "columns": with_table(columns=COLUMNS[:2], rows=((2, None), (1, "a"))),
    "primary key": with_table(primary_key=()),
    "cells": with_table(rows=((2, None, 1), (1, "A", None))),
    "edges": replace(READ, edges={KEY: Counter()}),
    "foreign key": replace(READ, edges={}),
}


@pytest.mark.parametrize("kind", WRONG)
def test_each_kind_of_difference_is_seen(kind: str) -> None:
    assert [each.kind for each in differences(SERVER, WRONG[kind])] == [kind]


def test_a_row_too_many_and_a_cell_of_another_type_are_seen() -> None:
    for rows in (((2, None, 1), (1, "a", None), (1, "a", None)), ((2, None, 1), (True, "a", None)), ((2, None, 1),)):
        assert [each.kind for each in differences(SERVER, with_table(rows=rows))] == ["cells"]


def test_a_computed_column_may_be_left_out_with_a_warning_alone() -> None:
    computed = (*COLUMNS[:2], replace(COLUMNS[2], computed=True))
    server = Answer({"t": replace(SERVER.tables["t"], columns=computed)}, {})
    silent = Answer({"t": TableAnswer("t", COLUMNS[:2], ("id",), ((1, "a"), (2, None)))}, {})

    assert [each.kind for each in differences(server, silent)] == ["columns"]
    assert differences(server, replace(silent, skipped_cells={("t", "up"): 0})) == []


@pytest.mark.parametrize(
    ("text", "kind", "cell"),
    [
        ("5.00", Kind.NUMERIC, 5),
        ("0.99", Kind.NUMERIC, 0.99),
        ("NaN", Kind.REAL, UNHOLDABLE),
        ("18446744073709551615", Kind.INTEGER, UNHOLDABLE),
        ("1e3", Kind.REAL, 1000.0),
        ("t", Kind.BOOLEAN, 1),
        ("\\x00", Kind.BYTES, None),
        ("007", Kind.TEXT, "007"),
    ],
)
def test_what_a_cell_should_be(text: str, kind: Kind, cell: object) -> None:
    assert (expected(text, kind), type(expected(text, kind))) == (cell, type(cell))


def test_tables_of_two_schemas_carry_them_where_their_names_meet() -> None:
    named = shared_names([("a", "t"), ("b", "T"), ("a", "u")])

    assert list(named.values()) == ["a.t", "b.T", "u"]


def test_a_script_becomes_smaller_by_pieces_columns_and_rows() -> None:
    table = Definition("t", (("id", "id int"), ("n", "n text"), ("", "PRIMARY KEY (id)")))
    script = Script((Statement("SET x = 1;"), table, Rows("t", None, (("1", "'a'"), ("2", "NULL")))), after="COMMIT;")
    texts = [smaller.text().decode() for smaller in script.smaller()]

    assert any("SET" not in text and "CREATE TABLE" in text for text in texts)
    assert any("n text" not in text and "(1),\n(2)" in text for text in texts)
    assert any("PRIMARY KEY" not in text for text in texts)
    assert any("VALUES (2, NULL);" in text for text in texts)
    assert all(text.endswith("COMMIT;\n") for text in texts)
    assert script.without_lines([2, 3]).text().decode().startswith("SET x = 1;\nINSERT INTO t VALUES")


def test_a_typo_changes_one_piece() -> None:
    script = Script((Definition("t", (("id", "id int"), ("n", "n text"))), Rows("t", None, (("1", "'a'"),))))
    made = {with_typo(script, Dice(seed)).text() for seed in range(40)}

    assert len(made) > 20
    assert script.text() not in made
