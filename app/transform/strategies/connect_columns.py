"""connect_columns: rows with equal values in two columns are joined by edges."""

from pydantic import Field
from typing_extensions import override

from app.budget import RowLimit
from app.errors import ForeignKeyInvalidError
from app.graph.checks.canonical import canonical
from app.graph.derivation.column_pairs import count_pairs, equal_pairs, join_codes
from app.graph.marks.column_join import ColumnJoinMark
from app.graph.model.names import foreign_key_type, next_free
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import row_locations
from app.tables.schema import ForeignKey, TableSchema
from app.transform.selection import check_edge_type, column_named, table_named
from app.transform.strategy import Arguments, Strategy, refused, schema_of

MAX_PAIRS = 50_000_000
"""Pairs that may be built at all; the growth limit of a build is far lower."""


class ConnectColumnsArguments(Arguments):
    """`columns` of `table` correspond to `ref_columns` of `ref_table` by position."""

    table: str
    columns: tuple[str, ...] = Field(min_length=1, max_length=16)
    ref_table: str
    ref_columns: tuple[str, ...] = Field(min_length=1, max_length=16)
    edge_type: str | None = Field(default=None, min_length=1, max_length=200)


class ConnectColumns(Strategy[ConnectColumnsArguments]):
    """Adds an edge for each pair of rows whose values are equal as SQLite compares `ref_column = +column`.

    A declared foreign key has its edges already, and nothing changes.

    >>> from app.transform.example import example_graph, outline
    >>> arguments = ConnectColumns().parse(
    ...     {"table": "attends", "columns": ["grade"], "ref_table": "student", "ref_columns": ["id"]}
    ... )
    >>> print(outline(ConnectColumns().apply(example_graph(), arguments)).splitlines()[-1])
    (attends)-[GRADE]->(student): 1
    """

    name = "connect_columns"
    arguments = ConnectColumnsArguments

    def added_size(self, graph: PropertyGraph, arguments: ConnectColumnsArguments) -> int:
        """One edge a pair."""
        key = self._key(graph, arguments)
        return 0 if self._is_connected(graph, key) else count_pairs(join_codes(graph, key))

    def apply(self, graph: PropertyGraph, arguments: ConnectColumnsArguments) -> PropertyGraph:
        """The graph with the edges, without its now stale paths; the same graph if nothing would change."""
        key = self._key(graph, arguments)
        if self._is_connected(graph, key):
            return graph
        for table in (key.table, key.ref_table):
            if not row_locations(graph, table).is_plain:
                raise refused(self.name, "rows_are_edges", f"rows of table {table} are edges.", table=table)
        mark = ColumnJoinMark(key)
        edge_type = arguments.edge_type or next_free(foreign_key_type(key), {e.type for e in graph.edge_tables})
        check_edge_type(graph, edge_type, mark, self.name)
        children, parents = equal_pairs(join_codes(graph, key), RowLimit(MAX_PAIRS))
        if len(children) == 0:
            return graph
        labels = graph.rows_of(key.table).label, graph.rows_of(key.ref_table).label
        edges = EdgeTable(edge_type, *labels, children, parents, mark)
        return canonical(graph.without_paths().with_tables(edges=[edges]))

    @override
    def signature(self, graph: PropertyGraph, arguments: ConnectColumnsArguments) -> str | None:
        pairs = self.added_size(graph, arguments)
        rows = max(row_locations(graph, self._table(graph, arguments)).count, 1)
        return f"{self.name}|{len(arguments.columns)} columns|{'many' if pairs > 2 * rows else 'few'} pairs"

    def _table(self, graph: PropertyGraph, arguments: ConnectColumnsArguments) -> str:
        return table_named(graph, arguments.table, self.name).name

    def _key(self, graph: PropertyGraph, arguments: ConnectColumnsArguments) -> ForeignKey:
        """The columns as a key, spelled as the schema does."""
        child = table_named(graph, arguments.table, self.name)
        parent = table_named(graph, arguments.ref_table, self.name)
        own, other = self._columns(child, arguments.columns), self._columns(parent, arguments.ref_columns)
        if len(own) != len(other):
            message = f"{len(own)} columns cannot equal {len(other)}."
            raise refused(self.name, "column_count_differs", message, table=child.name)
        if child.name == parent.name and own == other:
            raise refused(self.name, "columns_identical", "a column always equals itself.", table=child.name)
        return ForeignKey(child.name, own, parent.name, other)

    def _columns(self, schema: TableSchema, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(column_named(schema, name, self.name) for name in names)

    def _is_connected(self, graph: PropertyGraph, key: ForeignKey) -> bool:
        """Whether the key is declared, or joined already."""
        try:
            schema_of(graph).foreign_key(key)
        except ForeignKeyInvalidError:
            return bool(graph.edges_about(*ColumnJoinMark(key).about))
        return True
