"""Writes construction_graph.v1 as a stream, in canonical form.

The file is the canonical JSON of the document with nodes and edges sorted by id, so that its SHA-256 is the
`final_graph_sha256` that anyone can recompute. Only one chunk of it exists as text at a time.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

import numpy as np

from app.budget import check_deadline
from app.graph.identity import EDGE_PREFIX, Digests, edge_digests, hex_ids, node_digests, node_prefix, sort_order
from app.graph.json_cells import chunks, json_cells
from app.graph.marks import EdgeMark, ExtractedAttributeMark, ForeignKeyMark, MaterializedPathMark
from app.graph.property_graph import EdgeTable, NodeTable, PropertyGraph
from app.graph.schema_document import schema_to_document
from app.tables.dictionary import IntArray
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
    """For each row table's label the JSON of its schema; the first table with rows also carries the empty ones."""
    rows = [(position, nodes) for position, nodes in enumerate(n for n in graph.node_tables.values() if n.is_rows)]
    documents = {nodes.label: schema_to_document(nodes.schema, position) for position, nodes in rows if nodes.schema}
    empty = [documents.pop(nodes.label) for _, nodes in rows if nodes.count == 0]
    if empty and documents:
        next(iter(documents.values()))["empty_tables"] = empty
    return {label: canonical_json(document) for label, document in documents.items()}


def _node_renderer(nodes: NodeTable, ids: Digests, schema: str | None) -> Renderer:
    names = sorted(nodes.columns)
    fields = _template({name: "%s" for name in names})
    prefix, label = node_prefix(nodes), canonical_json(nodes.label)

    def render(rows: IntArray) -> list[str]:
        own = hex_ids(prefix, ids[rows])
        cells = [json_cells(nodes.columns[name].take(rows)) for name in names]
        data = list(map(fields.__mod__, zip(*cells, strict=True))) if names else ["{}"] * len(rows)
        if nodes.schema is None:
            return [f'{{"id":"{i}","properties":{d},"type":{label}}}' for i, d in zip(own, data, strict=True)]
        return _row_nodes(own, data, rows, canonical_json(nodes.schema.name), label, schema)

    return render


def _row_nodes(
    ids: list[str], data: list[str], rows: IntArray, table: str, label: str, schema: str | None
) -> list[str]:
    positions = rows.tolist()
    marks = [f'"relational_schema":{schema},' if schema and row == 0 else "" for row in positions]
    return [
        f'{{"id":"{own}","properties":{{"data":{fields},{mark}"row_index":{row},"table":{table}}},"type":{label}}}'
        for own, fields, mark, row in zip(ids, data, marks, positions, strict=True)
    ]


def _template(fields: Mapping[str, str]) -> str:
    """A JSON object as a %-template whose values are holes."""
    parts = (f"{canonical_json(name).replace('%', '%%')}:{hole}" for name, hole in fields.items())
    return "{" + ",".join(parts) + "}"


def _edge_renderer(edges: EdgeTable, own: Digests, graph: PropertyGraph, ids: Mapping[str, Digests]) -> Renderer:
    source_prefix = node_prefix(graph.node_tables[edges.source_label])
    target_prefix = node_prefix(graph.node_tables[edges.target_label])
    type_ = canonical_json(edges.type)

    def render(rows: IntArray) -> list[str]:
        sources = hex_ids(source_prefix, ids[edges.source_label][edges.sources[rows]])
        targets = hex_ids(target_prefix, ids[edges.target_label][edges.targets[rows]])
        marks = _mark_texts(edges.mark, rows, graph, ids)
        return [
            f'{{"id":"{i}","properties":{m},"source":"{s}","target":"{t}","type":{type_}}}'
            for i, m, s, t in zip(hex_ids(EDGE_PREFIX, own[rows]), marks, sources, targets, strict=True)
        ]

    return render


def _mark_texts(mark: EdgeMark, rows: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]) -> list[str]:
    if isinstance(mark, MaterializedPathMark):
        return _path_texts(mark, rows, graph, ids)
    return [canonical_json(mark_document(mark))] * len(rows)


def mark_document(mark: ForeignKeyMark | ExtractedAttributeMark) -> dict[str, object]:
    """The edge properties of a mark that is the same on all edges of its table."""
    if isinstance(mark, ForeignKeyMark):
        return {"foreign_key": mark.foreign_key.to_dict()}
    return {"extracted_attribute": {"table": mark.table, "column": mark.column}}


def _path_texts(
    mark: MaterializedPathMark, rows: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]
) -> list[str]:
    path = canonical_json([step.to_dict() for step in mark.path])
    labels = [graph.rows_of(step.target_table) for step in mark.path[:-1]]
    inner = [
        hex_ids(node_prefix(nodes), ids[nodes.label][at[rows]])
        for nodes, at in zip(labels, mark.inner_nodes, strict=True)
    ]
    return [f'{{"node_ids":{canonical_json(nodes)},"path":{path}}}' for nodes in zip(*inner, strict=True)]
