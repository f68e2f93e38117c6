"""Random plans over one source that is large enough for every operator, beside a graph with paths and entities."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.graph.derivation.paths import PathStep
from app.graph.model.property_graph import PropertyGraph
from tests.executor.support import check_plan, medium_source, with_entities, with_path
from tests.support.random_plans import random_plans

SOURCE = medium_source()
KEYS = {key.table: key for key in SOURCE.tables.schema.foreign_keys}
UP = (PathStep(KEYS["leaf"], True), PathStep(KEYS["middle"], True))
DOWN = (PathStep(KEYS["middle"], False), PathStep(KEYS["leaf"], False))


def evolved() -> PropertyGraph:
    graph = SOURCE.graph
    for table, column in (("leaf", "t"), ("leaf", "x"), ("middle", "t"), ("parent", "name"), ("middle", "k")):
        graph = with_entities(graph, table, column)
    return with_path(with_path(graph, UP), DOWN)


@pytest.fixture(scope="module")
def graphs() -> tuple[PropertyGraph, PropertyGraph]:
    return SOURCE.graph, evolved()


@given(st.data())
def test_both_graphs_answer_as_the_oracle(graphs: tuple[PropertyGraph, PropertyGraph], data: st.DataObject) -> None:
    check_plan(SOURCE, data.draw(random_plans(SOURCE.tables.schema, SOURCE.tables.tables)), graphs)


JOIN_UP = [
    {"from": "t0", "table": "middle", "alias": "t1", "foreign_key": KEYS["leaf"].to_dict(), "direction": "forward"},
    {"from": "t1", "table": "parent", "alias": "t2", "foreign_key": KEYS["middle"].to_dict(), "direction": "forward"},
]
JOIN_DOWN = [
    {"from": "t0", "table": "middle", "alias": "t1", "foreign_key": KEYS["middle"].to_dict(), "direction": "reverse"},
    {"from": "t1", "table": "leaf", "alias": "t2", "foreign_key": KEYS["leaf"].to_dict(), "direction": "reverse"},
]
BOTH_DOWN = [JOIN_DOWN[0], {**JOIN_DOWN[0], "alias": "t2"}]
LEAF, PARENT = {"table": "leaf", "alias": "t0"}, {"table": "parent", "alias": "t0"}
COUNT = {"function": "count", "column": "*", "as": "n"}


@pytest.mark.parametrize(
    ("plan", "operator"),
    [
        ({"root": LEAF, "filters": [{"column": "t0.id", "op": "eq", "value": 30}],
          "projection": ["t0.t"]}, "KeyLookup"),
        ({"root": LEAF, "filters": [{"column": "t0.m", "op": "in", "value": ["m1", "m2", "no"]}],
          "projection": ["t0.t"]}, "KeyLookup"),
        ({"root": LEAF, "filters": [{"column": "t0.r", "op": "eq", "value": 0.25}], "projection": ["t0.id", "t0.t"],
          "order_by": [{"column": "t0.id", "direction": "desc"}, {"column": "t0.t"}], "limit": 5}, "OrderedPrefix"),
        ({"root": PARENT, "joins": JOIN_DOWN, "projection": ["t0.id", "t2.id"],
          "order_by": [{"column": "t0.id"}, {"column": "t2.id"}], "limit": 20}, "OrderedPrefix"),
        ({"root": LEAF, "projection": ["t0.big", "t0.id"],
          "order_by": [{"column": "t0.big", "direction": "desc"}, {"column": "t0.id"}], "limit": 9}, "TopK"),
        ({"root": LEAF, "projection": ["t0.r", "t0.id"],
          "order_by": [{"column": "t0.r"}, {"column": "t0.id", "direction": "desc"}], "limit": 9}, "TopK"),
        ({"root": PARENT, "joins": BOTH_DOWN, "projection": ["t0.name"], "group_by": ["t0.name"],
          "aggregations": [{"function": "sum", "column": f"t{n}.k", "as": f"s{n}"} for n in (1, 2)]}, "Fold "),
        ({"root": PARENT, "joins": BOTH_DOWN, "aggregations": [COUNT]}, "FoldDegrees"),
        ({"root": PARENT, "joins": [{**JOIN_DOWN[0], "type": "left"}], "projection": ["t0.id"], "group_by": ["t0.id"],
          "aggregations": [COUNT, {"function": "count", "column": "t1.code", "as": "m"},
                           {"function": "count", "column": "t1.p", "as": "p"}]}, "FoldDegrees"),
        ({"root": PARENT, "joins": [{**JOIN_DOWN[0], "type": "left"}], "projection": ["t0.id"], "group_by": ["t0.id"],
          "aggregations": [{"function": "count", "column": "t1.k", "as": "k"}]}, "Fold "),
        ({"root": PARENT, "joins": [{**JOIN_DOWN[0], "type": "left"}], "aggregations": [COUNT],
          "filters": [{"column": "t1.p", "op": "is_null"}]}, "nothing by"),
        ({"root": LEAF, "joins": JOIN_UP, "aggregations": [COUNT],
          "filters": [{"column": "t2.id", "op": "eq", "value": 7}]}, "ReverseExpansion"),
        ({"root": LEAF, "joins": JOIN_UP, "projection": ["t2.name", "t0.t"], "group_by": ["t2.name", "t0.t"],
          "aggregations": [COUNT, {"function": "min", "column": "t1.k", "as": "k"}]}, "Group"),
    ],
)  # fmt: skip
def test_the_planner_chooses_the_operator(plan: dict[str, object], operator: str) -> None:
    SOURCE.rows(plan)
    assert operator in str(SOURCE.compile(plan).physical_plan)


@pytest.mark.parametrize(
    ("plan", "hits"),
    [
        ({"root": LEAF, "filters": [{"column": "t0.t", "op": "eq", "value": "text 5"}], "projection": ["t0.id"]}, 1),
        ({"root": LEAF, "filters": [{"column": "t0.t", "op": "contains", "value": "99"}], "projection": ["t0.id"]}, 1),
        ({"root": LEAF, "filters": [{"column": "t0.x", "op": "ge", "value": 2}], "aggregations": [COUNT]}, 1),
        ({"root": LEAF, "filters": [{"column": "t0.x", "op": "is_null"}], "aggregations": [COUNT]}, 0),
        ({"root": LEAF, "filters": [{"column": "t0.big", "op": "eq", "value": 5}], "aggregations": [COUNT]}, 0),
    ],
)
def test_attribute_entities_serve_filters_of_the_root(
    graphs: tuple[PropertyGraph, PropertyGraph], plan: dict[str, object], hits: int
) -> None:
    SOURCE.rows(plan, graphs[1])
    compiled = SOURCE.compile(plan, graphs[1])
    compiled.run()
    assert compiled.metrics.attribute_index_hits == hits
    if hits:
        assert compiled.metrics.source_rows_examined < SOURCE.graph.rows_of("leaf").count
        assert "AttributeIndex" in compiled.metrics.physical_plan[0]
    assert SOURCE.compile(plan).metrics.attribute_index_hits == 0


def test_rows_are_counted_by_all_conditions_of_a_scan() -> None:
    filters = [{"column": "t0.t", "op": "ge", "value": "text 5"}, {"column": "t0.big", "op": "ge", "value": 999_000}]
    assert SOURCE.rows({"root": LEAF, "filters": filters, "aggregations": [COUNT]}) == [
        (len(SOURCE.rows({"root": LEAF, "filters": filters, "projection": ["t0.id"]})),)
    ]


@pytest.mark.parametrize("joins", [JOIN_UP, JOIN_DOWN], ids=["up", "down"])
def test_a_complete_path_is_used_and_an_incomplete_one_is_not(joins: list[dict[str, object]]) -> None:
    root, steps = (LEAF, UP) if joins is JOIN_UP else (PARENT, DOWN)
    plan = {"root": root, "joins": joins, "projection": ["t0.id", "t1.k", "t2.id"]}
    whole = with_path(SOURCE.graph, steps)
    partial = with_path(SOURCE.graph, steps, keep=100)
    assert SOURCE.compile(plan, whole).metrics.materialized_path_hits == 1
    assert "MaterializedPath" in str(SOURCE.compile(plan, whole).physical_plan)
    assert SOURCE.compile(plan, partial).metrics.materialized_path_hits == 0
    assert Counter(SOURCE.rows(plan, whole)) == Counter(SOURCE.rows(plan, partial)) == Counter(SOURCE.rows(plan))


def test_a_left_join_uses_no_path() -> None:
    plan = {"root": LEAF, "joins": [JOIN_UP[0], {**JOIN_UP[1], "type": "left"}], "projection": ["t0.id", "t2.id"]}
    assert SOURCE.compile(plan, with_path(SOURCE.graph, UP)).metrics.materialized_path_hits == 0
