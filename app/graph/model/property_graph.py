"""The property graph in columns: node tables, edge tables with integer endpoints, copy on write.

A graph never changes. A candidate is a new `PropertyGraph` that shares every table and column that its
transformation left alone, so copying costs what the change costs.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from app.errors import GraphInvalidError
from app.graph.model.marks import (
    CollapsedRowMark,
    EdgeMark,
    ExtractedAttributeMark,
    ForeignKeyMark,
    MaterializedPathMark,
    RelocatedAttribute,
)
from app.tables.column import Column, concatenated
from app.tables.dictionary import BoolArray, IntArray
from app.tables.schema import ForeignKey, TableSchema
from app.values import canonical_sha256

ENTITY_VALUE = "value"
"""The one field of an attribute entity."""


@dataclass(frozen=True, eq=False)
class NodeTable:
    """All nodes of one type.

    `schema` is set where the nodes are source rows: node i is then row `row_index[i]` of that table (ascending; None:
    row i, since all rows are nodes), its columns are the row's fields. `absent` is True where a row's field is not on
    its node but elsewhere; a field that no node has is no column. `identity_key` is a proposed key. Entity tables have
    no schema and one column, `value`; `identity` is the type that their identities are made of, where they were
    renamed.
    """

    label: str
    count: int
    columns: Mapping[str, Column]
    schema: TableSchema | None = None
    row_index: IntArray | None = None
    absent: Mapping[str, BoolArray] = field(default_factory=dict)
    identity_key: tuple[str, ...] = ()
    identity: str | None = None

    @property
    def is_rows(self) -> bool:
        """Whether the nodes are source rows."""
        return self.schema is not None

    @property
    def rows(self) -> IntArray:
        """The row of each node."""
        return np.arange(self.count) if self.row_index is None else self.row_index

    @property
    def identity_type(self) -> str:
        """The type that an entity's identity is made of."""
        return self.identity or self.label

    @property
    def nbytes(self) -> int:
        """Bytes held by the columns."""
        held = sum(column.nbytes for column in self.columns.values())
        held += sum(mask.nbytes for mask in self.absent.values())
        return held + (0 if self.row_index is None else self.row_index.nbytes)

    def take(self, nodes: IntArray) -> "NodeTable":
        """These nodes alone (offsets, ascending)."""
        columns = {name: column.take(nodes) for name, column in self.columns.items()}
        absent = {name: mask[nodes] for name, mask in self.absent.items()}
        rows = self.rows[nodes] if self.is_rows else None
        return replace(self, count=len(nodes), columns=columns, absent=absent, row_index=rows)

    def without_field(self, name: str, nodes: BoolArray) -> "NodeTable":
        """The same nodes, where those of the mask `nodes` no longer hold a field."""
        column = self.columns[name]
        gone = nodes | self.absent.get(name, False)
        others = {other: held for other, held in self.columns.items() if other != name}
        absent = {other: mask for other, mask in self.absent.items() if other != name}
        if gone.all():
            return replace(self, columns=others, absent=absent)
        return replace(self, columns={**self.columns, name: column.cleared(gone)}, absent={**absent, name: gone})

    @cached_property
    def digest(self) -> str:
        """SHA-256 of label, schema and content."""
        columns = {name: column.digest() for name, column in self.columns.items()}
        absent = {name: np.flatnonzero(mask).tolist() for name, mask in self.absent.items() if mask.any()}
        rows = _hashed(self.rows) if self.is_rows else ""
        names = [self.label, self.identity_type, list(self.identity_key), repr(self.schema)]
        return canonical_sha256([names, self.count, columns, absent, rows])


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """All edges of one type between two node types under one mark; parallel edges and loops are kept.

    `sources` and `targets` are offsets of nodes in the node tables labelled `source_label` and `target_label`, int64,
    shape (edges,). `relocated` are fields that the edges hold for the rows at their ends.
    """

    type: str
    source_label: str
    target_label: str
    sources: IntArray
    targets: IntArray
    mark: EdgeMark
    relocated: tuple[RelocatedAttribute, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.sources, self.targets, *self.mark.arrays):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def nbytes(self) -> int:
        """Bytes held by endpoints, marks and fields."""
        held = self.sources.nbytes + self.targets.nbytes + sum(array.nbytes for array in self.mark.arrays)
        held += sum(column.nbytes for column in self.mark.columns_held.values())
        return held + sum(moved.edges.nbytes + moved.values.nbytes for moved in self.relocated)

    def take(self, edges: IntArray) -> "EdgeTable":
        """These edges alone (offsets), in this order."""
        place = np.full(len(self), -1, np.int64)
        place[edges] = np.arange(len(edges))
        moved = tuple(part for part in (_taken(moved, place) for moved in self.relocated) if len(part.edges))
        return replace(
            self,
            sources=self.sources[edges],
            targets=self.targets[edges],
            mark=self.mark.take(edges),
            relocated=moved,
        )

    def with_field(self, moved: RelocatedAttribute) -> "EdgeTable":
        """The same edges, some of which hold one more field of a row."""
        same = [part for part in self.relocated if part.key == moved.key]
        others = [part for part in self.relocated if part.key != moved.key]
        parts = [*same, moved]
        edges = np.concatenate([part.edges for part in parts])
        order = np.argsort(edges, kind="stable")
        values = concatenated([part.values for part in parts]).take(order)
        whole = replace(moved, edges=edges[order], values=values)
        return replace(self, relocated=tuple(sorted([*others, whole], key=lambda part: part.key)))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of type, endpoints, mark and fields."""
        names = [self.type, self.source_label, self.target_label, self.mark.properties()]
        columns = {name: column.digest() for name, column in self.mark.columns_held.items()}
        moved = [[part.table, *part.key, _hashed(part.edges), part.values.digest()] for part in self.relocated]
        hasher = hashlib.sha256(canonical_sha256([names, columns, sorted(moved)]).encode())
        for array in (self.sources, self.targets, *self.mark.arrays):
            hasher.update(np.ascontiguousarray(array).data)
        return hasher.hexdigest()


def _hashed(array: IntArray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()


def joined(tables: Sequence[EdgeTable]) -> EdgeTable:
    """One edge table of several that have type, node types and the properties of their marks in common."""
    first = tables[0]
    if len(tables) == 1:
        return first
    starts = np.cumsum([0, *map(len, tables)]).tolist()
    moved: dict[tuple[str, ...], list[RelocatedAttribute]] = {}
    for table, start in zip(tables, starts, strict=False):
        for part in table.relocated:
            moved.setdefault(part.key, []).append(replace(part, edges=part.edges + start))
    return replace(
        first,
        sources=np.concatenate([table.sources for table in tables]),
        targets=np.concatenate([table.targets for table in tables]),
        mark=first.mark.joined([table.mark for table in tables[1:]]),
        relocated=tuple(map(_joined_fields, moved.values())),
    )


def _joined_fields(parts: Sequence[RelocatedAttribute]) -> RelocatedAttribute:
    edges = np.concatenate([part.edges for part in parts])
    return replace(parts[0], edges=edges, values=concatenated([part.values for part in parts]))


def _taken(moved: RelocatedAttribute, place: IntArray) -> RelocatedAttribute:
    """The fields of the edges that have a new place."""
    edges = place[moved.edges]
    kept = np.flatnonzero(edges >= 0)
    order = kept[np.argsort(edges[kept], kind="stable")]
    return replace(moved, edges=edges[order], values=moved.values.take(order))


@dataclass(frozen=True, eq=False)
class PropertyGraph:
    """Node tables by label and edge tables in order; see the module for the copy rule."""

    node_tables: Mapping[str, NodeTable]
    edge_tables: tuple[EdgeTable, ...]
    _label_of_table: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        labels = {node.schema.name: label for label, node in self.node_tables.items() if node.schema}
        object.__setattr__(self, "_label_of_table", labels)

    @property
    def node_count(self) -> int:
        """Nodes of all types."""
        return sum(table.count for table in self.node_tables.values())

    @property
    def edge_count(self) -> int:
        """Edges of all types."""
        return sum(map(len, self.edge_tables))

    @property
    def nbytes(self) -> int:
        """Bytes held by all tables."""
        nodes = sum(table.nbytes for table in self.node_tables.values())
        return nodes + sum(table.nbytes for table in self.edge_tables)

    @property
    def row_tables(self) -> tuple[TableSchema, ...]:
        """The schemas of the source tables, in their order."""
        return tuple(node.schema for node in self.node_tables.values() if node.schema)

    def rows_of(self, table: str) -> NodeTable:
        """The node table that holds the rows of a source table."""
        label = self._label_of_table.get(table)
        if label is None:
            raise GraphInvalidError(f"The graph holds no rows of table {table}.", table=table)
        return self.node_tables[label]

    def foreign_key_edges(self, key: ForeignKey) -> EdgeTable:
        """The edges of a declared foreign key, one at most for each child row."""
        for edges in self.foreign_key_tables(key):
            return edges
        raise GraphInvalidError(f"The graph has no edges for {key.label}.", table=key.table)

    def foreign_key_tables(self, key: ForeignKey) -> tuple[EdgeTable, ...]:
        """All edge tables of a foreign key: one, where the graph is whole."""
        return self._tables_by_mark.get(ForeignKeyMark(key), ())

    def paths(self) -> tuple[EdgeTable, ...]:
        """The edge tables of materialized paths."""
        return tuple(edges for edges in self.edge_tables if isinstance(edges.mark, MaterializedPathMark))

    def collapsed_rows(self, table: str) -> tuple[EdgeTable, ...]:
        """The edge tables whose edges are rows of a source table."""
        return tuple(edges for mark, edges in self._row_edges if mark.table == table)

    def relocated(self, table: str, column: str) -> Iterator[tuple[EdgeTable, RelocatedAttribute]]:
        """Where edges hold a field of a source table's rows."""
        return ((edges, moved) for edges, moved in self._moved_fields if (moved.table, moved.column) == (table, column))

    def attribute_edges(self, table: str, column: str) -> tuple[EdgeTable, ...]:
        """The edge tables between a table's rows and entities that hold this column."""
        return self._tables_by_mark.get(ExtractedAttributeMark(table, column), ())

    @cached_property
    def _tables_by_mark(self) -> Mapping[EdgeMark, tuple[EdgeTable, ...]]:
        """The edge tables of each mark, so that a source of many tables is not searched for each of them."""
        found: defaultdict[EdgeMark, list[EdgeTable]] = defaultdict(list)
        for edges in self.edge_tables:
            found[edges.mark].append(edges)
        return {mark: tuple(tables) for mark, tables in found.items()}

    @cached_property
    def _row_edges(self) -> tuple[tuple[CollapsedRowMark, EdgeTable], ...]:
        return tuple((edges.mark, edges) for edges in self.edge_tables if isinstance(edges.mark, CollapsedRowMark))

    @cached_property
    def _moved_fields(self) -> tuple[tuple[EdgeTable, RelocatedAttribute], ...]:
        return tuple((edges, moved) for edges in self.edge_tables for moved in edges.relocated)

    def with_edges(self, edges: Sequence[EdgeTable]) -> "PropertyGraph":
        """The graph with these edge tables and no others."""
        return replace(self, edge_tables=tuple(edges))

    def with_tables(self, nodes: Sequence[NodeTable] = (), edges: Sequence[EdgeTable] = ()) -> "PropertyGraph":
        """A graph with these tables added; a node table of the same label is replaced. Everything else is shared."""
        merged = {**self.node_tables, **{node.label: node for node in nodes}}
        return replace(self, node_tables=merged, edge_tables=(*self.edge_tables, *edges))

    def without_paths(self) -> "PropertyGraph":
        """The graph without its materialized paths, which other changes would make stale."""
        kept = tuple(edges for edges in self.edge_tables if not isinstance(edges.mark, MaterializedPathMark))
        return replace(self, edge_tables=kept)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole content, from the digests of its tables."""
        nodes = sorted(table.digest for table in self.node_tables.values())
        return canonical_sha256([nodes, sorted(table.digest for table in self.edge_tables)])
