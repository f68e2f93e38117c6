"""Source integrity: whether a graph still holds every source row, value and declared reference.

All rows and foreign keys are checked, queried or not. What a candidate shares with a graph that was found whole is
not read again: columns and edge tables are immutable, so the same object has the same content.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from app.budget import check_deadline
from app.errors import GraphInvalidError
from app.graph.g0 import References
from app.graph.marks import ExtractedAttributeMark, ForeignKeyMark, MaterializedPathMark
from app.graph.paths import is_hop
from app.graph.property_graph import ENTITY_VALUE, EdgeTable, PropertyGraph
from app.graph.rows import resolve_rows
from app.tables.column import Column, Kind
from app.tables.dictionary import BoolArray, IntArray
from app.tables.schema import ForeignKey, RelationalSchema
from app.tables.table import Table

_SHOWN = 5
"""Errors named for one table or edge type; the rest are counted."""


@dataclass(frozen=True, eq=False)
class SourceIntegrity:
    """The source as integrity needs it: its tables and where its foreign keys point."""

    schema: RelationalSchema
    tables: Mapping[str, Table]
    references: References

    def errors(self, graph: PropertyGraph) -> list[str]:
        """What the graph has lost or changed, each error naming table, column and row; empty when it is whole."""
        found: list[str] = []
        for table in self.schema:
            check_deadline()
            found.extend(self._row_errors(graph, self.tables[table.name]))
        for key in self.schema.foreign_keys:
            check_deadline()
            found.extend(self._reference_errors(graph, key))
        return found or [*self._stray_edges(graph), *_derived_edge_errors(graph)]

    def _row_errors(self, graph: PropertyGraph, source: Table) -> Iterator[str]:
        name = source.schema.name
        try:
            rows = resolve_rows(graph, name)
        except GraphInvalidError as error:
            yield error.message
            return
        if rows.schema != source.schema:
            yield f"Table {name}: the relational schema differs from the source's."
        elif rows.row_count != source.row_count:
            yield f"Table {name}: {rows.row_count} rows, the source has {source.row_count}."
        else:
            for column in source.schema.column_names:
                yield from _cell_errors(name, column, source.columns[column], rows.columns[column])

    def _reference_errors(self, graph: PropertyGraph, key: ForeignKey) -> Iterator[str]:
        try:
            edges = graph.foreign_key_edges(key)
        except GraphInvalidError as error:
            yield error.message
            return
        wanted = self.references.pointers[key]
        if (edges.source_label, edges.target_label) != (
            graph.rows_of(key.table).label,
            graph.rows_of(key.ref_table).label,
        ):
            yield f"Foreign key {key.label}: its edges end at other node types."
            return
        if len(edges) != len(np.unique(edges.sources)):
            yield f"Foreign key {key.label}: a row has more than one edge."
            return
        yield from _pointer_errors(key, wanted, edges)

    def _stray_edges(self, graph: PropertyGraph) -> Iterator[str]:
        declared = set(self.schema.foreign_keys)
        marked = [edges.mark.foreign_key for edges in graph.edge_tables if isinstance(edges.mark, ForeignKeyMark)]
        if len(marked) != len(set(marked)) or not set(marked) <= declared:
            yield "The graph holds foreign-key edges that the source does not declare, or declares once."


def _cell_errors(table: str, name: str, source: Column, held: Column) -> Iterator[str]:
    if held is source:
        return
    rows = np.flatnonzero(_differing(source, held))
    for row in rows[:_SHOWN].tolist():
        yield f"Table {table}, column {name}, row {row + 1}: {held.cell(row)!r}, the source has {source.cell(row)!r}."
    if len(rows) > _SHOWN:
        yield f"Table {table}, column {name}: {len(rows) - _SHOWN} more rows differ."


def _differing(source: Column, held: Column) -> BoolArray:
    """Where two columns of one length hold different values or types."""
    if source.kind is held.kind and source.kind not in (Kind.TEXT, Kind.MIXED):
        nulls = source.null_mask()
        return np.asarray((nulls != held.null_mask()) | (~nulls & (source.values != held.values)))
    pairs = zip(source.to_list(), held.to_list(), strict=True)
    return np.fromiter((a != b or type(a) is not type(b) for a, b in pairs), np.bool_, len(source))


def _pointer_errors(key: ForeignKey, wanted: IntArray, edges: EdgeTable) -> Iterator[str]:
    held = np.full(len(wanted), -1, np.int64)
    held[edges.sources] = edges.targets
    rows = np.flatnonzero(held != np.maximum(wanted, -1))
    for row in rows[:_SHOWN].tolist():
        at, expected = int(held[row]), int(wanted[row])
        leads = f"leads to row {at + 1}" if at >= 0 else "is missing"
        should = f"to row {expected + 1}" if expected >= 0 else "nowhere"
        yield f"Foreign key {key.label}, row {row + 1}: the edge {leads}; the source points {should}."
    if len(rows) > _SHOWN:
        yield f"Foreign key {key.label}: {len(rows) - _SHOWN} more edges differ."


def _derived_edge_errors(graph: PropertyGraph) -> Iterator[str]:
    for edges in graph.edge_tables:
        check_deadline()
        if isinstance(edges.mark, ExtractedAttributeMark):
            yield from _attribute_errors(graph, edges, edges.mark)
        elif isinstance(edges.mark, MaterializedPathMark):
            yield from _path_errors(graph, edges, edges.mark)


def _attribute_errors(graph: PropertyGraph, edges: EdgeTable, mark: ExtractedAttributeMark) -> Iterator[str]:
    own = resolve_rows(graph, mark.table).columns[mark.column].take(edges.sources)
    entities = graph.node_tables[edges.target_label].columns[ENTITY_VALUE].take(edges.targets)
    for row in np.flatnonzero(_differing(own, entities))[:_SHOWN].tolist():
        yield (
            f"Edge type {edges.type}: row {int(edges.sources[row]) + 1} of {mark.table} has "
            f"{mark.column} = {own.cell(row)!r}, its entity {entities.cell(row)!r}."
        )


def _path_errors(graph: PropertyGraph, edges: EdgeTable, mark: MaterializedPathMark) -> Iterator[str]:
    stops = (edges.sources, *mark.inner_nodes, edges.targets)
    for step, start, end in zip(mark.path, stops, stops[1:], strict=False):
        wrong = np.flatnonzero(~is_hop(graph, step, start, end))
        if len(wrong):
            yield f"Edge type {edges.type}: {len(wrong)} paths take a hop that {step.foreign_key.label} does not have."
