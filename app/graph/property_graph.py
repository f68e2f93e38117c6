"""The property graph in columns: node tables, edge tables with integer endpoints, copy on write.

A graph never changes. A candidate is a new `PropertyGraph` that shares every table and column that its
transformation left alone, so copying costs what the change costs.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from app.errors import GraphInvalidError
from app.graph.marks import EdgeMark, ExtractedAttributeMark, ForeignKeyMark, MaterializedPathMark
from app.tables.column import Column
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey, TableSchema
from app.values import canonical_sha256

ENTITY_VALUE = "value"
"""The one field of an attribute entity."""


@dataclass(frozen=True, eq=False)
class NodeTable:
    """All nodes of one type.

    `schema` is set where the nodes are source rows: node i is then row i of that table (`row_index` = i), its
    columns are the row's fields. Entity tables have no schema and one column, `value`.
    """

    label: str
    count: int
    columns: Mapping[str, Column]
    schema: TableSchema | None = None

    @property
    def is_rows(self) -> bool:
        """Whether the nodes are source rows."""
        return self.schema is not None

    @property
    def nbytes(self) -> int:
        """Bytes held by the columns."""
        return sum(column.nbytes for column in self.columns.values())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of label, schema and content."""
        columns = {name: column.digest() for name, column in self.columns.items()}
        return canonical_sha256([self.label, self.count, repr(self.schema), columns])


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """All edges of one type between two node types under one mark; parallel edges and loops are kept.

    `sources` and `targets` are row offsets into the node tables labelled `source_label` and `target_label`, int64,
    shape (edges,).
    """

    type: str
    source_label: str
    target_label: str
    sources: IntArray
    targets: IntArray
    mark: EdgeMark

    def __post_init__(self) -> None:
        self.sources.flags.writeable = False
        self.targets.flags.writeable = False

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def nbytes(self) -> int:
        """Bytes held by endpoints and inner path nodes."""
        inner = self.mark.inner_nodes if isinstance(self.mark, MaterializedPathMark) else ()
        return self.sources.nbytes + self.targets.nbytes + sum(nodes.nbytes for nodes in inner)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of type, endpoints and mark."""
        hasher = hashlib.sha256(repr([self.type, self.source_label, self.target_label]).encode())
        hasher.update(_mark_text(self.mark).encode())
        for array in (self.sources, self.targets):
            hasher.update(array.tobytes())
        if isinstance(self.mark, MaterializedPathMark):
            for nodes in self.mark.inner_nodes:
                hasher.update(nodes.tobytes())
        return hasher.hexdigest()


def _mark_text(mark: EdgeMark) -> str:
    return repr(mark.path) if isinstance(mark, MaterializedPathMark) else repr(mark)


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
        for edges in self.edge_tables:
            if isinstance(edges.mark, ForeignKeyMark) and edges.mark.foreign_key == key:
                return edges
        raise GraphInvalidError(f"The graph has no edges for {key.label}.", table=key.table)

    def paths(self) -> tuple[EdgeTable, ...]:
        """The edge tables of materialized paths."""
        return tuple(edges for edges in self.edge_tables if isinstance(edges.mark, MaterializedPathMark))

    def attribute_edges(self, table: str, column: str) -> tuple[EdgeTable, ...]:
        """The edge tables from a table's rows to entities that hold this column."""
        wanted = ExtractedAttributeMark(table, column)
        return tuple(edges for edges in self.edge_tables if edges.mark == wanted)

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
