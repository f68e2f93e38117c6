"""Groups of single rows whose joined rows are counted and not listed: each row counts as often as it is joined."""

from typing import Any

import pytest

from tests.executor.support import Source

SQL = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, whole INTEGER, credit REAL, either NUMERIC);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), total REAL);
INSERT INTO customer VALUES (1, NULL, NULL, NULL), (2, 7, 1.5, 1), (3, 5, 2.5, 0.5), (4, NULL, 0.5, NULL);
INSERT INTO orders VALUES (1, 1, NULL), (2, 1, 2.0), (3, 1, NULL), (4, 2, 1.0), (5, 3, NULL), (6, 3, 3.0);
"""
KEY = {"table": "orders", "columns": ["customer_id"], "ref_table": "customer", "ref_columns": ["id"]}
FUNCTIONS = ("count", "sum", "avg", "min", "max")


@pytest.fixture(scope="module")
def source() -> Source:
    return Source.of(SQL)


def plan(kind: str, group_by: list[str], column: str) -> dict[str, Any]:
    orders = {"from": "t0", "table": "orders", "alias": "t1", "foreign_key": KEY, "direction": "reverse", "type": kind}
    return {
        "root": {"table": "customer", "alias": "t0"},
        "joins": [orders],
        "projection": group_by,
        "group_by": group_by,
        "aggregations": [{"function": function, "column": column, "as": function} for function in FUNCTIONS],
    }


@pytest.mark.parametrize("kind", ["inner", "left"])
@pytest.mark.parametrize("group_by", [["t0.id"], ["t0.credit"], []])
@pytest.mark.parametrize("column", ["t0.whole", "t0.credit", "t0.either", "t1.total"])
def test_each_row_counts_as_often_as_it_is_joined(source: Source, kind: str, group_by: list[str], column: str) -> None:
    source.rows(plan(kind, group_by, column))


def test_a_nullable_column_beside_a_folded_branch(source: Source) -> None:
    asked = plan("inner", ["t0.id"], "t0.credit")
    assert "FoldDegrees" in str(source.compile(asked).physical_plan)
    assert source.rows(asked)[:2] == [(1, 0, None, None, None, None), (2, 1, 1.5, 1.5, 1.5, 1.5)]


def test_a_row_that_is_joined_to_nothing_makes_no_sum_real() -> None:
    mixed = Source.of(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, g TEXT, n NUMERIC); CREATE TABLE b (a_id INTEGER REFERENCES a(id));"
        "INSERT INTO a VALUES (1, 'x', 1), (2, 'x', 0.5); INSERT INTO b VALUES (1), (1)"
    )
    key = {"table": "b", "columns": ["a_id"], "ref_table": "a", "ref_columns": ["id"]}
    join = {"from": "t0", "table": "b", "alias": "t1", "foreign_key": key, "direction": "reverse"}
    asked = {"root": {"table": "a"}, "joins": [join], "projection": ["t0.g"], "group_by": ["t0.g"],
             "aggregations": [{"function": "sum", "column": "t0.n", "as": "s"}]}  # fmt: skip
    assert mixed.rows(asked) == [("x", 2)]
