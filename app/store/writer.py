"""Writing a graph into an empty database over Bolt: columns in, batches of CREATE, internal ids remembered."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow.compute as pc

from app.budget import check_deadline
from app.graph.property_graph import EdgeTable, NodeTable, PropertyGraph
from app.store.cypher_text import filled, property_map, quoted
from app.store.edge_properties import edge_properties
from app.store.server import Run
from app.tables.column import Column, Kind
from app.tables.dictionary import IntArray
from app.values import Scalar

_BYTES_A_BATCH = 4_000_000
_ELEMENTS_A_BATCH = 2_000
_BYTES_A_CELL = 16


def write_graph(graph: PropertyGraph, run: Run) -> None:
    """Create all nodes, then all edges."""
    ids = {label: write_nodes(table, run) for label, table in graph.node_tables.items()}
    for edges in graph.edge_tables:
        write_edges(edges, ids[edges.source_label], ids[edges.target_label], run)


def write_nodes(nodes: NodeTable, run: Run) -> IntArray:
    """Create the nodes of one table; their internal ids, shape (count,)."""
    statement = filled("create_nodes", LABEL=quoted(nodes.label), PROPERTIES=property_map(tuple(nodes.columns)))
    created = [rows[0][0] for rows in run.each(statement, _node_parameters(nodes))]
    return np.fromiter(chain.from_iterable(created), np.int64, nodes.count)


def _node_parameters(nodes: NodeTable) -> Iterator[dict[str, Any]]:
    for start, end in node_batches(nodes):
        check_deadline()
        yield {
            "size": end - start,
            "columns": [batch_cells(column, start, end) for column in nodes.columns.values()],
        }


def node_batches(nodes: NodeTable) -> Iterator[tuple[int, int]]:
    """Bounds of batches, from and to before, of so many nodes and bytes that the server holds one in memory easily.

    A node that is larger by itself is a batch by itself.
    """
    return _batches(nodes.count, list(nodes.columns.values()))


def _batches(count: int, columns: Sequence[Column]) -> Iterator[tuple[int, int]]:
    total = np.cumsum(_sizes(count, columns))
    start = 0
    while start < count:
        before = int(total[start - 1]) if start else 0
        within = int(np.searchsorted(total, before + _BYTES_A_BATCH, side="right"))
        end = max(start + 1, min(within, start + _ELEMENTS_A_BATCH))
        yield start, end
        start = end


def _sizes(count: int, columns: Sequence[Column]) -> IntArray:
    """About how many bytes each node or edge takes on the wire, shape (count,)."""
    sizes = np.full(count, _BYTES_A_CELL, np.int64)
    for column in columns:
        sizes += _BYTES_A_CELL
        if column.kind is Kind.TEXT and len(column.texts):
            lengths = pc.binary_length(column.texts.entries).to_numpy(zero_copy_only=False)
            sizes += lengths[column.values]
        elif column.kind is Kind.MIXED:
            texts = (len(cell) if isinstance(cell, str) else 0 for cell in column.values)
            sizes += np.fromiter(texts, np.int64, len(column))
    return sizes


def write_edges(edges: EdgeTable, source_ids: IntArray, target_ids: IntArray, run: Run) -> None:
    """Create the edges of one table between nodes that exist."""
    held = edge_properties(edges)
    statement = filled("create_edges", TYPE=quoted(edges.type), PROPERTIES=property_map(tuple(held)))
    for _ in run.each(statement, _edge_parameters(edges, source_ids, target_ids, list(held.values()))):
        pass


def _edge_parameters(
    edges: EdgeTable, source_ids: IntArray, target_ids: IntArray, columns: Sequence[Column]
) -> Iterator[dict[str, Any]]:
    for start, end in _batches(len(edges), columns):
        check_deadline()
        yield {
            "size": end - start,
            "sources": source_ids[edges.sources[start:end]].tolist(),
            "targets": target_ids[edges.targets[start:end]].tolist(),
            "columns": [batch_cells(column, start, end) for column in columns],
        }


def batch_cells(column: Column, start: int, end: int) -> list[Scalar]:
    """The cells of rows start to end, at a cost that does not grow with the column's dictionary."""
    if column.kind is not Kind.TEXT:
        return column.take(np.arange(start, end)).to_list()
    if len(column.texts) == 0:
        return [None] * (end - start)
    texts: list[Scalar] = column.texts.entries.take(column.values[start:end]).to_pylist()
    if column.nulls is not None:
        for row in np.flatnonzero(column.nulls[start:end]).tolist():
            texts[row] = None
    return texts
