"""extract_property_node, node_property_to_edge and delete: fields that stand elsewhere."""

from typing import Any

import pytest

from app.graph.model.rows import resolve_rows
from tests.support.hand_made import HandMade
from tests.transform.support import check_whole, edge_id, edges_of, market, operation, pairs, reason, row_id

CITY = {"property": "city", "node_type": "City", "edge_type": "IN"}


@pytest.fixture
def made() -> HandMade:
    return market()


def test_extraction_copies_or_moves_a_field(made: HandMade) -> None:
    copied = operation(made.graph, "extract_property_node", table="person", **CITY)
    assert copied.rows_of("person") is made.graph.rows_of("person")
    moved = operation(made.graph, "extract_property_node", table="person", remove_from_node=True, **CITY)
    assert moved.rows_of("person").absent["city"].tolist() == [True, True, False, True]
    for graph in (copied, moved):
        assert graph.node_tables["City"].columns["value"].to_list() == ["Rome", "Oslo"]
        assert pairs(edges_of(graph, "IN")) == [(0, 0), (1, 1), (3, 1)]
        check_whole(made, graph)
    assert copied.digest != moved.digest


def test_two_tables_share_entities(made: HandMade) -> None:
    graph = operation(made.graph, "extract_property_node", table="person", **CITY)
    graph = operation(graph, "extract_property_node", table="thing", **{**CITY, "edge_type": "MADE_IN"})
    assert graph.node_tables["City"].columns["value"].to_list() == ["Rome", "Oslo", "Bern"]
    assert pairs(edges_of(graph, "MADE_IN")) == [(0, 1), (1, 2)]
    check_whole(made, graph)


def test_single_rows_are_extracted_one_after_the_other(made: HandMade) -> None:
    graph = made.graph
    for row in (3, 0):
        fields: dict[str, Any] = {"node_ids": [row_id(graph, "person", row)], "remove_from_node": True, **CITY}
        graph = operation(graph, "extract_property_node", **fields)
        check_whole(made, graph)
    assert pairs(edges_of(graph, "IN")) == [(0, 0), (3, 1)]
    assert reason(graph, "optimize_graph", op="extract_property_node", **fields) == "already_extracted"
    check_whole(made, operation(graph, "extract_property_node", table="person", **CITY))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"property": "colour"}, "property_unknown"),
        ({"property": "row_index"}, "property_internal"),
        ({"property": "id", "remove_from_node": True}, "key_property"),
        ({"node_type": "thing"}, "type_taken"),
        ({"edge_type": "BOSS"}, "type_taken"),
        ({"table": None, "node_ids": ["row_x"]}, "id_unknown"),
        ({"table": None}, "arguments_invalid"),
    ],
)
def test_extractions_that_are_refused(made: HandMade, fields: dict[str, Any], expected: str) -> None:
    arguments = {"table": "person", **CITY, **fields}
    assert reason(made.graph, "optimize_graph", op="extract_property_node", **arguments) == expected


def test_node_ids_are_rows_of_one_table_with_a_value(made: HandMade) -> None:
    graph = operation(made.graph, "extract_property_node", table="person", **CITY)
    extract = {"op": "extract_property_node", **CITY}
    both = [row_id(graph, "person", 0), row_id(graph, "thing", 0)]
    assert reason(graph, "optimize_graph", node_ids=both, **extract) == "not_rows_of_one_table"
    assert reason(graph, "optimize_graph", node_ids=[row_id(graph, "City", 0)], **extract) == "not_rows_of_one_table"
    null = [row_id(graph, "person", 2)]
    assert reason(graph, "optimize_graph", node_ids=null, **extract) == "nothing_to_extract"


def test_a_field_moves_to_its_rows_own_edges(made: HandMade) -> None:
    graph = operation(made.graph, "node_property_to_edge", table="bought", property="n", edge_type="THING")
    (moved,) = edges_of(graph, "THING").relocated
    assert (moved.end, moved.name, moved.edges.tolist()) == ("source", "n", [0, 1, 2, 3])
    assert moved.values.to_list() == [5.0, 5.0, None, 1.0]
    assert graph.rows_of("bought").absent["n"].tolist() == [True, True, True, False, True]
    check_whole(made, graph)


def test_a_field_of_the_parent_moves_to_all_edges_at_it(made: HandMade) -> None:
    fields = {"table": "thing", "property": "title", "edge_type": "THING", "target_property": "what"}
    graph = operation(made.graph, "node_property_to_edge", **fields)
    (moved,) = edges_of(graph, "THING").relocated
    assert (moved.end, moved.name, moved.values.to_list()) == ("target", "what", ["pen", "pen", "ink", "pen"])
    assert "title" not in graph.rows_of("thing").columns
    check_whole(made, graph)


def test_one_row_and_one_edge(made: HandMade) -> None:
    fields = {"node_id": row_id(made.graph, "person", 1), "edge_ids": [edge_id(made.graph, "BOSS", 0)]}
    graph = operation(made.graph, "node_property_to_edge", property="city", **fields)
    assert edges_of(graph, "BOSS").relocated[0].edges.tolist() == [0]
    check_whole(made, graph)
    copied = operation(made.graph, "node_property_to_edge", property="city", remove_from_node=False, **fields)
    assert resolve_rows(copied, "person").columns["city"] is made.tables["person"].columns["city"]
    again = {"op": "node_property_to_edge", "property": "city", **fields}
    assert reason(graph, "optimize_graph", **again) == "property_moved"
    assert reason(copied, "optimize_graph", **again) == "edge_property_taken"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"property": "colour"}, "property_unknown"),
        ({"property": "data"}, "property_internal"),
        ({"property": "id"}, "key_property"),
        ({"edge_type": "NONE"}, "type_unknown"),
        ({"edge_type": "THING"}, "edge_not_at_node"),
        ({"edge_type": None}, "arguments_invalid"),
        ({"table": "nothing"}, "table_unknown"),
    ],
)
def test_moves_that_are_refused(made: HandMade, fields: dict[str, Any], expected: str) -> None:
    arguments = {"table": "person", "property": "city", "edge_type": "BOSS", **fields}
    assert reason(made.graph, "optimize_graph", op="node_property_to_edge", **arguments) == expected


def test_edges_that_are_not_the_rows_own(made: HandMade) -> None:
    move = {"op": "node_property_to_edge", "property": "city", "node_id": row_id(made.graph, "person", 0)}
    far = [edge_id(made.graph, "THING", 0)]
    assert reason(made.graph, "optimize_graph", edge_ids=far, **move) == "edge_not_at_node"
    graph = operation(made.graph, "collapse_node", table="bought", edge_type="BOUGHT")
    own = [edge_id(graph, "BOUGHT", 0)]
    taken = {**move, "target_property": "n"}
    assert reason(graph, "optimize_graph", edge_ids=own, **taken) == "edge_property_taken"
    check_whole(made, operation(graph, edge_ids=[*own, edge_id(graph, "BOUGHT", 1)], **move))


def test_what_stands_twice_can_be_deleted(made: HandMade) -> None:
    graph = operation(made.graph, "extract_property_node", table="person", **CITY)
    without_edges = operation(graph, "delete", target="edge", type="IN")
    assert without_edges.digest == made.graph.digest
    without_nodes = operation(graph, "delete", target="node", type="City", cascade=True)
    assert without_nodes.digest == made.graph.digest
    one = operation(graph, "delete", target="node", ids=[row_id(graph, "City", 0)], cascade=True)
    assert pairs(edges_of(one, "IN")) == [(1, 0), (3, 0)]
    check_whole(made, one)
    rows = [row_id(graph, "person", 0)]
    check_whole(made, operation(graph, "delete", target="node", ids=rows, property="city"))


def test_a_copy_on_an_edge_can_be_deleted(made: HandMade) -> None:
    move = {"table": "bought", "property": "n", "edge_type": "THING", "target_property": "m"}
    graph = operation(made.graph, "node_property_to_edge", remove_from_node=False, **move)
    assert operation(graph, "delete", target="edge", type="THING", property="m").digest == made.graph.digest
    graph = operation(made.graph, "node_property_to_edge", **move)
    lost = {"op": "delete", "target": "edge", "type": "THING", "property": "m"}
    assert reason(graph, "optimize_graph", **lost) == "field_would_be_lost"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"target": "node", "type": "person"}, "row_would_be_lost"),
        ({"target": "node", "type": "person", "property": "city"}, "field_would_be_lost"),
        ({"target": "node", "type": "person", "property": "id"}, "key_property"),
        ({"target": "node", "type": "person", "property": "none"}, "property_unknown"),
        ({"target": "node", "type": "person", "property": "table"}, "property_internal"),
        ({"target": "node", "type": "none"}, "type_unknown"),
        ({"target": "node", "type": "Thing title"}, "node_has_edges"),
        ({"target": "node", "type": "Thing title", "property": "value"}, "property_internal"),
        ({"target": "edge", "type": "BOSS"}, "reference_would_be_lost"),
        ({"target": "edge", "type": "TITLE"}, "field_would_be_lost"),
        ({"target": "edge", "type": "KNOWS"}, "row_would_be_lost"),
        ({"target": "edge", "type": "BOSS", "property": "city"}, "property_unknown"),
        ({"target": "edge", "type": "none"}, "type_unknown"),
        ({"target": "edge", "ids": ["edge_0"]}, "id_unknown"),
        ({"target": "edge"}, "arguments_invalid"),
        ({"target": "path", "type": "x"}, "arguments_invalid"),
    ],
)
def test_deletions_that_are_refused(made: HandMade, fields: dict[str, Any], expected: str) -> None:
    title = {"property": "title", "node_type": "Thing title", "edge_type": "TITLE", "remove_from_node": True}
    graph = operation(made.graph, "extract_property_node", table="thing", **title)
    graph = operation(graph, "collapse_node", table="knows", edge_type="KNOWS")
    assert reason(graph, "optimize_graph", op="delete", **fields) == expected


def test_a_property_that_moved_is_not_on_the_node(made: HandMade) -> None:
    graph = operation(made.graph, "node_property_to_edge", table="thing", property="title", edge_type="THING")
    gone = {"op": "delete", "target": "node", "type": "thing", "property": "title"}
    assert reason(graph, "optimize_graph", **gone) == "property_moved"
