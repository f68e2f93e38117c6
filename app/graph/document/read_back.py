"""Reads a written document back and compares it with its graph.

The writer renders columns as text by code of its own. Here nodes and edges are made of Python values from the columns,
piece by piece in the order of the document, and Python's JSON encoder says what their canonical text is: the file must
have just these bytes. Most edges of a table differ by their ids alone: the encoder says what one of them looks like,
and the others have the same bytes but for theirs.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from app.errors import DocumentMismatchError
from app.graph.document.order import IdentifiedGraph, Maker
from app.graph.document.schema import schema_documents, schema_from_document
from app.graph.model.edge_key import Digests
from app.graph.model.identity import EDGE_PREFIX, hex_ids, node_prefix
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable
from app.graph.model.rows import edge_end, present
from app.tables.dictionary import IntArray
from app.tables.json_cells import row_objects
from app.values import canonical_json

Element = dict[str, Any]

_ELEMENTS = 8_192
"""Nodes or edges that exist as Python values at one time."""

_SHOWN = 80
"""Bytes that a message shows before and after the first one that differs."""


def check_document(document: IdentifiedGraph, path: Path) -> None:
    """Read the document at `path` and raise `DocumentMismatchError` if it does not say what the graph says."""
    _check_schemas(document)
    offset = 0
    with path.open("rb") as file:
        for text in _texts(document):
            offset += _compare(file, text, offset)
        if file.read(1):
            raise DocumentMismatchError(f"The document goes on after its end, byte {offset}.", file=path.name)


def _compare(file: BinaryIO, expected: bytes, offset: int) -> int:
    """Read as many bytes as are expected, which must be these, and return their number."""
    found = file.read(len(expected))
    if found == expected:
        return len(expected)
    at = next((at for at, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), len(found))
    around = slice(max(at - _SHOWN, 0), at + _SHOWN)
    raise DocumentMismatchError(
        f"The document that was written has …{_shown(found[around])}… at byte {offset + at}; "
        f"the graph has …{_shown(expected[around])}…",
        hint="Build again, on another disk if it happens again; the old result is still there.",
        file=Path(file.name).name,
        offset=offset + at,
    )


def _shown(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _check_schemas(document: IdentifiedGraph) -> None:
    """The schemas as the document says them must be read as the graph's own."""
    schemas, empty_tables = schema_documents(document.graph)
    parts = [part for first in schemas.values() for part in (first, *first.get("empty_tables", ()))]
    if dict(map(schema_from_document, [*parts, *empty_tables])) != dict(enumerate(document.graph.row_tables)):
        raise DocumentMismatchError("The document does not give the graph's relational schema back.")


def _texts(document: IdentifiedGraph) -> Iterator[bytes]:
    """The canonical JSON of the document."""
    graph = document.graph
    schemas, empty_tables = schema_documents(graph)
    nodes = [_node_maker(document, table, schemas.get(label)) for label, table in graph.node_tables.items()]
    edges = [_edge_maker(document, number) for number in range(len(graph.edge_tables))]
    yield b'{"directed":true,"edges":['
    yield from _separated(map(b",".join, document.edges(edges, _ELEMENTS)))
    yield b"],"
    if empty_tables:
        yield b'"empty_tables":' + _json(empty_tables) + b","
    yield b'"nodes":['
    yield from _separated(_json(elements)[1:-1] for elements in document.nodes(nodes, _ELEMENTS))
    yield b"]}"


def _separated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    separator = b""
    for text in pieces:
        yield separator + text
        separator = b","


def _json(value: object) -> bytes:
    return canonical_json(value).encode("utf-8")


def _node_maker(document: IdentifiedGraph, nodes: NodeTable, schema: Element | None) -> Maker[Element]:
    properties = _entities(nodes) if nodes.schema is None else _rows(nodes, nodes.schema.name, schema)

    def made(rows: IntArray) -> list[Element]:
        ids = document.node_ids(nodes.label, rows)
        return [
            {"id": id_, "properties": own, "type": nodes.label} for id_, own in zip(ids, properties(rows), strict=True)
        ]

    return made


def _entities(nodes: NodeTable) -> Maker[Element]:
    identity: Element = {} if nodes.identity is None else {"identity_type": nodes.identity}
    return lambda rows: [identity | fields for fields in row_objects(nodes.columns, rows)]


def _rows(nodes: NodeTable, table: str, schema: Element | None) -> Maker[Element]:
    first: Element = {"identity_key": list(nodes.identity_key)} if nodes.identity_key else {}
    first |= {"relational_schema": schema} if schema else {}

    def made(rows: IntArray) -> list[Element]:
        indexes = nodes.rows[rows].tolist()
        return [
            {"data": fields, **({} if row else first), "row_index": index, "table": table}
            for fields, row, index in zip(_present_fields(nodes, rows), rows.tolist(), indexes, strict=True)
        ]

    return made


def _present_fields(nodes: NodeTable, rows: IntArray) -> list[Element]:
    fields = row_objects(nodes.columns, rows)
    for name in nodes.absent:
        for offset in np.flatnonzero(~present(nodes, name)[rows]).tolist():
            del fields[offset][name]
    return fields


def _edge_maker(document: IdentifiedGraph, number: int) -> Maker[bytes]:
    edges = document.graph.edge_tables[number]
    if not (edges.mark.arrays or edges.mark.columns_held or edges.relocated):
        return _by_ids_alone(document, number)
    own, shared = document.edge_digests[number], edges.mark.properties()

    def made(rows: IntArray) -> list[bytes]:
        ids = hex_ids(EDGE_PREFIX, own[rows])
        sources = document.node_ids(edges.source_label, edges.sources[rows])
        targets = document.node_ids(edges.target_label, edges.targets[rows])
        return [
            _json({"id": id_, "properties": shared | each, "source": source, "target": target, "type": edges.type})
            for id_, each, source, target in zip(ids, _each_edge(document, edges, rows), sources, targets, strict=True)
        ]

    return made


def _by_ids_alone(document: IdentifiedGraph, number: int) -> Maker[bytes]:
    """Makes edges that differ by their ids alone: the text of one of them, with the digits of the others filled in.

    {"id":"edge_################","properties":{…},"source":"row_################","target":…
    """
    edges, own = document.graph.edge_tables[number], document.edge_digests[number]
    source_digests, target_digests = (
        document.node_digests[label] for label in (edges.source_label, edges.target_label)
    )
    nodes = [document.graph.node_tables[label] for label in (edges.source_label, edges.target_label)]
    places = [prefix + digit * 40 for prefix, digit in zip([EDGE_PREFIX, *map(node_prefix, nodes)], "012", strict=True)]
    shared = edges.mark.properties()
    example = _json(
        {"id": places[0], "properties": shared, "source": places[1], "target": places[2], "type": edges.type}
    )

    def made(rows: IntArray) -> list[bytes]:
        ids = (own[rows], source_digests[edges.sources[rows]], target_digests[edges.targets[rows]])
        return _filled(example, dict(zip(places, ids, strict=True)))

    return made


def _filled(example: bytes, ids: Mapping[str, Digests]) -> list[bytes]:
    """The text once for each row of the digests, whose digits stand in the place of those of an id."""
    rows = len(next(iter(ids.values())))
    texts = np.tile(np.frombuffer(example, np.uint8), (rows, 1))
    for place, digests in ids.items():
        digits = np.frombuffer(digests.tobytes().hex().encode(), np.uint8).reshape(rows, -1)
        end = example.index(f'"{place}"'.encode()) + 1 + len(place)
        texts[:, end - digits.shape[1] : end] = digits
    whole, width = texts.tobytes(), len(example)
    return [whole[at : at + width] for at in range(0, len(whole), width)]


def _each_edge(document: IdentifiedGraph, edges: EdgeTable, rows: IntArray) -> list[Element]:
    """What differs from edge to edge."""
    each = edges.mark.json_values(rows, document.graph, document.node_digests)
    for moved in edges.relocated:
        label, ends = edge_end(edges, moved)
        fields = {"column": moved.column, "end": moved.end, "property": moved.name}
        _, places, held = np.intersect1d(rows, moved.edges, assume_unique=True, return_indices=True)
        owners = document.node_ids(label, ends[rows[places]])
        for place, owner, value in zip(places.tolist(), owners, moved.values.take(held).to_list(), strict=True):
            each[place].setdefault("relocated_attributes", []).append({**fields, "row_id": owner, "value": value})
    return each
