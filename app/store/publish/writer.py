"""Writing a graph into an empty database over Bolt: columns in, batches of CREATE, internal ids remembered."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
import pyarrow.compute as pc

from app.budget import check_deadline
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.store.publish.edge_properties import edge_properties
from app.store.servers.cypher_text import filled, property_map, quoted
from app.store.servers.server import Run, Work
from app.tables.column import Column, Kind
from app.tables.dictionary import IntArray
from app.values import Scalar

_BYTES_A_BATCH = 4_000_000
_ELEMENTS_A_BATCH = 2_000
_BYTES_A_CELL = 16


def write_graph(graph: PropertyGraph, run: Run) -> None:
    """Create all nodes, then all edges."""
    ids = _write_nodes(graph, run)
    work = (each for edges in graph.edge_tables for each in _edge_work(edges, ids))
    for _ in run.each(work):
        pass


def _write_nodes(graph: PropertyGraph, run: Run) -> dict[str, IntArray]:
    """Create all nodes; for each label the internal ids of its nodes, shape (count,)."""
    tables = graph.node_tables
    created = run.each(each for table in tables.values() for each in _node_work(table))
    ids = np.fromiter(chain.from_iterable(rows[0][0] for rows in created), np.int64, graph.node_count)
    ends = np.cumsum([table.count for table in tables.values()], dtype=np.int64)
    return dict(zip(tables, np.split(ids, ends[:-1]), strict=False))


def _node_work(nodes: NodeTable) -> Iterator[Work]:
    statement = filled("create_nodes", LABEL=quoted(nodes.label), PROPERTIES=property_map(tuple(nodes.columns)))
    for start, end in node_batches(nodes):
        check_deadline()
        columns = [batch_cells(column, start, end) for column in nodes.columns.values()]
        yield statement, {"size": end - start, "columns": columns}


def node_batches(nodes: NodeTable) -> Iterator[tuple[int, int]]:
    """Bounds of batches, from and to before, small enough for the memory of the server.

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


def _edge_work(edges: EdgeTable, ids: Mapping[str, IntArray]) -> Iterator[Work]:
    held = edge_properties(edges)
    statement = filled("create_edges", TYPE=quoted(edges.type), PROPERTIES=property_map(tuple(held)))
    source_ids, target_ids = ids[edges.source_label], ids[edges.target_label]
    for start, end in _batches(len(edges), list(held.values())):
        check_deadline()
        yield (
            statement,
            {
                "size": end - start,
                "sources": source_ids[edges.sources[start:end]].tolist(),
                "targets": target_ids[edges.targets[start:end]].tolist(),
                "columns": [batch_cells(column, start, end) for column in held.values()],
            },
        )


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
