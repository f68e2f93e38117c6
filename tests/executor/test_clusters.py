"""Aggregates and first rows that attribute entities answer: what is read, and what falls back to rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.executor.run.executor import QueryMetrics
from app.graph.derivation.paths import PathStep
from app.graph.model.property_graph import PropertyGraph
from app.workload.binding.parsing import parse_plan
from tests.executor.support import check_plan, medium_source, with_entities, with_path

SOURCE = medium_source()
KEYS = {key.table: key.to_dict() for key in SOURCE.tables.schema.foreign_keys}
STEPS = {key.table: key for key in SOURCE.tables.schema.foreign_keys}
SIBLINGS = (PathStep(STEPS["leaf"], True), PathStep(STEPS["leaf"], False))
LEAVES = SOURCE.graph.rows_of("leaf").count
X_IS_1 = {"column": "t0.x", "op": "eq", "value": 1}
COUNT = {"function": "count", "column": "*", "as": "n"}
LEAF, MIDDLE, PARENT = ({"table": table, "alias": "t0"} for table in ("leaf", "middle", "parent"))
UP = [
    {"from": "t0", "table": "middle", "alias": "t1", "foreign_key": KEYS["leaf"], "direction": "forward"},
    {"from": "t1", "table": "parent", "alias": "t2", "foreign_key": KEYS["middle"], "direction": "forward"},
]
DOWN = [
    {"from": "t0", "table": "middle", "alias": "t1", "foreign_key": KEYS["middle"], "direction": "reverse"},
    {"from": "t1", "table": "leaf", "alias": "t2", "foreign_key": KEYS["leaf"], "direction": "reverse"},
]
ACROSS = [
    UP[0],
    {"from": "t1", "table": "leaf", "alias": "t2", "foreign_key": KEYS["leaf"], "direction": "reverse"},
]


def entities(graph: PropertyGraph, *columns: str) -> PropertyGraph:
    for column in columns:
        graph = with_entities(graph, *column.split("."))
    return graph


GRAPH = with_path(
    entities(SOURCE.graph, "leaf.x", "leaf.r", "leaf.big", "middle.t", "middle.k", "parent.name", "parent.n"), SIBLINGS
)


def grouped(column: str, *aggregations: dict[str, Any], **plan: Any) -> dict[str, Any]:
    return {"projection": [column], "group_by": [column], "aggregations": list(aggregations), **plan}


def aggregate(function: str, column: str) -> dict[str, Any]:
    return {"function": function, "column": column, "as": f"{function}_{column.replace('.', '_')}"}


def metrics(plan: dict[str, Any], graph: PropertyGraph = GRAPH) -> QueryMetrics:
    """The metrics of a plan whose rows were found equal to the oracle's."""
    SOURCE.rows(plan, graph)
    compiled = SOURCE.compile(plan, graph)
    compiled.run()
    return compiled.metrics


def test_groups_of_an_attribute_are_counted_without_a_row() -> None:
    found = metrics({"root": MIDDLE, **grouped("t0.t", COUNT)})
    assert found.physical_plan[0] == "AttributeClusters middle.t, t0 [600 rows] by middle.t value"
    # Four values, and NULL.
    assert (found.attribute_index_hits, found.source_rows_examined) == (1, 5)


def test_entities_count_the_rows_that_reach_them_over_several_hops() -> None:
    found = metrics({"root": PARENT, "joins": DOWN, **grouped("t0.name", COUNT)})
    assert (found.attribute_index_hits, found.source_rows_examined) == (1, 6)


def test_sums_read_each_joined_row_once() -> None:
    plan = {
        "root": LEAF,
        "joins": UP,
        **grouped("t2.name", COUNT, aggregate("sum", "t0.big"), aggregate("avg", "t1.k")),
    }
    found = metrics(plan)
    (joined,) = SOURCE.rows({"root": LEAF, "joins": UP, "aggregations": [COUNT]})[0]
    assert found.attribute_index_hits == 1
    assert found.source_rows_examined == joined < LEAVES
    assert metrics(plan, SOURCE.graph).attribute_index_hits == 0


def test_a_filter_by_an_attribute_reads_its_rows_alone() -> None:
    filters = [{"column": "t1.k", "op": "eq", "value": 3}]
    plan = {"root": LEAF, "joins": UP[:1], "filters": filters, **grouped("t0.r", COUNT, aggregate("max", "t0.t"))}
    (wanted,) = SOURCE.rows({"root": LEAF, "joins": UP[:1], "filters": filters, "aggregations": [COUNT]})[0]
    found = metrics(plan)
    assert (found.attribute_index_hits, found.source_rows_examined) == (1, wanted)
    assert "where t1.k eq 3" in found.physical_plan[0]


def test_joins_that_do_not_run_forward_need_their_path() -> None:
    plan = {"root": LEAF, "joins": ACROSS, **grouped("t2.x", COUNT)}
    found = metrics(plan)
    assert (found.attribute_index_hits, found.materialized_path_hits) == (1, 1)
    alone = metrics(plan, entities(SOURCE.graph, "leaf.x"))
    assert (alone.attribute_index_hits, alone.materialized_path_hits) == (0, 0)


@pytest.mark.parametrize(
    "plan",
    [
        {"root": LEAF, "joins": [{**UP[0], "type": "left"}], **grouped("t1.k", COUNT)},
        {"root": LEAF, "joins": UP[:1], "filters": [{"column": "t1.k", "op": "is_null"}], "aggregations": [COUNT]},
        {"root": LEAF, "filters": [X_IS_1, {"column": "t0.id", "op": "ge", "value": 9}], **grouped("t0.x", COUNT)},
        {"root": LEAF, **grouped("t0.big", COUNT)},
        {"root": LEAF, "group_by": ["t0.x", "t0.r"], "projection": ["t0.x", "t0.r"], "aggregations": [COUNT]},
    ],
    ids=["left join", "NULLs", "another filter", "a value a row", "two attributes"],
)  # fmt: skip
def test_what_entities_do_not_answer_is_read_from_rows(plan: dict[str, Any]) -> None:
    assert "Clusters" not in "\n".join(metrics(plan).physical_plan)


def test_clusters_need_entities_of_every_row() -> None:
    (edges,) = GRAPH.attribute_edges("middle", "t")
    others = [one for one in GRAPH.edge_tables if one is not edges]
    partial = GRAPH.with_edges([*others, edges.take(np.arange(1, len(edges)))])
    plan = {"root": MIDDLE, **grouped("t0.t", COUNT)}
    assert (metrics(plan).attribute_index_hits, metrics(plan, partial).attribute_index_hits) == (1, 0)


def first(column: str, direction: str, limit: int, *, valid: bool = True) -> dict[str, Any]:
    order = [{"column": column, "direction": direction}, {"column": "t0.id", "direction": "asc"}]
    filters = [{"column": column, "op": "not_null"}] if valid else []
    return {"root": LEAF, "filters": filters, "projection": [column, "t0.id"], "order_by": order, "limit": limit}


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("column", ["t0.big", "t0.r", "t0.x"])
@pytest.mark.parametrize("limit", [1, 7, 2_990, 5_000])
def test_the_first_rows_are_found_in_the_order_of_entities(column: str, direction: str, limit: int) -> None:
    found = metrics(first(column, direction, limit))
    assert found.attribute_index_hits == 1
    assert found.physical_plan[0].startswith(
        f"AttributeIndex leaf.{column[3:]} by leaf.{column[3:]} value, {direction}"
    )


def test_rows_of_equal_values_in_the_tables_order_are_cut() -> None:
    # Of four values of r each has hundreds of rows; those of x have entities that are equal: 1 and 1.0.
    assert metrics(first("t0.r", "desc", 7)).source_rows_examined == 7
    assert metrics(first("t0.x", "asc", 7)).source_rows_examined > 7


def test_null_comes_first_and_has_no_entity() -> None:
    assert metrics(first("t0.big", "asc", 7, valid=False)).attribute_index_hits == 0
    assert metrics(first("t0.big", "desc", 7, valid=False)).attribute_index_hits == 1
    assert metrics(first("t0.big", "desc", 2_999, valid=False)).attribute_index_hits == 0


CHAIN = ("leaf", "middle", "parent")
SUMMED = ("t0.big", "t0.r", "t1.k", "t2.n", "t2.r")
ATTRIBUTES = ("t0.x", "t0.r", "t1.t", "t1.k", "t2.name", "t2.n")
TEXTS = st.sampled_from(["a", "A", "b", "y", "X", "two", "2", "none"])
VALUES = st.one_of(TEXTS, st.sampled_from([1, 2.0, 3, -2, 0.25, 1e15]))


@st.composite
def filters_of(draw: st.DrawFn, column: str) -> dict[str, Any]:
    values = TEXTS if column in ("t1.t", "t2.name") else VALUES
    op = draw(st.sampled_from(["eq", "ne", "lt", "ge", "in", "not_null", "contains"]))
    if op == "not_null":
        return {"column": column, "op": op}
    several = st.lists(values, min_size=1, max_size=3)
    return {"column": column, "op": op, "value": draw({"in": several, "contains": TEXTS}.get(op, values))}


@st.composite
def clustered_plans(draw: st.DrawFn) -> dict[str, Any]:
    """Aggregating plans over the chain from leaf to parent, most of which filter or group by one attribute."""
    hops = draw(st.integers(0, 2))
    aliases = tuple(f"t{hop}" for hop in range(hops + 1))
    attributes = st.sampled_from([column for column in ATTRIBUTES if column.startswith(aliases)])
    schemas = [SOURCE.tables.schema.table(table) for table in CHAIN[: hops + 1]]
    columns = [f"{alias}.{name}" for alias, table in zip(aliases, schemas, strict=True) for name in table.column_names]
    summed = [column for column in SUMMED if column.startswith(aliases)]
    filters = draw(attributes.flatmap(lambda column: st.lists(filters_of(column), max_size=2, unique_by=str)))
    groups = draw(st.lists(attributes, max_size=2, unique=True))
    functions = draw(st.lists(st.sampled_from(["count", "sum", "avg", "min", "max"]), max_size=3))
    aggregations = [COUNT]
    for number, function in enumerate(functions):
        column = draw(st.sampled_from(summed if function in ("sum", "avg") else columns))
        aggregations.append({"function": function, "column": column, "as": f"a{number}"})
    names = draw(st.permutations([*groups, *(item["as"] for item in aggregations)]))
    order_by = [{"column": name, "direction": draw(st.sampled_from(["asc", "desc"]))} for name in names]
    return {
        "id": "clustered",
        "question": "?",
        "root": LEAF,
        "joins": UP[:hops],
        "filters": filters,
        "projection": groups,
        "group_by": groups,
        "aggregations": aggregations,
        "order_by": order_by,
        "limit": draw(st.one_of(st.none(), st.integers(1, 5))),
    }


@given(clustered_plans())
def test_random_aggregates_are_the_oracles(plan: dict[str, Any]) -> None:
    check_plan(SOURCE, parse_plan(plan), [SOURCE.graph, GRAPH])
