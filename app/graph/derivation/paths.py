"""Paths along declared foreign keys, enumerated in rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.budget import RowLimit, check_deadline
from app.graph.model.marks import PathStep
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.rows import foreign_key_pointers, row_places
from app.tables.dictionary import BoolArray, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Hops:
    """Adjacency of one step in compressed form: row r leads to `ends[starts[r]:starts[r + 1]]`, ascending."""

    starts: IntArray
    ends: IntArray

    @classmethod
    def of(cls, graph: PropertyGraph, step: PathStep) -> "Hops":
        """The hops of one step."""
        pointers = foreign_key_pointers(graph, step.foreign_key)
        children = np.flatnonzero(pointers >= 0)
        parents = pointers[children]
        begin, end = (children, parents) if step.forward else (parents, children)
        count = row_places(graph, step.source_table).count
        starts = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(begin, minlength=count), out=starts[1:])
        return cls(starts, end[np.lexsort((end, begin))])

    def degrees(self) -> IntArray:
        """How many rows each row leads to."""
        return np.diff(self.starts)


def count_paths(graph: PropertyGraph, path: Sequence[PathStep]) -> int:
    """How many paths there are, without building any."""
    counts = np.ones(row_places(graph, path[-1].target_table).count, np.int64)
    for step in reversed(path):
        hops = Hops.of(graph, step)
        sums = np.concatenate([[0], np.cumsum(counts[hops.ends])])
        counts = sums[hops.starts[1:]] - sums[hops.starts[:-1]]
    return int(counts.sum())


def enumerate_paths(graph: PropertyGraph, path: Sequence[PathStep], limit: RowLimit) -> tuple[IntArray, ...]:
    """All paths as arrays of row offsets: one for the start and one for the end of each step.

    Paths are in ascending order of their stops. `QueryLimitError` where a prefix has more paths than the limit.
    """
    stops: tuple[IntArray, ...] = (np.arange(row_places(graph, path[0].source_table).count),)
    for step in path:
        check_deadline()
        hops = Hops.of(graph, step)
        degrees = hops.degrees()[stops[-1]]
        total = int(degrees.sum())
        limit.check(total)
        kept = np.repeat(np.arange(len(degrees)), degrees)
        within = np.arange(total) - np.repeat(np.cumsum(degrees) - degrees, degrees)
        ends = hops.ends[hops.starts[stops[-1]][kept] + within]
        stops = (*(stop[kept] for stop in stops), ends)
    return stops


def is_hop(graph: PropertyGraph, step: PathStep, start: IntArray, end: IntArray) -> BoolArray:
    """For each pair of rows, whether the step leads from the first to the second."""
    pointers = foreign_key_pointers(graph, step.foreign_key)
    child, parent = (start, end) if step.forward else (end, start)
    return np.asarray(pointers[child] == parent)
