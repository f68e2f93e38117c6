"""Attribute entities as an index: only where they hold exactly the current values of a column."""

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from app.executor.pointers import Pointers
from app.executor.views.column_view import ColumnView
from app.executor.views.kinds import view_of
from app.graph.property_graph import ENTITY_VALUE, EdgeTable, PropertyGraph
from app.tables.column import Column, Kind
from app.tables.schema import ColumnSchema


@dataclass(frozen=True, eq=False, slots=True)
class AttributeIndex:
    """The entities' values, and pointers from rows to their entity, -1 where the column is NULL."""

    label: str
    values: ColumnView
    pointers: Pointers


def attribute_index(graph: PropertyGraph, table: str, column: ColumnSchema) -> AttributeIndex | None:
    """The index of a column, from the first of its attribute edge tables that covers it."""
    rows = graph.rows_of(table)
    for edges in graph.attribute_edges(table, column.name):
        entities = graph.node_tables[edges.target_label]
        values = entities.columns[ENTITY_VALUE]
        if _covers(edges, rows.columns[column.name], values):
            pointers = Pointers.of_edges(edges.sources, edges.targets, rows.count, entities.count)
            return AttributeIndex(entities.label, view_of(values, column), pointers)
    return None


def _covers(edges: EdgeTable, cells: Column, values: Column) -> bool:
    """Whether each row that is not NULL has exactly one edge, and its entity has the row's very value."""
    reached = np.bincount(edges.sources, minlength=len(cells))
    expected = np.ones(len(cells), np.int64) if cells.nulls is None else (~cells.nulls).astype(np.int64)
    return np.array_equal(reached, expected) and _equal_cells(cells.take(edges.sources), values.take(edges.targets))


def _equal_cells(left: Column, right: Column) -> bool:
    if left.kind is not right.kind or Kind.MIXED in (left.kind, right.kind):
        return _typed(left) == _typed(right)
    if left.null_count() or right.null_count():
        return False
    if left.kind is not Kind.TEXT:
        return np.array_equal(left.values, right.values)
    if len(left) == 0:
        return True
    same_code = pc.index_in(right.texts.entries, value_set=left.texts.entries).fill_null(-1).to_numpy()
    return np.array_equal(left.values, same_code[right.values])


def _typed(column: Column) -> list[tuple[type, object]]:
    return [(type(value), value) for value in column.to_list()]
