from typing import Any

import pytest

from app.graph.marks.collapsed_row import CollapsedRowMark
from app.graph.model.rows import foreign_key_pointers, resolve_rows
from tests.support.hand_made import HandMade
from tests.transform.support import applied, check_whole, edges_of, market, operation, pairs, reason, row_id, shortcuts


@pytest.fixture
def made() -> HandMade:
    return market()


def test_all_bridge_rows_of_a_table_become_edges_with_their_data(made: HandMade) -> None:
    graph = operation(made.graph, "collapse_node", table="BOUGHT", edge_type="BOUGHT")
    edges = edges_of(graph, "BOUGHT")
    assert (edges.source_label, edges.target_label, pairs(edges)) == ("person", "thing", [(0, 0), (0, 0), (1, 1)])
    assert isinstance(edges.mark, CollapsedRowMark)
    assert edges.mark.columns["n"].to_list() == [5.0, 5.0, None]
    assert graph.rows_of("bought").rows.tolist() == [3, 4]
    check_whole(made, graph)


def test_one_bridge_row_becomes_an_edge_and_others_follow(made: HandMade) -> None:
    graph = made.graph
    for _ in range(2):
        id_ = row_id(graph, "bought", 0)
        graph = operation(graph, "collapse_node", node_id=id_, edge_type="BOUGHT")
    edges = edges_of(graph, "BOUGHT")
    assert edges.mark.arrays[0].tolist() == [0, 1]
    assert graph.rows_of("bought").rows.tolist() == [2, 3, 4]
    check_whole(made, graph)


def test_rows_and_references_are_read_from_the_edges(made: HandMade) -> None:
    graph = operation(made.graph, "collapse_node", table="bought", edge_type="BOUGHT")
    for key, pointers in made.references.pointers.items():
        assert foreign_key_pointers(graph, key).tolist() == [max(at, -1) for at in pointers.tolist()]
    assert resolve_rows(graph, "bought").columns["n"].to_list() == [5.0, 5.0, None, 2.5, 1.0]


def test_a_field_that_moved_to_an_edge_is_collapsed_with_its_row(made: HandMade) -> None:
    graph = operation(made.graph, "node_property_to_edge", table="bought", property="n", edge_type="PERSON")
    check_whole(made, operation(graph, "collapse_node", table="bought", edge_type="BOUGHT"))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"table": "person"}, "table_is_referenced"),
        ({"table": "thing"}, "table_is_referenced"),
        ({"table": "nothing"}, "table_unknown"),
        ({"node_id": "row_" + "0" * 40}, "id_unknown"),
        ({}, "arguments_invalid"),
        ({"table": "bought", "node_id": "row_1"}, "arguments_invalid"),
    ],
)
def test_what_is_refused(made: HandMade, fields: dict[str, Any], expected: str) -> None:
    assert reason(made.graph, "optimize_graph", op="collapse_node", edge_type="X", **fields) == expected


@pytest.mark.parametrize(("label", "row", "expected"), [("bought", 3, "not_a_bridge"), ("knows", 1, "self_loop")])
def test_rows_that_are_no_bridges(made: HandMade, label: str, row: int, expected: str) -> None:
    id_ = row_id(made.graph, label, row)
    assert reason(made.graph, "optimize_graph", op="collapse_node", edge_type="X", node_id=id_) == expected


def test_a_row_with_other_edges_is_no_bridge(made: HandMade) -> None:
    graph = applied(made.graph, "generate_entity_table", table="bought", column="n", node_type="N")
    collapse: dict[str, Any] = {"op": "collapse_node", "edge_type": "X"}
    assert reason(graph, "optimize_graph", node_id=row_id(graph, "bought", 0), **collapse) == "has_other_edges"
    graph = operation(made.graph, "node_property_to_edge", table="thing", property="title", edge_type="THING")
    assert reason(graph, "optimize_graph", node_id=row_id(graph, "bought", 0), **collapse) == "has_other_edges"


def test_an_entity_is_no_row_and_a_taken_type_is_refused(made: HandMade) -> None:
    graph = applied(made.graph, "generate_entity_table", table="person", column="city", node_type="City")
    id_ = row_id(graph, "City", 0)
    assert reason(graph, "optimize_graph", op="collapse_node", node_id=id_, edge_type="X") == "not_a_row"
    assert reason(graph, "optimize_graph", op="collapse_node", table="bought", edge_type="BOSS") == "type_taken"


def test_a_table_without_nodes_has_no_bridge_rows(made: HandMade) -> None:
    id_ = row_id(made.graph, "knows", 0)
    graph = operation(made.graph, "collapse_node", node_id=id_, edge_type="KNOWS")
    assert graph.rows_of("knows").count == 1
    check_whole(made, graph)


def test_paths_over_rows_that_are_edges_are_refused_and_old_ones_dropped(made: HandMade) -> None:
    keys = [key.to_dict() for key in made.schema.table("bought").foreign_keys]
    path = [{**keys[0], "direction": "reverse"}, {**keys[1], "direction": "forward"}]
    graph = operation(
        applied(made.graph, "materialize_join", path=path), "collapse_node", table="bought", edge_type="BOUGHT"
    )
    assert shortcuts(graph) == []
    assert reason(graph, "materialize_join", path=path) == "rows_are_edges"
    join = {"table": "bought", "columns": ["n"], "ref_table": "person", "ref_columns": ["id"]}
    assert reason(graph, "connect_columns", **join) == "rows_are_edges"
