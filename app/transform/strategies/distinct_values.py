"""The distinct values of a column, and the entities that hold them."""

from typing import Any

import numpy as np

from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import PropertyGraph
from app.tables.column import Column, Kind, canonical_codes, column_of, concatenated, text_column
from app.tables.comparison import exact
from app.tables.dictionary import IntArray


def distinct_values(column: Column) -> tuple[Column, IntArray, IntArray]:
    """The distinct non-NULL values by first appearance, the rows that have one, and the value's offset for each.

    Values are distinct if value or type differ: 1 and 1.0 are two, and so are 0.0 and -0.0.
    """
    rows = np.arange(len(column)) if column.nulls is None else np.flatnonzero(~column.nulls)
    present = Column(column.kind, column.values[rows], None, column.dictionary)
    if column.kind is Kind.TEXT:
        coded = canonical_codes(present)
        return text_column(coded.texts.entries), rows, coded.values.astype(np.int64)
    if column.kind is Kind.MIXED:
        return _distinct_objects(present, rows)
    return _distinct_numbers(present, rows)


def _distinct_numbers(present: Column, rows: IntArray) -> tuple[Column, IntArray, IntArray]:
    bits = present.values.view(np.int64) if present.kind is Kind.FLOAT64 else present.values
    _, first, inverse = np.unique(bits, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    offset = np.empty(len(order), np.int64)
    offset[order] = np.arange(len(order))
    return present.take(first[order]), rows, offset[inverse.reshape(-1)]


def _distinct_objects(present: Column, rows: IntArray) -> tuple[Column, IntArray, IntArray]:
    offsets: dict[tuple[type, Any], int] = {}
    values = present.values.tolist()
    targets = [offsets.setdefault(exact(value), len(offsets)) for value in values]
    first = dict(zip(reversed(targets), reversed(values), strict=True))
    return column_of([first[offset] for offset in range(len(offsets))]), rows, np.array(targets, np.int64)


def entities_of(graph: PropertyGraph, node_type: str, values: Column) -> tuple[NodeTable, IntArray]:
    """The node type with these distinct values beside those that it has, and the offset of each of them."""
    held = graph.node_tables.get(node_type)
    if held is None:
        return NodeTable(node_type, len(values), {ENTITY_VALUE: values}), np.arange(len(values))
    every, _, offsets = distinct_values(concatenated([held.columns[ENTITY_VALUE], values]))
    nodes = NodeTable(node_type, len(every), {ENTITY_VALUE: every}, identity=held.identity)
    return nodes, offsets[held.count :]
