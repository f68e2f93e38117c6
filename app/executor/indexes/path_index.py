"""Materialized paths as an entry: only where they hold exactly the paths of the adjacency."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.executor.indexes.pointers import Pointers
from app.graph.model.marks import MaterializedPathMark, PathStep
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import row_places
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey

PointersOf = Callable[[ForeignKey], Pointers]


@dataclass(frozen=True, eq=False, slots=True)
class PathIndex:
    """Each edge of a path as a row; `stops[i]` points from the edges to the rows where i hops have been made."""

    type: str
    edges: int
    stops: tuple[Pointers, ...]


def path_index(graph: PropertyGraph, steps: tuple[PathStep, ...], pointers_of: PointersOf) -> PathIndex | None:
    """The index of a complete materialized path along these steps, if there is one."""
    for edges in graph.paths():
        mark = edges.mark
        if isinstance(mark, MaterializedPathMark) and mark.path == steps:
            stops = (edges.sources, *mark.inner_nodes, edges.targets)
            if _is_complete(stops, steps, pointers_of):
                return _index(graph, edges, steps, stops)
    return None


def _index(graph: PropertyGraph, edges: EdgeTable, steps: Sequence[PathStep], stops: Sequence[IntArray]) -> PathIndex:
    tables = [steps[0].source_table, *(step.target_table for step in steps)]
    counts = [row_places(graph, table).count for table in tables]
    pointers = tuple(Pointers(stop, count) for stop, count in zip(stops, counts, strict=True))
    return PathIndex(edges.type, len(edges), pointers)


def _is_complete(stops: Sequence[IntArray], steps: Sequence[PathStep], pointers_of: PointersOf) -> bool:
    """Whether each edge is a path of the graph, none is there twice, and each start row has as many as the graph."""
    hops = zip(steps, stops[:-1], stops[1:], strict=True)
    if not all(_is_hop(pointers_of(step.foreign_key), step, start, end) for step, start, end in hops):
        return False
    expected = _path_counts(steps, pointers_of)
    found = np.bincount(stops[0], minlength=len(expected))
    return np.array_equal(found, expected) and _are_distinct(stops)


def _is_hop(pointers: Pointers, step: PathStep, start: IntArray, end: IntArray) -> bool:
    child, parent = (start, end) if step.forward else (end, start)
    return bool(np.array_equal(pointers.pointers.take(child), parent))


def _path_counts(steps: Sequence[PathStep], pointers_of: PointersOf) -> IntArray:
    """For each start row, how many paths of the graph begin there."""
    last = pointers_of(steps[-1].foreign_key)
    counts = np.ones(last.parents if steps[-1].forward else last.children, np.int64)
    for step in reversed(steps):
        hop = pointers_of(step.foreign_key)
        counts = _forward_counts(hop, counts) if step.forward else _reverse_counts(hop, counts)
    return counts


def _forward_counts(hop: Pointers, counts: IntArray) -> IntArray:
    return np.append(counts, 0).take(hop.pointers, mode="wrap")


def _reverse_counts(hop: Pointers, counts: IntArray) -> IntArray:
    present = (hop.pointers >= 0).nonzero()[0]
    sums: IntArray = np.bincount(hop.pointers[present], counts[present], hop.parents).astype(np.int64)
    return sums


def _are_distinct(stops: Sequence[IntArray]) -> bool:
    if _ascend(stops):
        return True
    order = np.lexsort(stops[::-1])
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for stop in stops:
        ordered = stop[order]
        same &= ordered[1:] == ordered[:-1]
    return not same.any()


def _ascend(stops: Sequence[IntArray]) -> bool:
    """Whether each path comes strictly after the one before it, as they do in a canonical graph."""
    later = np.zeros(max(len(stops[0]) - 1, 0), np.bool_)
    for stop in reversed(stops):
        later = (stop[1:] > stop[:-1]) | ((stop[1:] == stop[:-1]) & later)
    return bool(later.all())
