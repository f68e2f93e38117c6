"""Reads construction_graph.v1 back into columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from app.errors import GraphInvalidError, NotFoundError
from app.errors.wording import fault_of
from app.graph.checks.canonical import canonical, table_order
from app.graph.checks.unique_ids import identity_errors
from app.graph.document.edges import EdgeGroup, add_edge, edge_table
from app.graph.document.json_stream import JsonStream
from app.graph.document.schema import check_schemas, schema_from_document
from app.graph.g0 import foreign_key_types
from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.edge_documents import text_of
from app.graph.model.edge_key import Digests
from app.graph.model.identity import EDGE_PREFIX, edge_digests, hex_ids, node_digests, node_prefix
from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import foreign_key_pointers, resolve_rows
from app.tables.column import Column, Kind, column_of, concatenated, null_column
from app.tables.dictionary import BoolArray, IntArray
from app.tables.schema import ForeignKey, TableSchema
from app.values import is_finite_scalar

_PENDING = 65_536
"""Cells kept as Python objects before they become a piece of a column."""


_MOST_ROWS = 1 << 40

_NAMES = ("table", "identity_type")


def read_document(path: Path) -> PropertyGraph:
    """The graph of a construction_graph.v1 file; `GraphInvalidError` if it contradicts itself."""
    try:
        with path.open(encoding="utf-8") as file:
            return _Reader().read(JsonStream(file))
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no graph document {path}.", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise GraphInvalidError(f"{path} is not UTF-8.", file=str(path)) from error


@dataclass
class _Nodes:
    """The nodes of one type as they arrive; `absent` has the numbers of those that lack a field."""

    table: str | None
    identity: str | None = None
    identity_key: tuple[str, ...] = ()
    ids: list[str] = field(default_factory=list)
    row_indexes: list[int] = field(default_factory=list)
    pending: dict[str, list[Any]] = field(default_factory=dict)
    pieces: dict[str, list[Column]] = field(default_factory=dict)
    absent: dict[str, list[int]] = field(default_factory=dict)
    flushed: int = 0

    def add(self, id_: str, row_index: int, data: Mapping[str, Any]) -> None:
        number = len(self.ids)
        if type(row_index) is not int or not 0 <= row_index < _MOST_ROWS:
            _fail(f"The row_index of node {id_} is not 0, 1, 2, …")
        self.ids.append(id_)
        self.row_indexes.append(row_index)
        if data.keys() != self.pending.keys():
            self._add_fields(number, data)
        for name, values in self.pending.items():
            value = data.get(name)
            if not is_finite_scalar(value):
                _fail(f"Field {name} of node {id_} is not a finite scalar.")
            values.append(value)
        if len(self.ids) % _PENDING == 0:
            self.flush()

    def _add_fields(self, number: int, data: Mapping[str, Any]) -> None:
        for name in data.keys() - self.pending.keys():
            self.pending[name] = [None] * (number - self.flushed)
            self.pieces[name] = [null_column(self.flushed, Kind.INT64)] if self.flushed else []
            self.absent[name] = list(range(number))
        for name in self.pending.keys() - data.keys():
            self.absent[name].append(number)

    def flush(self) -> None:
        for name, values in self.pending.items():
            self.pieces[name].append(column_of(values))
            self.pending[name] = []
        self.flushed = len(self.ids)

    def columns(self, order: IntArray) -> dict[str, Column]:
        self.flush()
        return {name: concatenated(pieces).take(order) for name, pieces in self.pieces.items()}

    def absent_masks(self, order: IntArray) -> dict[str, BoolArray]:
        masks = {}
        for name, numbers in self.absent.items():
            if numbers:
                mask = np.zeros(len(self.ids), np.bool_)
                mask[numbers] = True
                masks[name] = mask[order]
        return masks


class _Reader:
    def __init__(self) -> None:
        self._nodes: dict[str, _Nodes] = {}
        self._edges: dict[str, EdgeGroup] = {}
        self._schemas: dict[int, TableSchema] = {}

    def read(self, stream: JsonStream) -> PropertyGraph:
        for key in stream.members():
            if key == "nodes":
                for node in stream.elements():
                    self._add_node(node)
            elif key == "edges":
                for edge in stream.elements():
                    add_edge(self._edges, edge)
            elif key == "empty_tables":
                for schema in stream.elements():
                    self._add_schema(schema)
            elif key != "directed" or stream.value() is not True:
                _fail(f"The document's member {key!r} is not known here.")
        return self._graph()

    def _add_node(self, node: Any) -> None:
        try:
            label, id_, properties = text_of(node["type"]), text_of(node["id"]), node["properties"]
            table, identity = (None if value is None else text_of(value) for value in map(properties.get, _NAMES))
            group = self._nodes.setdefault(label, _Nodes(table, identity))
            if group.table != table:
                _fail(f"Nodes of type {label} are rows of several tables.")
            if table is None:
                group.add(id_, len(group.ids), {ENTITY_VALUE: properties[ENTITY_VALUE]})
            else:
                self._add_schema(properties.get("relational_schema"))
                group.identity_key = tuple(map(text_of, properties.get("identity_key", group.identity_key)))
                group.add(id_, properties["row_index"], properties["data"])
        except (KeyError, TypeError, AttributeError) as error:
            _fail(f"A node is malformed: {fault_of(error)}.")

    def _add_schema(self, document: Any) -> None:
        if document is None:
            return
        for part in (document, *document.get("empty_tables", ())):
            position, schema = schema_from_document(part)
            self._schemas[position] = schema

    def _graph(self) -> PropertyGraph:
        schemas = [schema for _, schema in sorted(self._schemas.items())]
        check_schemas(schemas)
        nodes, nodes_by_id = self._node_tables()
        groups = [part for group in self._edges.values() for part in group.by_node_types(nodes_by_id)]
        edges = [edge_table(group, nodes, nodes_by_id) for group in groups]
        _check_identities(PropertyGraph(nodes, tuple(edges)), self._nodes, groups, nodes_by_id)
        graph = canonical(PropertyGraph(nodes, _in_order(edges, schemas, nodes)))
        _check_rows(graph)
        for problem in identity_errors(graph, checked=None):
            _fail(problem)
        return graph

    def _node_tables(self) -> tuple[dict[str, NodeTable], dict[str, tuple[str, int]]]:
        """Node tables (rows in their tables' order, then entities), and where each node id went."""
        labels: dict[str, str] = {}
        for label, group in self._nodes.items():
            if group.table is not None and labels.setdefault(group.table, label) != label:
                _fail(f"The rows of table {group.table} have several node types.")
        tables: dict[str, NodeTable] = {}
        nodes_by_id: dict[str, tuple[str, int]] = {}
        for _, schema in sorted(self._schemas.items()):
            label = labels.pop(schema.name, schema.name)
            tables[label] = _row_table(schema, label, self._nodes.get(label), nodes_by_id)
        if labels:
            _fail(f"Table {next(iter(labels))} has rows and no relational_schema.")
        for label, group in sorted(self._nodes.items()):
            if group.table is None:
                tables[label] = _entity_table(label, group, nodes_by_id)
        return tables, nodes_by_id


def _entity_table(label: str, group: _Nodes, nodes_by_id: dict[str, tuple[str, int]]) -> NodeTable:
    order = np.arange(len(group.ids))
    _place(group, label, order, nodes_by_id)
    return NodeTable(label, len(group.ids), group.columns(order), identity=group.identity)


def _row_table(
    schema: TableSchema, label: str, group: _Nodes | None, nodes_by_id: dict[str, tuple[str, int]]
) -> NodeTable:
    if group is None:
        return NodeTable(label, 0, {name: column_of([]) for name in schema.column_names}, schema)
    order = np.argsort(np.array(group.row_indexes), kind="stable")
    _place(group, label, order, nodes_by_id)
    columns = group.columns(order)
    if not columns.keys() <= set(schema.column_names):
        _fail(f"The rows of table {schema.name} have other fields than its schema.")
    if not set(schema.primary_key) <= columns.keys():
        _fail(f"The rows of table {schema.name} have lost a field of their key.")
    return NodeTable(
        label,
        len(order),
        {name: columns[name] for name in schema.column_names if name in columns},
        schema,
        np.array(group.row_indexes, np.int64)[order],
        group.absent_masks(order),
        group.identity_key,
    )


def _place(group: _Nodes, label: str, order: IntArray, nodes_by_id: dict[str, tuple[str, int]]) -> None:
    """Note where each node of a type goes; `order` has their numbers in the order of the node table."""
    for offset, number in enumerate(order.tolist()):
        if group.ids[number] in nodes_by_id:
            _fail(f"Node id {group.ids[number]} stands twice.")
        nodes_by_id[group.ids[number]] = (label, offset)


def _in_order(
    edges: list[EdgeTable], schemas: list[TableSchema], nodes: Mapping[str, NodeTable]
) -> tuple[EdgeTable, ...]:
    """Foreign keys in declaration order (also those without an edge), then attributes, joins and paths."""
    declared = {edge.mark.reference: edge for edge in edges if edge.mark.reference}
    if len(declared) < sum(edge.mark.reference is not None for edge in edges):
        _fail("The edges of one foreign key have several types, or end at nodes of several types.")
    labels = {table.schema.name: label for label, table in nodes.items() if table.schema}
    keys = [
        declared.pop(key) if key in declared else _without_edges(key, name, labels)
        for schema in schemas
        for key, name in foreign_key_types(schema).items()
    ]
    if declared:
        _fail(f"No table declares the foreign key {next(iter(declared)).label}.")
    others = sorted((e for e in edges if e.mark.reference is None), key=table_order)
    return (*keys, *others)


def _without_edges(key: ForeignKey, name: str, labels: Mapping[str, str]) -> EdgeTable:
    none = np.empty(0, np.int64)
    return EdgeTable(name, labels[key.table], labels[key.ref_table], none, none, ForeignKeyMark(key))


def _check_identities(
    graph: PropertyGraph,
    nodes: Mapping[str, _Nodes],
    edges: list[EdgeGroup],
    nodes_by_id: Mapping[str, tuple[str, int]],
) -> None:
    """Every id must be the one that its content derives."""
    digests = {label: node_digests(table) for label, table in graph.node_tables.items()}
    for label, group in nodes.items():
        derived = hex_ids(node_prefix(graph.node_tables[label]), digests[label])
        for id_ in group.ids:
            if id_ != derived[nodes_by_id[id_][1]]:
                _fail(f"Node id {id_} does not fit its table and key.")
    for table, part in zip(graph.edge_tables, edges, strict=True):
        _check_edge_ids(part, hex_ids(EDGE_PREFIX, _edge_digests(table, graph, digests)))


def _edge_digests(edges: EdgeTable, graph: PropertyGraph, nodes: Mapping[str, Digests]) -> Digests:
    try:
        return edge_digests(edges, graph, nodes)
    except IndexError as error:
        raise GraphInvalidError(f"Edges {edges.type} run through nodes of other types than their mark says.") from error


def _check_edge_ids(group: EdgeGroup, derived: list[str]) -> None:
    for id_, expected in zip(group.ids, derived, strict=True):
        if id_ != expected:
            _fail(f"Edge id {id_} does not fit what it joins.")


def _check_rows(graph: PropertyGraph) -> None:
    """Every row and reference must be in one place, or in places that agree."""
    for schema in graph.row_tables:
        resolve_rows(graph, schema.name)
        for key in schema.foreign_keys:
            foreign_key_pointers(graph, key)


def _fail(message: str) -> NoReturn:
    raise GraphInvalidError(message)
