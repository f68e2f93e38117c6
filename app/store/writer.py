"""Writing a graph into an empty database over Bolt: columns in, batches of CREATE, internal ids remembered."""

from collections.abc import Iterator, Sequence
from typing import Any

import neo4j
import numpy as np
import pyarrow.compute as pc

from app.budget import check_deadline
from app.graph.property_graph import EdgeTable, NodeTable, PropertyGraph
from app.store.cypher_text import filled, property_map, quoted
from app.store.edge_properties import edge_properties
from app.store.server import Rows, Run
from app.tables.column import Column, Kind
from app.tables.dictionary import IntArray
from app.values import Scalar

_BYTES_A_BATCH = 4_000_000
_NODES_A_BATCH = 20_000
_EDGES_A_BATCH = 40_000
_BYTES_A_CELL = 16


def batch_runner(driver: neo4j.Driver, database: str) -> Run:
    """Runs each statement in a transaction of its own, repeated by the driver on transient errors."""

    def run(statement: str, parameters: dict[str, Any]) -> Rows:
        with driver.session(
            database=database, notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF
        ) as session:
            return session.execute_write(lambda tx: tx.run(statement, parameters).values())

    return run


def transaction_runner(transaction: neo4j.ManagedTransaction) -> Run:
    """Runs each statement in this transaction."""

    def run(statement: str, parameters: dict[str, Any]) -> Rows:
        return transaction.run(statement, parameters).values()

    return run


def write_graph(graph: PropertyGraph, run: Run) -> None:
    """Create all nodes, then all edges."""
    ids = {label: write_nodes(table, run) for label, table in graph.node_tables.items()}
    for edges in graph.edge_tables:
        write_edges(edges, ids[edges.source_label], ids[edges.target_label], run)


def write_nodes(nodes: NodeTable, run: Run) -> IntArray:
    """Create the nodes of one table; their internal ids, shape (count,)."""
    statement = filled("create_nodes", LABEL=quoted(nodes.label), PROPERTIES=property_map(tuple(nodes.columns)))
    ids = np.empty(nodes.count, np.int64)
    for start, end in node_batches(nodes):
        check_deadline()
        cells = [batch_cells(column, start, end) for column in nodes.columns.values()]
        ids[start:end] = run(statement, {"size": end - start, "columns": cells})[0][0]
    return ids


def node_batches(nodes: NodeTable) -> Iterator[tuple[int, int]]:
    """Bounds of batches, from and to before, of so many nodes and bytes that the server holds one in memory easily.

    A node that is larger by itself is a batch by itself.
    """
    return _batches(nodes.count, list(nodes.columns.values()), _NODES_A_BATCH)


def _batches(count: int, columns: Sequence[Column], most: int) -> Iterator[tuple[int, int]]:
    total = np.cumsum(_sizes(count, columns))
    start = 0
    while start < count:
        before = int(total[start - 1]) if start else 0
        within = int(np.searchsorted(total, before + _BYTES_A_BATCH, side="right"))
        end = max(start + 1, min(within, start + most))
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
    for start, end in _batches(len(edges), list(held.values()), _EDGES_A_BATCH):
        check_deadline()
        parameters = {
            "size": end - start,
            "sources": source_ids[edges.sources[start:end]].tolist(),
            "targets": target_ids[edges.targets[start:end]].tolist(),
            "columns": [batch_cells(column, start, end) for column in held.values()],
        }
        run(statement, parameters)


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
