"""Everything that is prepared once for a graph and then shared by all compiled plans: views, pointers, indexes.

What is here belongs to the graph alone and not to any plan: no filter's rows and no answers. It is built lazily, by
the compilation of the plans that need it, so that the time of compiling is the time of index preparation.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TypeVar, cast

from app.budget import check_deadline
from app.executor.columns.views.column_view import ColumnView
from app.executor.columns.views.keys import GroupKeys, row_keys
from app.executor.columns.views.kinds import view_of
from app.executor.indexes.attribute_index import AttributeIndex, attribute_index
from app.executor.indexes.clustering import Clustering, Hops, clustering
from app.executor.indexes.path_index import PathIndex, path_index
from app.graph.derivation.paths import PathStep
from app.graph.model.adjacency import Pointers
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.rows import foreign_key_pointers, resolve_column, row_locations
from app.tables.column import Column
from app.tables.schema import ColumnSchema, ForeignKey, TableSchema
from app.values import Collation

T = TypeVar("T")


class IndexCache:
    """The prepared structures of one graph."""

    def __init__(self, graph: PropertyGraph) -> None:
        self._graph = graph
        self._built: dict[Hashable, object] = {}

    def _once(self, key: Hashable, build: Callable[[], T]) -> T:
        if key not in self._built:
            check_deadline()
            self._built[key] = build()
        return cast(T, self._built[key])

    def row_count(self, table: str) -> int:
        """How many rows a source table has."""
        return row_locations(self._graph, table).count

    def schema(self, table: str) -> TableSchema:
        """The schema of a source table; a proposed key is one of its unique keys."""
        nodes = self._graph.rows_of(table)
        assert nodes.schema is not None, "rows have a schema"
        if not nodes.identity_key:
            return nodes.schema
        return replace(nodes.schema, unique_keys=(*nodes.schema.unique_keys, nodes.identity_key))

    def view(self, table: str, column: ColumnSchema) -> ColumnView:
        """The view of a table's column."""
        return self._once(("view", table, column.name), lambda: view_of(self._cells(table, column.name), column))

    def binary_view(self, table: str, column: ColumnSchema) -> ColumnView:
        """The view of the same column as if it compared by bytes."""
        binary = replace(column, collation=Collation.BINARY)
        return self._once(("binary", table, column.name), lambda: view_of(self._cells(table, column.name), binary))

    def _cells(self, table: str, column: str) -> Column:
        """A column of the source rows, wherever the graph keeps them."""
        return self._once(("cells", table, column), lambda: resolve_column(self._graph, table, column))

    def rows_as_groups(self, table: str) -> GroupKeys:
        """Group keys under which each row of a table is its own group."""
        return self._once(("rows", table), lambda: row_keys(self.row_count(table)))

    def pointers(self, key: ForeignKey) -> Pointers:
        """The pointers of a foreign key."""
        return self._once(("pointers", key), lambda: self._foreign_key_pointers(key))

    def _foreign_key_pointers(self, key: ForeignKey) -> Pointers:
        return Pointers(foreign_key_pointers(self._graph, key), self.row_count(key.ref_table))

    def row_edge_types(self, table: str) -> tuple[str, ...]:
        """The edge types whose edges are rows of a table."""
        return tuple(dict.fromkeys(edges.type for edges in self._graph.collapsed_rows(table)))

    def path(self, steps: tuple[PathStep, ...]) -> PathIndex | None:
        """The materialized path along these steps; None without one, or if it lacks a path of the graph."""
        return self._once(("path", steps), lambda: path_index(self._graph, steps, self.pointers))

    def attribute(self, table: str, column: ColumnSchema) -> AttributeIndex | None:
        """The index of an extracted attribute; None without one, or if it does not cover the column exactly."""
        return self._once(("attribute", table, column.name), lambda: self._attribute(table, column))

    def clustering(self, rows: int, index: AttributeIndex, hops: Hops, joined: tuple[Hops, ...]) -> Clustering:
        """The clusters of a table's rows by an attribute; see `clustering`."""
        return self._once(("clustering", index, hops, joined), lambda: clustering(rows, index, hops, joined))

    def _attribute(self, table: str, column: ColumnSchema) -> AttributeIndex | None:
        return attribute_index(self._graph, self._cells(table, column.name), table, column)
