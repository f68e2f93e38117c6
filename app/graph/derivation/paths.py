"""Paths along declared foreign keys: how many there are, which, and whether edges are exactly these."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from app.budget import RowLimit, check_deadline
from app.graph.model.adjacency import Pointers
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.rows import foreign_key_pointers, row_locations
from app.tables.comparison import first_twins
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey

PointersOf: TypeAlias = Callable[[ForeignKey], Pointers]
RealArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PathStep:
    """One hop along a declared foreign key: forward from child to parent, or reverse."""

    foreign_key: ForeignKey
    forward: bool

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> "PathStep":
        """The hop of what `to_dict` gives."""
        return cls(ForeignKey.from_dict(document), document["direction"] == "forward")

    @property
    def source_table(self) -> str:
        """The table where the hop begins."""
        return self.foreign_key.table if self.forward else self.foreign_key.ref_table

    @property
    def target_table(self) -> str:
        """The table where the hop ends."""
        return self.foreign_key.ref_table if self.forward else self.foreign_key.table

    def to_dict(self) -> dict[str, object]:
        """The document form: the key's fields and `direction`."""
        return {**self.foreign_key.to_dict(), "direction": "forward" if self.forward else "reverse"}


def pointers_of(graph: PropertyGraph) -> PointersOf:
    """The pointers of a graph's foreign keys, each built whenever it is asked for."""
    return lambda key: Pointers(foreign_key_pointers(graph, key), row_locations(graph, key.ref_table).count)


def path_counts(path: Sequence[PathStep], pointers: PointersOf) -> RealArray:
    """For each row where a path may begin, how many paths begin there, without building any; shape (rows,).

    From the last hop to the first: a row has as many paths as the rows that the hop leads it to have together. Counts
    are reals: exact up to 2**53, and no number of rows makes three hops overflow.
    """
    last = pointers(path[-1].foreign_key)
    counts = np.ones(last.parents if path[-1].forward else last.children)
    for step in reversed(path):
        hop = pointers(step.foreign_key)
        if step.forward:
            # A row without a parent points to -1, the zero at the end.
            counts = np.append(counts, 0).take(hop.pointers, mode="wrap")
        else:
            present = (hop.pointers >= 0).nonzero()[0]
            counts = np.bincount(hop.pointers[present], counts[present], hop.parents).astype(np.float64, copy=False)
    return counts


def count_paths(graph: PropertyGraph, path: Sequence[PathStep]) -> int:
    """How many paths there are, without building any."""
    return int(path_counts(path, pointers_of(graph)).sum())


def leading_pointers(path: Sequence[PathStep], pointers: PointersOf) -> list[Pointers]:
    """The pointers of each step without those from which no path goes on to its end.

    So no part of the paths has more rows than the paths themselves, and their count bounds the work.
    """
    found: list[Pointers] = []
    last = pointers(path[-1].foreign_key)
    wanted = np.ones(last.parents if path[-1].forward else last.children, np.bool_)
    for step in reversed(path):
        hop = pointers(step.foreign_key)
        leads = np.append(wanted, False).take(hop.pointers, mode="wrap") if step.forward else wanted
        leads = leads & (hop.pointers >= 0)
        found.append(Pointers(np.where(leads, hop.pointers, -1), hop.parents))
        wanted = leads if step.forward else found[-1].degrees > 0
    return found[::-1]


def enumerate_paths(graph: PropertyGraph, path: Sequence[PathStep], limit: RowLimit) -> tuple[IntArray, ...]:
    """All paths as arrays of row offsets, each of shape (paths,): one for the start and one for the end of each step.

    Paths are in ascending order of their stops. `QueryLimitError` if there are more than the limit.
    """
    stops: tuple[IntArray, ...] = (np.arange(row_locations(graph, path[0].source_table).count),)
    for step, pointers in zip(path, leading_pointers(path, pointers_of(graph)), strict=True):
        check_deadline()
        kept, ends = _hop(pointers, step, stops[-1], limit)
        stops = (*(stop[kept] for stop in stops), ends)
    return stops


def _hop(pointers: Pointers, step: PathStep, rows: IntArray, limit: RowLimit) -> tuple[IntArray, IntArray]:
    """For each row that a step leads to, the offset in `rows` of where it comes from, and the row itself."""
    if step.forward:
        parents = pointers.pointers[rows]
        kept = np.flatnonzero(parents >= 0)
        limit.check(len(kept))
        return kept, parents[kept]
    origins, children = pointers.adjacency.expand(rows, limit)
    return (np.zeros(len(children), np.int64) if origins is None else origins), children


def path_fault(path: Sequence[PathStep], stops: Sequence[IntArray], pointers: PointersOf) -> str:
    """Why edges are not exactly the paths of the graph, or "" if they are.

    `stops[i]` has the rows where i hops have been made, each of shape (edges,). Each edge must be a path, none may
    stand twice, and there must be as many as there are paths.
    """
    for step, start, end in zip(path, stops[:-1], stops[1:], strict=True):
        child, parent = (start, end) if step.forward else (end, start)
        wrong = np.count_nonzero(pointers(step.foreign_key).pointers.take(child) != parent)
        if wrong:
            return f"{wrong} paths take a hop that {step.foreign_key.label} does not have"
    expected = int(path_counts(path, pointers).sum())
    if len(stops[0]) != expected:
        return f"{len(stops[0])} paths, the graph has {expected}"
    return "" if first_twins(stops) is None else "a path stands twice"
