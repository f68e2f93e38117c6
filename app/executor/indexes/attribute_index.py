"""Attribute entities as an index: only if they hold exactly the current values of a column."""

from dataclasses import dataclass

import numpy as np

from app.executor.columns.views.column_view import ColumnView
from app.executor.columns.views.kinds import view_of
from app.graph.model.adjacency import Pointers
from app.graph.model.node_table import ENTITY_VALUE
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.rows import attribute_ends
from app.tables.column import Column
from app.tables.comparison import differing
from app.tables.dictionary import IntArray
from app.tables.schema import ColumnSchema


@dataclass(frozen=True, eq=False, slots=True)
class AttributeIndex:
    """The entities' values, and pointers from rows to their entity, -1 if the column is NULL."""

    label: str
    values: ColumnView
    pointers: Pointers


def attribute_index(graph: PropertyGraph, cells: Column, table: str, column: ColumnSchema) -> AttributeIndex | None:
    """The index of a column, whose current cells are `cells`, from the first attribute edge table that covers it."""
    nodes = graph.rows_of(table)
    for edges in graph.attribute_edges(table, column.name):
        (_, ends), (label, targets) = attribute_ends(graph, edges)
        rows = ends if nodes.row_index is None else nodes.row_index[ends]
        entities = graph.node_tables[label]
        values = entities.columns[ENTITY_VALUE]
        if _covers(rows, cells, values.take(targets)):
            pointers = Pointers.of_edges(rows, targets, len(cells), entities.count)
            return AttributeIndex(entities.label, view_of(values, column), pointers)
    return None


def _covers(rows: IntArray, cells: Column, values: Column) -> bool:
    """Whether each row that is not NULL has exactly one edge, and its entity has the row's very value."""
    if len(rows) != len(cells) - cells.null_count():
        return False
    ascend = bool((rows[1:] > rows[:-1]).all())
    if not ascend and np.bincount(rows, minlength=len(cells)).max(initial=0) > 1:
        return False
    all_in_order = ascend and len(rows) == len(cells)
    return not differing(cells if all_in_order else cells.take(rows), values).any()
