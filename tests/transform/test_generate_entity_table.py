from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.errors import TransformError
from app.graph.model.property_graph import PropertyGraph
from app.tables.column import column_of
from app.transform.registry import strategy_named
from tests.support.hand_made import HandMade, shop, source, table
from tests.transform.support import check_whole, operation, reason, shortcuts
from tests.transform.test_materialize_join import CUSTOMER, ORDER, forward, materialized


def entities(graph: PropertyGraph, table: str, column: str, node_type: str, **more: Any) -> PropertyGraph:
    strategy = strategy_named("generate_entity_table")
    arguments = {"table": table, "column": column, "node_type": node_type, **more}
    return strategy.apply(graph, strategy.parse(arguments))


@pytest.fixture
def made() -> HandMade:
    return shop()


def test_each_distinct_value_is_a_node_and_each_value_an_edge(made: HandMade) -> None:
    graph = entities(made.graph, "customer", "status", "Status")
    assert graph.node_tables["Status"].columns["value"].to_list() == ["gold", "silver"]
    (edges,) = graph.attribute_edges("customer", "status")
    assert edges.type == "HAS_STATUS"
    assert list(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)) == [(0, 0), (1, 1), (2, 0)]


def test_the_rows_keep_their_values_and_the_source_stays_whole(made: HandMade) -> None:
    graph = entities(made.graph, "customer", "status", "Status")
    assert graph.rows_of("customer") is made.graph.rows_of("customer")
    assert made.integrity.errors(graph) == []


def test_the_bound_on_its_size_is_known_before_it_is_built(made: HandMade) -> None:
    strategy = strategy_named("generate_entity_table")
    arguments = strategy.parse({"table": "customer", "column": "status", "node_type": "Status"})
    assert strategy.added_size(made.graph, arguments) == 3


@pytest.mark.parametrize(
    ("values", "expected", "targets"),
    [
        ([3, 1, 3, None], [3, 1], [0, 1, 0]),
        ([2.5, -1.0, 2.5], [2.5, -1.0], [0, 1, 0]),
        ([1, 1.0, "1", 1], [1, 1.0, "1"], [0, 1, 2, 0]),
    ],
)
def test_values_of_other_types(values: list[Any], expected: list[Any], targets: list[int]) -> None:
    rows = table("t", {"id": ("INTEGER", list(range(len(values)))), "x": ("", values)})
    graph = entities(source(rows).graph, "t", "x", "X")
    held = graph.node_tables["X"].columns["value"].to_list()
    assert [(type(v), v) for v in held] == [(type(v), v) for v in expected]
    assert graph.attribute_edges("t", "x")[0].targets.tolist() == targets


def test_stale_paths_are_removed(made: HandMade) -> None:
    graph = materialized(made.graph, [forward(ORDER), forward(CUSTOMER)])
    assert shortcuts(entities(graph, "customer", "status", "Status")) == []


def test_the_same_column_again_changes_nothing(made: HandMade) -> None:
    graph = entities(made.graph, "customer", "status", "Status")
    assert entities(graph, "CUSTOMER", "Status", "Other") is graph


def test_a_column_without_values_changes_nothing() -> None:
    graph = source(table("t", {"id": ("INTEGER", [1]), "x": ("TEXT", [None])})).graph
    assert entities(graph, "t", "x", "X") is graph


def test_a_stale_entity_value_is_found_by_integrity(made: HandMade) -> None:
    graph = entities(made.graph, "customer", "status", "Status")
    stale = replace(graph.node_tables["Status"], columns={"value": column_of(["gold", "bronze"])})
    (error,) = made.integrity.errors(graph.with_tables([stale]))
    assert error == "Table customer, row 2: status is 'silver', and 'bronze' at HAS_STATUS."


def test_a_path_over_a_hop_that_does_not_exist_is_found_by_integrity(made: HandMade) -> None:
    graph = materialized(made.graph, [forward(ORDER), forward(CUSTOMER)])
    (edges,) = shortcuts(graph)
    wrong = replace(edges, targets=np.array([0, 0, 0, 0]))
    (error,) = made.integrity.errors(replace(graph, edge_tables=(*graph.edge_tables[:-1], wrong)))
    assert "1 paths take a hop that orders(customer_id) -> customer(id) does not have" in error


@pytest.mark.parametrize(
    ("table_name", "column", "node_type", "message"),
    [
        ("customer", "colour", "X", "no column colour"),
        ("client", "status", "X", "no table client"),
        ("customer", "status", "ORDERS", "exists already"),
        ("customer", "status", "", "node_type"),
    ],
)
def test_what_is_refused(made: HandMade, table_name: str, column: str, node_type: str, message: str) -> None:
    with pytest.raises(TransformError, match=message):
        entities(made.graph, table_name, column, node_type)


def test_a_renamed_type_keeps_its_first_name_for_its_identities(made: HandMade) -> None:
    graph = entities(made.graph, "customer", "status", "Status")
    graph = operation(graph, "rename_type", target="node", old_type="Status", new_type="State")
    for taken in ("Status", "STATUS", "State"):
        arguments = {"table": "orders", "column": "status", "node_type": taken}
        assert reason(graph, "generate_entity_table", **arguments) == "type_taken"
        assert reason(graph, "unfold_multi_category", **arguments, delimiter="p") == "type_taken"
        renamed = {"op": "rename_type", "target": "node", "old_type": "orders", "new_type": taken}
        assert reason(graph, "optimize_graph", **renamed) == "type_taken"
    back = operation(graph, "rename_type", target="node", old_type="State", new_type="Status")
    assert back.digest == entities(made.graph, "customer", "status", "Status").digest
    check_whole(made, entities(graph, "orders", "status", "OrderStatus"))
