"""What was written is read back: every fault of the document is found, and named with the place where it is."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import DocumentMismatchError
from app.graph.document.order import IdentifiedGraph
from app.graph.document.read_back import check_document
from app.graph.document.reader import read_document
from app.graph.document.writer import write_document
from app.graph.model.property_graph import PropertyGraph
from tests.graph.test_evolved_documents import evolved
from tests.support.hand_made import HandMade, shop, source, table
from tests.transform.support import applied, operation

GRAPHS = {"first": shop().graph, "with every mark": evolved()}


def written(graph: PropertyGraph, path: Path) -> IdentifiedGraph:
    document = IdentifiedGraph.of(graph)
    with path.open("wb") as file:
        write_document(document, file)
    return document


@pytest.mark.parametrize("name", GRAPHS)
def test_a_document_says_what_its_graph_says(tmp_path: Path, name: str) -> None:
    check_document(written(GRAPHS[name], tmp_path / "graph.json"), tmp_path / "graph.json")


CHANGES: dict[str, Callable[[PropertyGraph], PropertyGraph]] = {
    "another type": lambda graph: operation(
        graph, "rename_type", target="node", old_type="customer", new_type="Customer"
    ),
    "a key": lambda graph: applied(graph, "add_primary_key", table="country", columns=["name"]),
    "entities": lambda graph: applied(graph, "generate_entity_table", table="orders", column="status", node_type="S"),
    "a field that is elsewhere": lambda graph: operation(
        graph, "node_property_to_edge", table="orders", property="amount", edge_type="CUSTOMER"
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_document_of_another_graph_is_found_out(tmp_path: Path, name: str) -> None:
    path, graph = tmp_path / "graph.json", shop().graph
    written(CHANGES[name](graph), path)
    with pytest.raises(DocumentMismatchError, match="at byte"):
        check_document(IdentifiedGraph.of(graph), path)


@given(st.data())
def test_any_other_bytes_are_found_out(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "graph.json"
        document = written(GRAPHS[data.draw(st.sampled_from(sorted(GRAPHS)))], path)
        content = path.read_bytes()
        at = data.draw(st.integers(0, len(content)))
        cut = data.draw(st.integers(0, 3))
        changed = content[:at] + data.draw(st.binary(max_size=3)) + content[at + cut :]
        path.write_bytes(changed)
        if changed == content:
            check_document(document, path)
            return
        with pytest.raises(DocumentMismatchError):
            check_document(document, path)


def test_a_value_of_another_type_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    document = written(shop().graph, path)
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"amount":7.5', b'"amount":75'))
    with pytest.raises(
        DocumentMismatchError, match=r'"amount":75.* at byte \d+; the graph has .*"amount":7\.5'
    ) as caught:
        check_document(document, path)
    assert caught.value.where == {"file": "graph.json", "offset": content.index(b'"amount":7.5') + len(b'"amount":7')}


def no_rows() -> HandMade:
    return source(
        table("a", {"id": ("INTEGER", []), "name": ("TEXT", [])}),
        table("b", {"x": ("REAL", []), "a_id": ("INTEGER", [])}, [], references={"a_id": ("a", ["id"])}),
    )


def test_a_source_without_rows_keeps_its_schema(tmp_path: Path) -> None:
    made, path = no_rows(), tmp_path / "graph.json"
    check_document(written(made.graph, path), path)
    read = read_document(path)
    assert read.digest == made.graph.digest
    assert read.row_tables == tuple(made.schema)
    assert made.integrity.errors(read) == []


def test_a_graph_without_tables_has_the_document_that_it_always_had(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    check_document(written(PropertyGraph({}, ()), path), path)
    assert path.read_text() == '{"directed":true,"edges":[],"nodes":[]}'
    assert read_document(path).node_tables == {}
