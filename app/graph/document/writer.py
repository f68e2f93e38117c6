"""Writes construction_graph.v1 as a stream, in canonical form.

The file is the canonical JSON of the document with nodes and edges sorted by id, so that its SHA-256 is the
`final_graph_sha256` that anyone can recompute. Only one chunk of it exists as text at a time.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

import numpy as np

from app.budget import check_deadline
from app.graph.document.schema import schema_to_document
from app.graph.model.edge_key import Digests
from app.graph.model.identity import (
    EDGE_PREFIX,
    ROW_PREFIX,
    edge_digests,
    hex_ids,
    node_digests,
    node_prefix,
    sort_order,
)
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import edge_end, present
from app.tables.dictionary import IntArray
from app.tables.json_cells import chunks, json_cells, json_objects
from app.values import canonical_json

Renderer = Callable[[IntArray], list[str]]
"""Renders the elements at these row offsets of one table."""


def write_document(graph: PropertyGraph, file: BinaryIO) -> str:
    """Write the graph and return the SHA-256 of what was written."""
    hasher = hashlib.sha256()
    for text in _document(graph):
        encoded = text.encode("utf-8")
        hasher.update(encoded)
        file.write(encoded)
    return hasher.hexdigest()


def graph_sha256(graph: PropertyGraph) -> str:
    """The `final_graph_sha256` of a graph."""
    hasher = hashlib.sha256()
    for text in _document(graph):
        hasher.update(text.encode("utf-8"))
    return hasher.hexdigest()


def _document(graph: PropertyGraph) -> Iterator[str]:
    ids = {label: node_digests(nodes) for label, nodes in graph.node_tables.items()}
    yield '{"directed":true,"edges":['
    yield from _edges(graph, ids)
    yield '],"nodes":['
    yield from _nodes(graph, ids)
    yield "]}"


def _nodes(graph: PropertyGraph, ids: Mapping[str, Digests]) -> Iterator[str]:
    schemas = _first_row_schemas(graph)
    tables = list(graph.node_tables.values())
    renderers = [_node_renderer(nodes, ids[nodes.label], schemas.get(nodes.label)) for nodes in tables]
    return _sorted_elements([node_prefix(nodes) for nodes in tables], [ids[n.label] for n in tables], renderers)


def _edges(graph: PropertyGraph, ids: Mapping[str, Digests]) -> Iterator[str]:
    digests = [edge_digests(edges, graph, ids) for edges in graph.edge_tables]
    renderers = [_edge_renderer(edges, own, graph, ids) for edges, own in zip(graph.edge_tables, digests, strict=True)]
    return _sorted_elements([EDGE_PREFIX] * len(digests), digests, renderers)


def _sorted_elements(prefixes: list[str], digests: list[Digests], renderers: list[Renderer]) -> Iterator[str]:
    tables, rows = sort_order(prefixes, digests)
    separator = ""
    for positions in chunks(np.arange(len(tables))):
        check_deadline()
        yield separator + ",".join(_rendered(tables[positions], rows[positions], renderers))
        separator = ","


def _rendered(tables: IntArray, rows: IntArray, renderers: list[Renderer]) -> list[str]:
    elements = np.empty(len(tables), object)
    for table in np.unique(tables).tolist():
        mine = tables == table
        elements[mine] = renderers[table](rows[mine])
    return list(elements.tolist())


def _first_row_schemas(graph: PropertyGraph) -> dict[str, str]:
    """For each row table's label the JSON of its schema; the first table with nodes also carries those without."""
    rows = [(position, nodes) for position, nodes in enumerate(n for n in graph.node_tables.values() if n.is_rows)]
    documents = {nodes.label: schema_to_document(nodes.schema, position) for position, nodes in rows if nodes.schema}
    empty = [documents.pop(nodes.label) for _, nodes in rows if nodes.count == 0]
    if empty and documents:
        next(iter(documents.values()))["empty_tables"] = empty
    return {label: canonical_json(document) for label, document in documents.items()}


def _node_renderer(nodes: NodeTable, ids: Digests, schema: str | None) -> Renderer:
    prefix, label = node_prefix(nodes), canonical_json(nodes.label)

    def render(rows: IntArray) -> list[str]:
        own = hex_ids(prefix, ids[rows])
        data = _data_texts(nodes, rows)
        if nodes.schema is None:
            return _entity_nodes(own, data, label, nodes.identity)
        return _row_nodes(own, data, rows, nodes, schema)

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
    """An entity's properties are its value, and the type of its identity where it was renamed."""
    mark = "" if identity is None else f'"identity_type":{canonical_json(identity)},'
    return [
        f'{{"id":"{own}","properties":{{{mark}{fields[1:]},"type":{label}}}'
        for own, fields in zip(ids, data, strict=True)
    ]


def _row_nodes(ids: list[str], data: list[str], rows: IntArray, nodes: NodeTable, schema: str | None) -> list[str]:
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


def _edge_renderer(edges: EdgeTable, own: Digests, graph: PropertyGraph, ids: Mapping[str, Digests]) -> Renderer:
    source_prefix = node_prefix(graph.node_tables[edges.source_label])
    target_prefix = node_prefix(graph.node_tables[edges.target_label])
    type_ = canonical_json(edges.type)

    def render(rows: IntArray) -> list[str]:
        sources = hex_ids(source_prefix, ids[edges.source_label][edges.sources[rows]])
        targets = hex_ids(target_prefix, ids[edges.target_label][edges.targets[rows]])
        marks = _mark_texts(edges, rows, graph, ids)
        return [
            f'{{"id":"{i}","properties":{m},"source":"{s}","target":"{t}","type":{type_}}}'
            for i, m, s, t in zip(hex_ids(EDGE_PREFIX, own[rows]), marks, sources, targets, strict=True)
        ]

    return render


def _mark_texts(edges: EdgeTable, rows: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]) -> list[str]:
    """The JSON objects of the edges' properties: what all share, what each has, and relocated fields."""
    each = edges.mark.json_fields(rows, graph, ids)
    if edges.relocated:
        each["relocated_attributes"] = _relocated_texts(edges, rows, ids)
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


def _relocated_texts(edges: EdgeTable, rows: IntArray, ids: Mapping[str, Digests]) -> list[str]:
    """For each edge the JSON array of the fields that it holds for its rows, "" where it holds none."""
    entries: list[list[str]] = [[] for _ in rows]
    for moved in edges.relocated:
        label, ends = edge_end(edges, moved)
        at = np.searchsorted(moved.edges, rows)
        here = np.flatnonzero(moved.edges[np.minimum(at, len(moved.edges) - 1)] == rows)
        head = canonical_json({"column": moved.column, "end": moved.end, "property": moved.name})[:-1]
        owners = hex_ids(ROW_PREFIX, ids[label][ends[rows[here]]])
        cells = json_cells(moved.values.take(at[here]))
        for place, owner, cell in zip(here.tolist(), owners, cells, strict=True):
            entries[place].append(f'{head},"row_id":"{owner}","value":{cell}}}')
    return ["[" + ",".join(own) + "]" if own else "" for own in entries]
