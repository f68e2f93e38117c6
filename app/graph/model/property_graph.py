"""The property graph in columns: node tables, edge tables with integer endpoints, copy on write.

A graph never changes. A candidate is a new `PropertyGraph` that shares every table and column that its
transformation left alone, so copying costs what the change costs.
"""

import hashlib
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np

from app.errors import GraphInvalidError
from app.graph.model.edge_documents import EdgeDocuments
from app.graph.model.edge_key import Digests, EdgeKey
from app.graph.model.node_table import NodeTable, array_digest
from app.graph.model.row_edges import RelocatedAttribute, RowEdges
from app.tables.column import Column, concatenated
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey, TableSchema
from app.values import canonical_sha256

JsonTexts: TypeAlias = dict[str, list[str]]
"""Properties as JSON texts, one an edge."""

JsonValues: TypeAlias = list[dict[str, Any]]
"""Properties of edges as Python values."""

Content: TypeAlias = tuple[object, ...]
"""What a check reads, to be compared by identity (see `shared_content`)."""


class EdgeMark(ABC):
    """The meaning of all edges of one table: what they say, their order, identity, check and JSON.

    `properties()` are the edge properties that all edges of a table share; what differs from edge to edge are `arrays`
    and columns beside them.
    """

    __slots__ = ()

    member: ClassVar[str]
    """The member of an edge's properties by which a document tells the mark."""

    merges: ClassVar[bool] = True
    """Whether all edges of one type, mark and pair of node types are one table."""

    is_shortcut: ClassVar[bool] = False
    """Whether the edges stand for longer ways, and go stale when anything else changes."""

    reaches_entities: ClassVar[bool] = False
    """Whether the edges join rows and attribute entities."""

    @property
    @abstractmethod
    def about(self) -> tuple[Hashable, ...]:
        """What the graph finds the edges by: equal for marks that say the same."""

    @property
    def reference(self) -> ForeignKey | None:
        """The declared foreign key that the edges are."""
        return None

    @property
    def rows(self) -> RowEdges | None:
        """The source rows that the edges are."""
        return None

    @abstractmethod
    def properties(self) -> dict[str, object]:
        """The edge properties that all edges share, as the document holds them."""

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """Integers of each edge beside its ends."""
        return ()

    @property
    def columns_held(self) -> Mapping[str, Column]:
        """Cells of each edge."""
        return {}

    def rebuilt(self, arrays: Sequence[IntArray], columns: Mapping[str, Column]) -> "EdgeMark":
        """The same mark on other edges, with what differs from edge to edge."""
        del arrays, columns
        return self

    def take(self, edges: IntArray) -> "EdgeMark":
        """The mark of these edges alone (offsets), in this order."""
        columns = {name: column.take(edges) for name, column in self.columns_held.items()}
        return self.rebuilt([array[edges] for array in self.arrays], columns)

    def joined(self, others: Sequence["EdgeMark"]) -> "EdgeMark":
        """The mark of these edges and then of the others', whose properties are the same."""
        every = (self, *others)
        arrays = [np.concatenate(parts) for parts in zip(*(mark.arrays for mark in every), strict=True)]
        columns = {name: concatenated([mark.columns_held[name] for mark in every]) for name in self.columns_held}
        return self.rebuilt(arrays, columns)

    @property
    def fields(self) -> Mapping[str, Column]:
        """What a store keeps with each edge."""
        return self.columns_held

    def order_keys(self, edges: "EdgeTable") -> list[IntArray]:
        """What edges are sorted by, the first key first."""
        return [edges.sources, edges.targets]

    def turned(self) -> "EdgeMark | None":
        """The mark of the same edges in the other direction; None if their direction means something."""
        return self

    @abstractmethod
    def identity(self, edges: "EdgeTable", graph: "PropertyGraph") -> EdgeKey:
        """What the identities of the edges are made of."""

    def content(self, edges: "EdgeTable", graph: "PropertyGraph") -> Content:
        """What `errors` reads beside the edges themselves."""
        del edges, graph
        return ()

    def errors(self, edges: "EdgeTable", graph: "PropertyGraph") -> Iterator[str]:
        """What is wrong with the edges, beyond what their rows and references say; these were found right before."""
        del edges, graph
        return iter(())

    def json_fields(self, offsets: IntArray, graph: "PropertyGraph", ids: Mapping[str, Digests]) -> JsonTexts:
        """The JSON texts of what differs from edge to edge, by property; `ids` are the nodes' digests by label."""
        del offsets, graph, ids
        return {}

    def json_values(self, offsets: IntArray, graph: "PropertyGraph", ids: Mapping[str, Digests]) -> JsonValues:
        """What `json_fields` says, as Python values: an object for each edge."""
        del graph, ids
        return [{} for _ in offsets]

    @classmethod
    @abstractmethod
    def from_document(cls, edges: EdgeDocuments) -> "EdgeMark":
        """The mark of edges that were read; `KeyError`, `TypeError` or `ValueError` if they are malformed."""


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
        moved = tuple(part for part in (moved.moved(place) for moved in self.relocated) if len(part.edges))
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
        moved = [[part.table, *part.key, array_digest(part.edges), part.values.digest()] for part in self.relocated]
        hasher = hashlib.sha256(canonical_sha256([names, columns, sorted(moved)]).encode())
        for array in (self.sources, self.targets, *self.mark.arrays):
            hasher.update(np.ascontiguousarray(array).data)
        return hasher.hexdigest()


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
        """All edge tables of a foreign key: one, if the graph is whole."""
        return self.edges_about("foreign_key", key)

    def paths(self, path: Hashable) -> tuple[EdgeTable, ...]:
        """The edge tables of materialized paths along these steps."""
        return self.edges_about("path", path)

    def collapsed_rows(self, table: str) -> tuple[EdgeTable, ...]:
        """The edge tables whose edges are rows of a source table."""
        return self.edges_about("rows", table)

    def relocated(self, table: str, column: str) -> Iterator[tuple[EdgeTable, RelocatedAttribute]]:
        """Where edges hold a field of a source table's rows."""
        return ((edges, moved) for edges, moved in self._moved_fields if (moved.table, moved.column) == (table, column))

    def attribute_edges(self, table: str, column: str) -> tuple[EdgeTable, ...]:
        """The edge tables between a table's rows and entities that hold this column."""
        return self.edges_about("attribute", table, column)

    def edges_about(self, *about: Hashable) -> tuple[EdgeTable, ...]:
        """The edge tables whose mark is about this."""
        return self._by_mark.get(about, ())

    @cached_property
    def _by_mark(self) -> Mapping[tuple[Hashable, ...], tuple[EdgeTable, ...]]:
        """The edge tables by what they are about, so that a source of many tables is not searched for each of them."""
        found: defaultdict[tuple[Hashable, ...], list[EdgeTable]] = defaultdict(list)
        for edges in self.edge_tables:
            found[edges.mark.about].append(edges)
        return {about: tuple(tables) for about, tables in found.items()}

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
        kept = tuple(edges for edges in self.edge_tables if not edges.mark.is_shortcut)
        return replace(self, edge_tables=kept)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole content, from the digests of its tables."""
        nodes = sorted(table.digest for table in self.node_tables.values())
        return canonical_sha256([nodes, sorted(table.digest for table in self.edge_tables)])
