import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import GraphInvalidError, NotFoundError
from app.graph.document.order import IdentifiedGraph
from app.graph.document.reader import read_document
from app.graph.document.writer import write_document
from app.graph.model.property_graph import PropertyGraph
from app.values import canonical_json
from tests.support.hand_made import shop, source, table


def document_of(graph: PropertyGraph) -> dict[str, Any]:
    file = io.BytesIO()
    write_document(IdentifiedGraph.of(graph), file)
    return dict(json.loads(file.getvalue()))


def written(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_the_file_is_canonical_and_its_digest_can_be_recomputed() -> None:
    file = io.BytesIO()
    sha256 = write_document(IdentifiedGraph.of(shop().graph), file)
    document = json.loads(file.getvalue())
    for part in ("nodes", "edges"):
        document[part].sort(key=lambda element: element["id"])
    assert hashlib.sha256(canonical_json(document).encode()).hexdigest() == sha256


def test_a_row_node_has_the_fields_of_the_format() -> None:
    document = document_of(shop().graph)
    node = next(n for n in document["nodes"] if n["properties"].get("row_index") == 1 and n["type"] == "line")
    assert node["properties"] == {
        "table": "line",
        "row_index": 1,
        "data": {"order_id": 10, "number": 2, "note": ""},
    }
    assert node["id"] == "row_" + hashlib.sha256(b'["line","pk",[10,2]]').hexdigest()[:40]


def test_a_foreign_key_edge_runs_from_child_to_parent() -> None:
    document = document_of(shop().graph)
    ids = {n["id"]: (n["type"], n["properties"]["row_index"]) for n in document["nodes"]}
    edges = [e for e in document["edges"] if e["type"] == "COUNTRY_CODE"]
    assert sorted((ids[e["source"]], ids[e["target"]]) for e in edges) == [
        (("customer", 0), ("country", 0)),
        (("customer", 1), ("country", 1)),
        (("customer", 3), ("country", 0)),
    ]
    assert edges[0]["properties"] == {
        "foreign_key": {
            "table": "customer",
            "columns": ["country_code"],
            "ref_table": "country",
            "ref_columns": ["code"],
        }
    }


def test_only_the_first_row_of_a_table_carries_its_schema() -> None:
    document = document_of(shop().graph)
    carriers = {
        n["type"]: n["properties"]["row_index"] for n in document["nodes"] if "relational_schema" in n["properties"]
    }
    assert carriers == {"country": 0, "customer": 0, "orders": 0, "line": 0}


def test_a_keyless_row_is_identified_by_its_position() -> None:
    document = document_of(source(table("log", {"line": ("TEXT", ["a", "a"])}, primary_key=())).graph)
    expected = {"row_" + hashlib.sha256(b'["log","position",%d]' % row).hexdigest()[:40] for row in (0, 1)}
    assert {node["id"] for node in document["nodes"]} == expected


def test_round_trip_gives_an_equal_graph(tmp_path: Path) -> None:
    graph = shop().graph
    path = tmp_path / "graph.json"
    with path.open("wb") as file:
        write_document(IdentifiedGraph.of(graph), file)
    read = read_document(path)
    assert read.digest == graph.digest
    assert list(read.node_tables) == list(graph.node_tables)
    assert [edges.type for edges in read.edge_tables] == [edges.type for edges in graph.edge_tables]


def test_a_document_with_spaces_and_another_order_reads_the_same(tmp_path: Path) -> None:
    document = document_of(shop().graph)
    document["nodes"].reverse()
    document["edges"].reverse()
    path = tmp_path / "graph.json"
    path.write_text(
        json.dumps({key: document[key] for key in ("nodes", "edges", "directed")}, indent=3), encoding="utf-8"
    )
    assert read_document(path).digest == shop().graph.digest


def test_a_document_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no graph document"):
        read_document(tmp_path / "none.json")


def _drop_first_node(document: dict[str, Any]) -> None:
    del document["nodes"][0]


def _change_key(document: dict[str, Any]) -> None:
    next(n for n in document["nodes"] if n["type"] == "orders")["properties"]["data"]["id"] = 999


def _repeat_node(document: dict[str, Any]) -> None:
    document["nodes"].append(document["nodes"][0])


def _dangling_edge(document: dict[str, Any]) -> None:
    document["edges"][0]["target"] = "row_" + "0" * 40


def _add_field(document: dict[str, Any]) -> None:
    document["nodes"][3]["properties"]["data"]["extra"] = 1


def _nested_cell(document: dict[str, Any]) -> None:
    next(n for n in document["nodes"] if n["type"] == "orders")["properties"]["data"]["status"] = ["paid"]


def _no_schema(document: dict[str, Any]) -> None:
    for node in document["nodes"]:
        node["properties"].pop("relational_schema", None)


def _unknown_mark(document: dict[str, Any]) -> None:
    document["edges"][0]["properties"] = {"surprise": 1}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_drop_first_node, "row_index|does not exist"),
        (_change_key, "does not fit its table and key"),
        (_repeat_node, "row_index|stands twice"),
        (_dangling_edge, "does not exist"),
        (_add_field, "other fields"),
        (_nested_cell, "not a finite scalar"),
        (_no_schema, "no relational_schema"),
        (_unknown_mark, "properties are malformed"),
    ],
)
def test_a_document_that_contradicts_itself_is_refused(tmp_path: Path, damage: Any, message: str) -> None:
    document = document_of(shop().graph)
    damage(document)
    with pytest.raises(GraphInvalidError, match=message):
        read_document(written(tmp_path, document))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"nodes":',
        '{"nodes":[}',
        '{"directed":false}',
        '{"nodes":[],"x":1}',
        '{"nodes":[]} 1',
        '{"nodes":[NaN]}',
        "[" * 5000,
    ],
)
def test_malformed_json_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "graph.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GraphInvalidError):
        read_document(path)


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_bytes(b'{"nodes":["\xff"]}')
    with pytest.raises(GraphInvalidError, match="UTF-8"):
        read_document(path)
