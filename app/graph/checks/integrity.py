"""Source integrity: whether a graph still holds every source row, value and declared reference.

All rows and foreign keys are checked, queried or not. What a candidate shares with a graph that was found whole is
not read again: columns and edge tables are immutable, so the same object has the same content.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from app.budget import check_deadline
from app.errors import GraphInvalidError
from app.graph.checks.derived_edges import derived_edge_errors
from app.graph.checks.unique_ids import identity_errors
from app.graph.g0 import References
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.row_edges import RowEdges
from app.graph.model.rows import foreign_key_pointers, resolve_column, row_locations
from app.graph.model.shared_content import column_content, key_content, same
from app.tables.column import Column
from app.tables.comparison import differing, exact_codes, first_twins
from app.tables.dictionary import IntArray
from app.tables.matching import match_rows
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

    def errors(self, graph: PropertyGraph, checked: PropertyGraph | None = None) -> list[str]:
        """What the graph has lost or changed, each error naming table, column and row; empty when it is whole.

        `checked` is a graph of this source that was found whole: what both share is skipped, with the same outcome.
        """
        found: list[str] = []
        for table in self.schema:
            check_deadline()
            found.extend(self._table_errors(graph, self.tables[table.name], checked))
        for key in self.schema.foreign_keys:
            check_deadline()
            found.extend(self._reference_errors(graph, key, checked))
        found = found or [*self._strays(graph), *derived_edge_errors(graph, checked)]
        return found or [*self._row_twins(checked), *identity_errors(graph, checked)]

    def _table_errors(self, graph: PropertyGraph, source: Table, checked: PropertyGraph | None) -> Iterator[str]:
        name = source.schema.name
        try:
            located = row_locations(graph, name)
        except GraphInvalidError as error:
            yield error.message
            return
        if located.schema != source.schema:
            yield f"Table {name}: the relational schema differs from the source's."
        elif located.count != source.row_count:
            yield f"Table {name}: {located.count} rows, the source has {source.row_count}."
        else:
            for column in source.schema.column_names:
                if checked is None or not same(
                    column_content(graph, name, column), column_content(checked, name, column)
                ):
                    yield from _column_errors(graph, source, column)
            yield from _node_errors(located.nodes, source)

    def _reference_errors(self, graph: PropertyGraph, key: ForeignKey, checked: PropertyGraph | None) -> Iterator[str]:
        try:
            if checked is not None and same(key_content(graph, key), key_content(checked, key)):
                return
            held = foreign_key_pointers(graph, key)
        except GraphInvalidError as error:
            yield error.message
            return
        wanted = self.references.pointers[key]
        if len(held) == len(wanted):
            yield from _pointer_errors(key, wanted, held)

    def _row_twins(self, checked: PropertyGraph | None) -> Iterator[str]:
        """Rows with the key of another one; the graph has the source's keys, and no candidate can change them."""
        for name, table in self.tables.items() if checked is None else ():
            keys = [exact_codes(table.columns[column]) for column in table.schema.primary_key]
            twins = first_twins(keys) if keys else None
            if twins:
                yield f"Table {name}: rows {twins[0] + 1} and {twins[1] + 1} have one identity, their primary key."

    def _strays(self, graph: PropertyGraph) -> Iterator[str]:
        if sorted(table.name for table in graph.row_tables) != sorted(self.tables):
            yield "The graph holds rows of tables that the source does not have, or of one table under two types."
        declared = set(self.schema.foreign_keys)
        marked = [edges.mark.reference for edges in graph.edge_tables if edges.mark.reference]
        if len(marked) != len(set(marked)) or not set(marked) <= declared:
            yield "The graph holds foreign-key edges that the source does not declare, or declares once."
        for edges in graph.edge_tables:
            if edges.mark.rows is not None:
                yield from self._row_edge_errors(edges.type, edges.mark.rows)

    def _row_edge_errors(self, edge_type: str, held: RowEdges) -> Iterator[str]:
        keys = self.schema.table(held.table).foreign_keys
        if held.source_key == held.target_key or not {held.source_key, held.target_key} <= set(keys):
            yield f"Edge type {edge_type}: its row_endpoints are not two foreign keys of table {held.table}."
        if any(key.ref_table == held.table for key in self.schema.foreign_keys):
            yield f"Edge type {edge_type}: rows of {held.table}, which are referenced, are edges."


def _column_errors(graph: PropertyGraph, source: Table, column: str) -> Iterator[str]:
    table = source.schema.name
    try:
        held = resolve_column(graph, table, column)
    except GraphInvalidError as error:
        yield error.message
        return
    wanted = source.columns[column]
    if held is wanted:
        return
    rows = np.flatnonzero(differing(wanted, held))
    for row in rows[:_SHOWN].tolist():
        yield f"Table {table}, column {column}, row {row + 1}: {held.cell(row)!r}, the source has {wanted.cell(row)!r}."
    if len(rows) > _SHOWN:
        yield f"Table {table}, column {column}: {len(rows) - _SHOWN} more rows differ."


def _node_errors(nodes: NodeTable, source: Table) -> Iterator[str]:
    table = source.schema.name
    strange = nodes.columns.keys() - set(source.schema.column_names)
    if strange:
        yield f"Node type {nodes.label} has a field {min(strange)}, which table {table} does not have."
    if not nodes.identity_key:
        return
    unknown = set(nodes.identity_key) - set(source.schema.column_names)
    if unknown:
        yield f"Node type {nodes.label}: its identity_key names {min(unknown)}, which table {table} does not have."
        return
    problem = key_problem([source.columns[name] for name in nodes.identity_key], source, nodes.identity_key)
    if problem:
        yield f"Node type {nodes.label}: its identity_key {problem}."


def key_problem(columns: Iterable[Column], table: Table, names: Iterable[str]) -> str:
    """Why columns are not a key of a table's rows, by SQLite's equality; "" if they are one."""
    held = list(columns)
    for name, column in zip(names, held, strict=True):
        if column.null_count():
            return f"has a NULL in {name}, row {int(np.flatnonzero(column.null_mask())[0]) + 1}"
    duplicates = match_rows(held, held, [table.schema.column(name) for name in names]).duplicate_parents
    if duplicates is None:
        return ""
    return f"is the same in rows {duplicates[0] + 1} and {duplicates[1] + 1}"


def _pointer_errors(key: ForeignKey, wanted: IntArray, held: IntArray) -> Iterator[str]:
    rows = np.flatnonzero(held != np.maximum(wanted, -1))
    for row in rows[:_SHOWN].tolist():
        at, expected = int(held[row]), int(wanted[row])
        found = f"leads to row {at + 1}" if at >= 0 else "is missing"
        should = f"to row {expected + 1}" if expected >= 0 else "nowhere"
        yield f"Foreign key {key.label}, row {row + 1}: the edge {found}; the source points {should}."
    if len(rows) > _SHOWN:
        yield f"Foreign key {key.label}: {len(rows) - _SHOWN} more edges differ."
