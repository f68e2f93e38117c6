"""Graphs whose rows and fields moved are published with all that they hold."""

from collections.abc import Mapping

from app.graph.model.property_graph import PropertyGraph
from app.store.publish.edge_properties import edge_properties
from app.store.publish.publish import publish
from app.store.servers.server import Neo4jServer
from tests.transform.support import applied, edges_of, market, operation


def evolved() -> PropertyGraph:
    graph = operation(market().graph, "collapse_node", table="bought", edge_type="BOUGHT")
    for fields in (
        {"table": "person", "property": "name", "edge_type": "BOUGHT", "target_property": "who"},
        {"table": "thing", "property": "title", "edge_type": "BOUGHT"},
    ):
        graph = operation(graph, "node_property_to_edge", **fields)
    return applied(graph, "unfold_multi_category", table="person", column="tags", node_type="Tag", edge_type="TAG")


def cells(graph: PropertyGraph, edge_type: str) -> Mapping[str, object]:
    return {name: column.to_list() for name, column in edge_properties(edges_of(graph, edge_type)).items()}


def test_what_relationships_hold() -> None:
    assert cells(evolved(), "BOUGHT") == {
        "person_id": [1, 1, 2],
        "thing_id": [1, 1, 2],
        "n": [5.0, 5.0, None],
        "who": ["Ann", "Ann", "Bo"],
        "title": ["pen", "pen", "ink"],
    }
    assert cells(evolved(), "TAG") == {"position": [0, 1, 0, 1, 2, 3]}


def test_fields_of_one_name_stand_on_different_edges() -> None:
    graph = operation(market().graph, "node_property_to_edge", table="bought", property="n", edge_type="THING")
    (moved,) = edges_of(graph, "THING").relocated
    assert cells(graph, "THING") == {"n": [5.0, 5.0, None, 1.0]}
    assert moved.values.to_list() == [5.0, 5.0, None, 1.0]


def test_an_evolved_graph_is_published_whole(server: Neo4jServer, name: str) -> None:
    graph = evolved()
    receipt = publish(server, graph, name)
    assert (receipt.nodes, receipt.edges) == (graph.node_count, graph.edge_count)
    with server.slot(name) as slot:
        found = slot.rows("MATCH (a)-[r:BOUGHT]->(b) RETURN properties(r), a.id, b.id ORDER BY a.id")
        tags = slot.rows("MATCH (:person)-[r:TAG]->(t:Tag) RETURN t.value, r.position ORDER BY t.value, r.position")
    bought = {"person_id": 1, "thing_id": 1, "n": 5.0, "who": "Ann", "title": "pen"}
    last = {"person_id": 2, "thing_id": 2, "who": "Bo", "title": "ink"}
    assert found == [[bought, 1, 1], [bought, 1, 1], [last, 2, 2]]
    assert tags == [["p", 0], ["q", 0], ["q", 1], ["q", 2], ["r", 1], ["r", 3]]
