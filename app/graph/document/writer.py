"""Writes construction_graph.v1 as a stream, in canonical form.

The file is the canonical JSON of the document with nodes and edges sorted by id, so that its SHA-256 is the
`final_graph_sha256` that anyone can recompute. Only one chunk of it exists as text at a time.
"""

import hashlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from app.graph.document.order import IdentifiedGraph, Maker
from app.graph.document.schema import schema_documents
from app.graph.model.identity import EDGE_PREFIX, hex_ids
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable
from app.graph.model.rows import edge_end, present
from app.tables.dictionary import IntArray
from app.tables.json_cells import json_cells, json_objects
from app.values import canonical_json

_ELEMENTS = 32_768
"""Nodes or edges that exist as texts at one time."""


def write_document(document: IdentifiedGraph, file: BinaryIO) -> str:
    """Write the graph and return the SHA-256 of what was written, its `final_graph_sha256`."""
    hasher = hashlib.sha256()
    for text in _texts(document):
        encoded = text.encode("utf-8")
        hasher.update(encoded)
        file.write(encoded)
    return hasher.hexdigest()


def _texts(document: IdentifiedGraph) -> Iterator[str]:
    graph = document.graph
    schemas, empty_tables = schema_documents(graph)
    nodes = [_node_renderer(document, table, schemas.get(label)) for label, table in graph.node_tables.items()]
    edges = [_edge_renderer(document, number) for number in range(len(graph.edge_tables))]
    yield '{"directed":true,"edges":['
    yield from _separated(document.edges(edges, _ELEMENTS))
    yield f'],"empty_tables":{canonical_json(empty_tables)},"nodes":[' if empty_tables else '],"nodes":['
    yield from _separated(document.nodes(nodes, _ELEMENTS))
    yield "]}"


def _separated(pieces: Iterator[list[str]]) -> Iterator[str]:
    separator = ""
    for texts in pieces:
        yield separator + ",".join(texts)
        separator = ","


def _node_renderer(document: IdentifiedGraph, nodes: NodeTable, schema: object) -> Maker[str]:
    label, first = canonical_json(nodes.label), canonical_json(schema) if schema else ""

    def render(rows: IntArray) -> list[str]:
        own, data = document.node_ids(nodes.label, rows), _data_texts(nodes, rows)
        if nodes.schema is None:
            return _entity_nodes(own, data, label, nodes.identity)
        return _row_nodes(own, data, rows, nodes, first)

    return render


def _data_texts(nodes: NodeTable, rows: IntArray) -> list[str]:
    """The JSON objects of the fields that stand on these nodes."""
    names = sorted(nodes.columns)
    cells = [json_cells(nodes.columns[name].take(rows)) for name in names]
    if not nodes.absent:
        return json_objects(names, cells, len(rows))
    heads = [canonical_json(name) for name in names]
    there = [present(nodes, name)[rows].tolist() for name in names]
    return [
        "{" + ",".join(f"{head}:{cell}" for head, cell, is_there in zip(heads, *row, strict=True) if is_there) + "}"
        for row in zip(zip(*cells, strict=True), zip(*there, strict=True), strict=True)
    ]


def _entity_nodes(ids: list[str], data: list[str], label: str, identity: str | None) -> list[str]:
    """An entity's properties are its value, and the type of its identity if it was renamed."""
    mark = "" if identity is None else f'"identity_type":{canonical_json(identity)},'
    return [
        f'{{"id":"{own}","properties":{{{mark}{fields[1:]},"type":{label}}}'
        for own, fields in zip(ids, data, strict=True)
    ]


def _row_nodes(ids: list[str], data: list[str], rows: IntArray, nodes: NodeTable, schema: str) -> list[str]:
    assert nodes.schema is not None, "rows have a schema"
    table, label = canonical_json(nodes.schema.name), canonical_json(nodes.label)
    key = f'"identity_key":{canonical_json(nodes.identity_key)},' if nodes.identity_key else ""
    is_first = (rows == 0).tolist()
    marks = [(key, f'"relational_schema":{schema},') if schema and first else ("", "") for first in is_first]
    return [
        f'{{"id":"{own}","properties":{{"data":{fields},{mark[0]}{mark[1]}"row_index":{row},"table":{table}}}'
        f',"type":{label}}}'
        for own, fields, mark, row in zip(ids, data, marks, nodes.rows[rows].tolist(), strict=True)
    ]


def _edge_renderer(document: IdentifiedGraph, number: int) -> Maker[str]:
    edges, own = document.graph.edge_tables[number], document.edge_digests[number]
    type_ = canonical_json(edges.type)

    def render(rows: IntArray) -> list[str]:
        sources = document.node_ids(edges.source_label, edges.sources[rows])
        targets = document.node_ids(edges.target_label, edges.targets[rows])
        marks = _mark_texts(document, edges, rows)
        return [
            f'{{"id":"{i}","properties":{m},"source":"{s}","target":"{t}","type":{type_}}}'
            for i, m, s, t in zip(hex_ids(EDGE_PREFIX, own[rows]), marks, sources, targets, strict=True)
        ]

    return render


def _mark_texts(document: IdentifiedGraph, edges: EdgeTable, rows: IntArray) -> list[str]:
    """The JSON objects of the edges' properties: what all share, what each has, and relocated fields."""
    each = edges.mark.json_fields(rows, document.graph, document.node_digests)
    if edges.relocated:
        each["relocated_attributes"] = _relocated_texts(document, edges, rows)
    shared = {name: canonical_json(value) for name, value in edges.mark.properties().items()}
    if not each:
        return [json_objects(sorted(shared), [[shared[name]] for name in sorted(shared)], 1)[0]] * len(rows)
    texts = {name: [text] * len(rows) for name, text in shared.items()} | each
    names = sorted(texts)
    if not edges.relocated:
        return json_objects(names, [texts[name] for name in names], len(rows))
    heads = [canonical_json(name) for name in names]
    return [
        "{" + ",".join(f"{head}:{cell}" for head, cell in zip(heads, row, strict=True) if cell) + "}"
        for row in zip(*(texts[name] for name in names), strict=True)
    ]


def _relocated_texts(document: IdentifiedGraph, edges: EdgeTable, rows: IntArray) -> list[str]:
    """For each edge the JSON array of the fields that it holds for its rows, "" if it holds none."""
    entries: list[list[str]] = [[] for _ in rows]
    for moved in edges.relocated:
        label, ends = edge_end(edges, moved)
        at = np.searchsorted(moved.edges, rows)
        here = np.flatnonzero(moved.edges[np.minimum(at, len(moved.edges) - 1)] == rows)
        head = canonical_json({"column": moved.column, "end": moved.end, "property": moved.name})[:-1]
        owners = document.node_ids(label, ends[rows[here]])
        cells = json_cells(moved.values.take(at[here]))
        for place, owner, cell in zip(here.tolist(), owners, cells, strict=True):
            entries[place].append(f'{head},"row_id":"{owner}","value":{cell}}}')
    return ["[" + ",".join(own) + "]" if own else "" for own in entries]
