"""Reads construction_graph.v1 back into columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from app.errors import GraphInvalidError, NotFoundError
from app.graph.entities import entities_in_row_order
from app.graph.g0 import foreign_key_types
from app.graph.identity import node_digests
from app.graph.json_stream import JsonStream
from app.graph.marks import EdgeMark, ExtractedAttributeMark, ForeignKeyMark, MaterializedPathMark, PathStep
from app.graph.property_graph import ENTITY_VALUE, EdgeTable, NodeTable, PropertyGraph
from app.graph.schema_document import foreign_key_from_document, schema_from_document
from app.tables.column import Column, column_of, concatenated
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey, TableSchema
from app.values import canonical_json, is_finite_scalar

_PENDING = 65_536
"""Cells kept as Python objects before they become a piece of a column."""


def read_document(path: Path) -> PropertyGraph:
    """The graph of a construction_graph.v1 file; `GraphInvalidError` where it contradicts itself."""
    try:
        with path.open(encoding="utf-8") as file:
            return _Reader().read(JsonStream(file))
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no graph document {path}.", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise GraphInvalidError(f"{path} is not UTF-8.", file=str(path)) from error


@dataclass
class _Nodes:
    """The nodes of one type as they arrive."""

    table: str | None
    ids: list[str] = field(default_factory=list)
    row_indexes: list[int] = field(default_factory=list)
    pending: dict[str, list[Any]] = field(default_factory=dict)
    pieces: dict[str, list[Column]] = field(default_factory=dict)

    def add(self, id_: str, row_index: int, data: Mapping[str, Any]) -> None:
        self.ids.append(id_)
        self.row_indexes.append(row_index)
        if not self.pending and len(self.ids) == 1:
            self.pending = {name: [] for name in data}
        if data.keys() != self.pending.keys():
            _fail(f"Node {id_} has other fields than the first node of its type.")
        for name, value in data.items():
            if not is_finite_scalar(value):
                _fail(f"Field {name} of node {id_} is not a finite scalar.")
            self.pending[name].append(value)
        if len(self.ids) % _PENDING == 0:
            self.flush()

    def flush(self) -> None:
        for name, values in self.pending.items():
            self.pieces.setdefault(name, []).append(column_of(values))
            self.pending[name] = []

    def columns(self, order: IntArray) -> dict[str, Column]:
        self.flush()
        return {name: concatenated(pieces).take(order) for name, pieces in self.pieces.items()}


@dataclass
class _Edges:
    """The edges of one type and mark as they arrive, by node id."""

    type: str
    mark: Mapping[str, Any]
    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    inner: list[list[str]] = field(default_factory=list)


class _Reader:
    def __init__(self) -> None:
        self._nodes: dict[str, _Nodes] = {}
        self._edges: dict[str, _Edges] = {}
        self._schemas: dict[int, TableSchema] = {}

    def read(self, stream: JsonStream) -> PropertyGraph:
        for key in stream.members():
            if key == "nodes":
                for node in stream.elements():
                    self._add_node(node)
            elif key == "edges":
                for edge in stream.elements():
                    self._add_edge(edge)
            elif key != "directed" or stream.value() is not True:
                _fail(f"The document's member {key!r} is not known here.")
        return self._graph()

    def _add_node(self, node: Any) -> None:
        try:
            label, id_, properties = node["type"], node["id"], node["properties"]
            if "table" in properties:
                self._add_schema(properties.get("relational_schema"))
                group = self._nodes.setdefault(label, _Nodes(properties["table"]))
                group.add(id_, properties["row_index"], properties["data"])
            else:
                group = self._nodes.setdefault(label, _Nodes(None))
                group.add(id_, len(group.ids), {ENTITY_VALUE: properties[ENTITY_VALUE]})
        except (KeyError, TypeError, AttributeError) as error:
            _fail(f"A node is malformed: {error!r}.")

    def _add_schema(self, document: Any) -> None:
        if document is None:
            return
        for part in (document, *document.get("empty_tables", ())):
            position, schema = schema_from_document(part)
            self._schemas[position] = schema

    def _add_edge(self, edge: Any) -> None:
        try:
            properties = dict(edge["properties"])
            inner = properties.pop("node_ids", None)
            key = canonical_json([edge["type"], properties])
            group = self._edges.setdefault(key, _Edges(edge["type"], properties))
            group.sources.append(edge["source"])
            group.targets.append(edge["target"])
            if inner is not None:
                group.inner.append(inner)
        except (KeyError, TypeError) as error:
            _fail(f"An edge is malformed: {error!r}.")

    def _graph(self) -> PropertyGraph:
        nodes, offsets = self._node_tables()
        schemas = [schema for _, schema in sorted(self._schemas.items())]
        edges = _in_order([_edge_table(group, offsets) for group in self._edges.values()], schemas, nodes)
        graph = PropertyGraph(nodes, edges)
        _check_identities(graph, self._nodes)
        return entities_in_row_order(graph)

    def _node_tables(self) -> tuple[dict[str, NodeTable], dict[str, tuple[str, int]]]:
        """Node tables (rows in their tables' order, then entities), and where each node id went."""
        schemas = {schema.name: schema for _, schema in sorted(self._schemas.items())}
        labels = {group.table: label for label, group in self._nodes.items() if group.table is not None}
        tables = {
            labels.get(name, name): _row_table(schema, labels.get(name, name), self._nodes.get(labels.get(name, name)))
            for name, schema in schemas.items()
        }
        offsets: dict[str, tuple[str, int]] = {}
        for label, group in self._nodes.items():
            if group.table is None:
                tables[label] = NodeTable(label, len(group.ids), group.columns(np.arange(len(group.ids))))
            elif label not in tables:
                _fail(f"Table {group.table} has rows and no relational_schema.")
            _place(group, label, offsets)
        return _entities_sorted(tables), offsets


def _entities_sorted(tables: dict[str, NodeTable]) -> dict[str, NodeTable]:
    entities = sorted(label for label, nodes in tables.items() if not nodes.is_rows)
    return {label: n for label, n in tables.items() if n.is_rows} | {label: tables[label] for label in entities}


def _row_table(schema: TableSchema, label: str, group: _Nodes | None) -> NodeTable:
    if group is None:
        return NodeTable(label, 0, {name: column_of([]) for name in schema.column_names}, schema)
    order = np.argsort(np.array(group.row_indexes), kind="stable")
    if not np.array_equal(np.array(group.row_indexes)[order], np.arange(len(order))):
        _fail(f"The row_index values of table {schema.name} are not 0, 1, 2, … once each.")
    columns = group.columns(order)
    if columns.keys() != set(schema.column_names):
        _fail(f"The rows of table {schema.name} do not have the columns of its schema.")
    return NodeTable(label, len(order), {name: columns[name] for name in schema.column_names}, schema)


def _place(group: _Nodes, label: str, offsets: dict[str, tuple[str, int]]) -> None:
    for id_, row in zip(group.ids, group.row_indexes, strict=True):
        if id_ in offsets:
            _fail(f"Node id {id_} stands twice.")
        offsets[id_] = (label, row)


def _edge_table(group: _Edges, offsets: Mapping[str, tuple[str, int]]) -> EdgeTable:
    source_label, sources = _resolved(group.sources, offsets)
    target_label, targets = _resolved(group.targets, offsets)
    inner = [_resolved(list(ids), offsets)[1] for ids in zip(*group.inner, strict=True)]
    mark = _mark(group.mark, inner)
    order = np.lexsort((targets, *reversed(inner), sources))
    if isinstance(mark, MaterializedPathMark):
        mark = MaterializedPathMark(mark.path, tuple(nodes[order] for nodes in inner))
    return EdgeTable(group.type, source_label, target_label, sources[order], targets[order], mark)


def _resolved(ids: list[str], offsets: Mapping[str, tuple[str, int]]) -> tuple[str, IntArray]:
    """The one label and the row offsets of these node ids."""
    try:
        places = [offsets[id_] for id_ in ids]
    except KeyError as error:
        _fail(f"An edge ends at node {error.args[0]}, which does not exist.")
    labels = {label for label, _ in places}
    if len(labels) != 1:
        _fail(f"Edges of one type and mark end at nodes of several types: {', '.join(sorted(labels))}.")
    return labels.pop(), np.fromiter((row for _, row in places), np.int64, len(places))


def _mark(properties: Mapping[str, Any], inner: list[IntArray]) -> EdgeMark:
    try:
        if "foreign_key" in properties:
            return ForeignKeyMark(foreign_key_from_document(properties["foreign_key"]))
        if "extracted_attribute" in properties:
            attribute = properties["extracted_attribute"]
            return ExtractedAttributeMark(attribute["table"], attribute["column"])
        return MaterializedPathMark(tuple(_step(step) for step in properties["path"]), tuple(inner))
    except (KeyError, TypeError) as error:
        _fail(f"An edge's properties are malformed: {error!r}.")


def _step(document: Mapping[str, Any]) -> PathStep:
    return PathStep(foreign_key_from_document(document), document["direction"] == "forward")


def _in_order(
    edges: list[EdgeTable], schemas: list[TableSchema], nodes: Mapping[str, NodeTable]
) -> tuple[EdgeTable, ...]:
    """Foreign keys in declaration order (also those without an edge), then attributes and paths."""
    declared = {edge.mark.foreign_key: edge for edge in edges if isinstance(edge.mark, ForeignKeyMark)}
    labels = {table.schema.name: label for label, table in nodes.items() if table.schema}
    keys = [
        declared.get(key) or _without_edges(key, name, labels)
        for schema in schemas
        for key, name in foreign_key_types(schema).items()
    ]
    others = sorted((e for e in edges if not isinstance(e.mark, ForeignKeyMark)), key=_document_order)
    return (*keys, *others)


def _without_edges(key: ForeignKey, name: str, labels: Mapping[str, str]) -> EdgeTable:
    none = np.empty(0, np.int64)
    return EdgeTable(name, labels[key.table], labels[key.ref_table], none, none, ForeignKeyMark(key))


def _document_order(edges: EdgeTable) -> tuple[bool, str, str]:
    mark = edges.mark
    shown = repr(mark.path) if isinstance(mark, MaterializedPathMark) else repr(mark)
    return isinstance(mark, MaterializedPathMark), edges.type, shown


def _check_identities(graph: PropertyGraph, groups: Mapping[str, _Nodes]) -> None:
    """Every node id must be the one that its content derives."""
    for label, group in groups.items():
        derived = node_digests(graph.node_tables[label]).tobytes().hex()
        for id_, row in zip(group.ids, group.row_indexes, strict=True):
            if id_.rpartition("_")[2] != derived[40 * row : 40 * row + 40]:
                _fail(f"Node id {id_} does not fit its table and key.")


def _fail(message: str) -> NoReturn:
    raise GraphInvalidError(message)
