"""Documents of graphs whose rows and fields moved: their form, and that no contradiction is read."""

import copy
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import GraphInvalidError
from app.graph.document.reader import read_document
from app.graph.model.property_graph import PropertyGraph
from tests.graph.test_document import document_of, written
from tests.transform.support import applied, market, operation, row_id


def evolved() -> PropertyGraph:
    """A graph with every mark of the format."""
    graph = operation(market().graph, "collapse_node", table="bought", edge_type="BOUGHT")
    moves: list[dict[str, Any]] = [
        {"op": "node_property_to_edge", "table": "knows", "property": "since", "edge_type": "A"},
        {"op": "extract_property_node", "table": "person", "property": "city", "node_type": "City", "edge_type": "IN"}
        | {"remove_from_node": True},
        {"op": "rename_type", "target": "node", "old_type": "City", "new_type": "Town"},
    ]
    graph = applied(graph, "optimize_graph", operations=moves)
    graph = applied(graph, "unfold_multi_category", table="person", column="tags", node_type="Tag", edge_type="TAG")
    join = {"table": "person", "columns": ["city"], "ref_table": "thing", "ref_columns": ["city"], "edge_type": "NEAR"}
    graph = applied(graph, "connect_columns", **join)
    graph = applied(graph, "add_primary_key", table="person", columns=["name"])
    boss = {"table": "person", "columns": ["boss"], "ref_table": "person", "ref_columns": ["id"]}
    return applied(graph, "materialize_join", path=[{**boss, "direction": "forward"}] * 2, edge_type="TWICE")


DOCUMENT = document_of(evolved())


def properties(edge_type: str) -> list[dict[str, Any]]:
    return [edge["properties"] for edge in DOCUMENT["edges"] if edge["type"] == edge_type]


def test_a_row_that_is_an_edge_has_its_data_and_endpoints() -> None:
    keys = {key.columns[0]: key.to_dict() for key in market().schema.table("bought").foreign_keys}
    found = sorted(properties("BOUGHT"), key=lambda edge: int(edge["row_index"]))
    assert found[2] == {
        "table": "bought",
        "row_index": 2,
        "data": {"person_id": 2, "thing_id": 2, "n": None},
        "row_endpoints": {"source": keys["person_id"], "target": keys["thing_id"]},
    }


def test_a_moved_field_names_its_row() -> None:
    held = [edge["relocated_attributes"] for edge in properties("A")]
    expected = {"column": "since", "property": "since", "end": "source", "value": 2001}
    assert [{**expected, "row_id": row_id(market().graph, "knows", 0)}] in held


def test_joins_categories_entities_and_keys_are_marked() -> None:
    key = {"table": "person", "columns": ["city"], "ref_table": "thing", "ref_columns": ["city"]}
    assert properties("NEAR")[0] == {"column_join": key}
    category = {"table": "person", "column": "tags", "delimiter": ","}
    assert all(edge["unfolded_category"] == category for edge in properties("TAG"))
    assert sorted(edge["position"] for edge in properties("TAG")) == [0, 0, 1, 1, 2, 3]
    assert properties("IN")[0] == {"extracted_attribute": {"table": "person", "column": "city"}}
    nodes = [node["properties"] for node in DOCUMENT["nodes"]]
    assert [node["table"] for node in nodes if "identity_key" in node] == ["person"]
    assert {node["identity_type"] for node in nodes if "identity_type" in node} == {"City"}
    people = [node["data"] for node in nodes if node.get("table") == "person"]
    assert [data for data in people if "city" in data] == [data for data in people if data["name"] == "Cy"]


def edge_of(document: dict[str, Any], edge_type: str) -> dict[str, Any]:
    edge: dict[str, Any] = next(edge for edge in document["edges"] if edge["type"] == edge_type)
    return edge


def node_of(document: dict[str, Any], node_type: str) -> dict[str, Any]:
    node: dict[str, Any] = next(node for node in document["nodes"] if node["type"] == node_type)
    return node


def stale_entity(document: dict[str, Any]) -> None:
    node_of(document, "Town")["properties"]["value"] = "Paris"


def lost_entity_edge(document: dict[str, Any]) -> None:
    document["edges"].remove(edge_of(document, "IN"))


def swapped_row_edge(document: dict[str, Any]) -> None:
    edge = edge_of(document, "BOUGHT")
    edge["source"], edge["target"] = edge["target"], edge["source"]


def lost_row_edge(document: dict[str, Any]) -> None:
    edge = next(e for e in document["edges"] if e["properties"].get("row_index") == 0 and e["type"] == "BOUGHT")
    document["edges"].remove(edge)


def lost_row_field(document: dict[str, Any]) -> None:
    del edge_of(document, "BOUGHT")["properties"]["data"]["n"]


def nested_row_field(document: dict[str, Any]) -> None:
    edge_of(document, "BOUGHT")["properties"]["data"]["n"] = [1]


def row_of_no_table(document: dict[str, Any]) -> None:
    edge_of(document, "BOUGHT")["properties"]["table"] = "nothing"


def field_of_another_row(document: dict[str, Any]) -> None:
    edge = next(e for e in document["edges"] if "relocated_attributes" in e["properties"])
    edge["properties"]["relocated_attributes"][0]["row_id"] = edge["target"]


def conflicting_field(document: dict[str, Any]) -> None:
    node = next(n for n in document["nodes"] if n["properties"].get("data", {}).get("name") == "Ann")
    node["properties"]["data"]["city"] = "Paris"


def wrong_edge_id(document: dict[str, Any]) -> None:
    edge_of(document, "NEAR")["id"] = "edge_" + "0" * 40


def undeclared_key(document: dict[str, Any]) -> None:
    for edge in document["edges"]:
        if edge["type"] == "BOSS":
            edge["properties"]["foreign_key"]["columns"] = ["id"]


def key_to_another_table(document: dict[str, Any]) -> None:
    edge_of(document, "BOSS")["target"] = node_of(document, "thing")["id"]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (stale_entity, "does not fit its table and key"),
        (lost_entity_edge, "has lost the field city of row"),
        (swapped_row_edge, "several types|row_endpoints"),
        (lost_row_edge, "is missing"),
        (lost_row_field, "other fields"),
        (nested_row_field, "not a finite scalar"),
        (row_of_no_table, "malformed"),
        (field_of_another_row, "not of its end"),
        (conflicting_field, "city is 'Paris', and 'Rome' at IN"),
        (wrong_edge_id, "does not fit what it joins"),
        (undeclared_key, "does not fit|declares"),
        (key_to_another_table, "several types"),
    ],
)
def test_a_contradiction_is_refused(tmp_path: Path, damage: Callable[[dict[str, Any]], None], message: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    damage(document)
    with pytest.raises(GraphInvalidError, match=message):
        read_document(written(tmp_path, document))


SCALARS = st.sampled_from([None, True, -1, 0, 3, 1.5, "", "person", "source", [], {}, ["x"], {"a": 1}])


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every member and element of a JSON value stands."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [found for key, child in children for found in paths_in(child, (*path, key))]
    return [path, *below] if path else below


PATHS = paths_in(DOCUMENT)


@given(st.lists(st.tuples(st.sampled_from(PATHS), st.one_of(st.just("delete"), SCALARS)), min_size=1, max_size=2))
def test_any_damage_is_refused_or_read(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    document = copy.deepcopy(DOCUMENT)
    for path, value in changes:
        at = document
        try:
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
            if value == "delete":
                del at[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
    with TemporaryDirectory() as folder:
        file = Path(folder) / "graph.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        with suppress(GraphInvalidError):
            read_document(file)
