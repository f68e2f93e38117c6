"""Limits, metrics, and answers at the edges of what numbers can hold."""

import time
from typing import Any

import numpy as np
import pytest

from app.budget import RowLimit, deadline
from app.errors import IntegerOverflowError, QueryLimitError, QueryTimeError, TimeBudgetExhaustedError
from app.executor.plan.limits import QueryLimits
from app.executor.run.executor import GraphExecutor
from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.tables.column import int_column
from app.tables.schema import ColumnSchema, ForeignKey, RelationalSchema, TableSchema
from app.values import Affinity
from app.workload.binding.bind import bind_plan
from app.workload.binding.parsing import parse_plan
from tests.executor.support import Source

CREW = Source.of("""
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE person (id INTEGER PRIMARY KEY, team INTEGER REFERENCES team(id), age INTEGER, pay REAL, note TEXT);
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue'), (3, 'Empty');
INSERT INTO person VALUES
  (1, 1, 30, 10.5, 'x'), (2, 1, 40, NULL, 'said "hi"'), (3, 2, NULL, NULL, NULL), (4, NULL, 20, 1.0, '');
""")
MEMBERS = CREW.tables.schema.foreign_keys[0]
TEAM = {"table": "team", "alias": "t0"}
PERSON = {"table": "person", "alias": "t0"}
REVERSE = {"from": "t0", "table": "person", "alias": "t1", "foreign_key": MEMBERS.to_dict(), "direction": "reverse"}


def output(function: str, column: str, name: str) -> dict[str, str]:
    return {"function": function, "column": column, "as": name}


def test_left_joins_keep_parents_without_children() -> None:
    plan = {
        "root": TEAM,
        "joins": [{**REVERSE, "type": "left"}],
        "projection": ["t0.name"],
        "group_by": ["t0.id", "t0.name"],
        "aggregations": [output("count", "*", "n"), output("count", "t1.id", "m"), output("sum", "t1.age", "s")],
        "order_by": [{"column": "t0.name"}],
    }
    assert CREW.rows(plan) == [("Blue", 1, 1, None), ("Empty", 1, 0, None), ("Red", 2, 2, 70)]


def test_aggregates_over_no_rows() -> None:
    outputs = [output("count", "*", "n"), output("sum", "t0.age", "s"), output("avg", "t0.pay", "a")]
    outputs += [output("min", "t0.note", "i"), output("max", "t0.pay", "x")]
    nobody: dict[str, Any] = {"root": PERSON, "filters": [{"column": "t0.age", "op": "gt", "value": 99}]}
    assert CREW.rows({**nobody, "aggregations": outputs}) == [(0, None, None, None, None)]
    assert CREW.rows({**nobody, "group_by": ["t0.age"], "aggregations": outputs}) == []


def test_answers_are_columns_inside() -> None:
    answer = CREW.compile({"root": PERSON, "projection": ["t0.id", "t0.note", "t0.pay"]}).run()
    assert answer.names == ("t0.id", "t0.note", "t0.pay")
    assert [column.to_list() for column in answer.columns()] == [
        list(cells) for cells in zip(*answer.rows(), strict=True)
    ]
    assert len(answer) == 4


def test_metrics_name_the_plan_and_count_the_rows() -> None:
    compiled = CREW.compile(
        {"root": PERSON, "filters": [{"column": "t0.age", "op": "ge", "value": 30}], "projection": ["t0.id"]}
    )
    compiled.run()
    metrics = compiled.metrics
    assert (metrics.source_rows_examined, metrics.attribute_index_hits, metrics.materialized_path_hits) == (4, 0, 0)
    assert metrics.physical_plan == compiled.physical_plan
    assert metrics.physical_plan[0] == "Scan person t0 [4 rows] where t0.age ge 30"


def test_the_row_limit_holds_before_rows_are_joined() -> None:
    bound = CREW.bind({"root": TEAM, "joins": [REVERSE], "projection": ["t1.id", "t0.name"]})
    filtered = CREW.bind({"root": PERSON, "filters": [{"column": "t0.age", "op": "not_null"}], "projection": ["t0.id"]})
    executor = GraphExecutor(CREW.graph, QueryLimits(RowLimit(2)))
    for plan in (bound, filtered):
        with pytest.raises(QueryLimitError, match="3 intermediate rows; the limit is 2"):
            executor.compile(plan).run()


def test_the_deadline_of_a_query_and_an_outer_one_hold() -> None:
    bound = CREW.bind({"root": PERSON, "projection": ["t0.id"]})
    with pytest.raises(QueryTimeError, match="more than 0 seconds"):
        GraphExecutor(CREW.graph, QueryLimits(seconds=0.0)).compile(bound).run()
    compiled = GraphExecutor(CREW.graph).compile(bound)
    with deadline(0.01, "a test"):
        time.sleep(0.02)
        with pytest.raises(TimeBudgetExhaustedError, match="during a test"):
            compiled.run()


def numbers(values: list[object], declared: str = "INTEGER") -> Source:
    rows = ", ".join(f"({value!r})" if value is not None else "(NULL)" for value in values)
    return Source.of(f"CREATE TABLE n (v {declared}); INSERT INTO n VALUES {rows}")


ALL = [output(function, "t0.v", function) for function in ("count", "sum", "avg", "min", "max")]
N = {"table": "n", "alias": "t0"}


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        ([2**53 + 1, 2**53 + 1, 1], "INTEGER"),
        ([2**62, -(2**62), 2**61, 5], "INTEGER"),
        ([-(2**63), 2**63 - 1, None], "INTEGER"),
        ([1e16, 1.0, -1e16], "REAL"),
        ([0.1, 0.2, -0.3, None], "REAL"),
        ([1e269, -1e269, 3.0], "REAL"),
        ([1, 2.5, None, 3], "NUMERIC"),
        ([1, 2, 2**60 + 1], ""),
        ([0.5, 2**53 + 1], ""),
        ([1, 9.223372036854775e18, -(2**63), 2**63 - 1, None], ""),
        ([-0.0, 0.0], "REAL"),
    ],
)
def test_sums_are_sqlites(values: list[object], declared: str) -> None:
    source = numbers(values, declared)
    source.rows({"root": N, "aggregations": ALL})
    source.rows({"root": N, "projection": ["t0.v"], "group_by": ["t0.v"], "aggregations": ALL})


def test_an_integer_sum_outside_64_bits_is_an_error() -> None:
    source = numbers([2**63 - 1, 1])
    bound = source.bind({"root": N, "aggregations": [output("sum", "t0.v", "s")]})
    with pytest.raises(IntegerOverflowError):
        source.oracle.answers(bound)
    with pytest.raises(IntegerOverflowError):
        source.compile({"root": N, "aggregations": [output("sum", "t0.v", "s")]}).run()


@pytest.mark.parametrize("op", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("value", [2**53, 2**53 + 1, float(2**53), 1e19, -1e19, 2.5, "9007199254740993", "x", True])
def test_comparisons_are_exact_beyond_2_53(op: str, value: object) -> None:
    for declared in ("INTEGER", "REAL", "", "TEXT"):
        if declared == "TEXT" and isinstance(value, float):
            continue
        source = numbers([2**53, 2**53 + 1, 2**53 + 2, -3, 2, 3, None, 1, 0], declared)
        source.rows({"root": N, "filters": [{"column": "t0.v", "op": op, "value": value}], "projection": ["t0.v"]})


def star(children: int) -> PropertyGraph:
    """One parent row, and three tables whose rows all reference it."""
    parent = TableSchema("p", (ColumnSchema("id", "INTEGER", Affinity.INTEGER),), ("id",))
    nodes, edges = [NodeTable("p", 1, {"id": int_column(np.ones(1, np.int64))}, parent)], []
    for name in "abc":
        key = ForeignKey(name, ("p",), "p", ("id",))
        schema = TableSchema(name, (ColumnSchema("p", "INTEGER", Affinity.INTEGER),), (), (key,))
        nodes.append(NodeTable(name, children, {"p": int_column(np.ones(children, np.int64))}, schema))
        ends = np.arange(children), np.zeros(children, np.int64)
        edges.append(EdgeTable(f"P_{name}", name, "p", *ends, ForeignKeyMark(key)))
    return PropertyGraph({node.label: node for node in nodes}, tuple(edges))


def test_counts_of_joins_that_nobody_could_list_are_exact() -> None:
    children = 210_001
    graph = star(children)
    keys = [edges.mark.foreign_key for edges in graph.edge_tables if isinstance(edges.mark, ForeignKeyMark)]
    plan = parse_plan(
        {
            "id": "q",
            "question": "?",
            "root": {"table": "p", "alias": "t0"},
            "joins": [
                {
                    "from": "t0",
                    "table": key.table,
                    "alias": key.table,
                    "foreign_key": key.to_dict(),
                    "direction": "reverse",
                }
                for key in keys
            ],
            "aggregations": [output("count", "*", "n"), output("sum", "a.p", "s"), output("avg", "b.p", "m")],
        }
    )
    bound = bind_plan(plan, RelationalSchema.of(graph.row_tables))
    rows = GraphExecutor(graph).compile(bound).run().rows()
    assert children**3 > 2**53
    assert rows == [(children**3, children**3, 1.0)]


def test_a_table_without_rows_joins_nothing() -> None:
    empty = Source.of("CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p INTEGER REFERENCES p(id), v REAL)")
    key = empty.tables.schema.foreign_keys[0].to_dict()
    join = {"from": "t0", "table": "c", "alias": "t1", "foreign_key": key, "direction": "reverse", "type": "left"}
    root = {"table": "p", "alias": "t0"}
    assert empty.rows({"root": root, "joins": [join], "projection": ["t0.id", "t1.v"]}) == []
    assert empty.rows({"root": root, "joins": [join], "aggregations": [output("sum", "t1.v", "s")]}) == [(None,)]


def test_g0_is_left_as_it_was() -> None:
    before = CREW.graph.digest
    CREW.rows({"root": TEAM, "joins": [REVERSE], "projection": ["t0.name"], "order_by": [{"column": "t0.name"}]})
    assert CREW.graph.digest == before
