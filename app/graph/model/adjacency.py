"""Pointers from child rows to parent rows, and their reverse: compressed adjacency (CSR)."""

from functools import cached_property

import numpy as np

from app.budget import RowLimit
from app.tables.dictionary import IntArray

_NARROW = np.iinfo(np.int16).max
"""Offsets up to this are sorted by counting, which is faster than any comparison."""


class Pointers:
    """For each child row the row offset of its parent, or -1: int64, shape (children,).

    One-time structures are built on first use.
    """

    def __init__(self, pointers: IntArray, parents: int) -> None:
        self.pointers = pointers
        self.children = len(pointers)
        self.parents = parents
        self.total = bool(np.all(pointers >= 0))

    @classmethod
    def of_edges(cls, sources: IntArray, targets: IntArray, children: int, parents: int) -> "Pointers":
        """Pointers from edges of which each child has one at most."""
        if len(sources) == children and np.array_equal(sources, np.arange(children)):
            return cls(targets, parents)
        pointers = np.full(children, -1, np.int64)
        pointers[sources] = targets
        return cls(pointers, parents)

    @cached_property
    def degrees(self) -> IntArray:
        """How many children each parent has, shape (parents,)."""
        present = self.pointers if self.total else self.pointers[self.pointers >= 0]
        return np.bincount(present, minlength=self.parents)

    @cached_property
    def widths(self) -> IntArray:
        """How many rows a left join makes of each parent: its children, or itself alone."""
        return np.maximum(self.degrees, 1)

    @cached_property
    def starts(self) -> IntArray:
        """Where the children of each parent begin, and where the last ones end, shape (parents + 1,)."""
        starts = np.zeros(self.parents + 1, np.int64)
        np.cumsum(self.degrees, out=starts[1:])
        return starts

    @cached_property
    def adjacency(self) -> "Adjacency":
        """The children of each parent."""
        return Adjacency(self.starts, self.degrees, self._children_in_order())

    def _children_in_order(self) -> IntArray | None:
        if self.total and bool(np.all(self.pointers[1:] >= self.pointers[:-1])):
            return None
        if self.total and self.parents <= _NARROW:
            return np.argsort(self.pointers.astype(np.int16), kind="stable")
        rows = np.arange(self.children) if self.total else (self.pointers >= 0).nonzero()[0]
        if self.parents <= _NARROW:
            return rows[np.argsort(self.pointers[rows].astype(np.int16), kind="stable")]
        bits = max(self.children - 1, 1).bit_length()
        if bits + max(self.parents - 1, 1).bit_length() > 62:
            return rows[np.argsort(self.pointers[rows], kind="stable")]
        # One sort of parent and child packed together is several times faster than an argsort.
        packed = (self.pointers[rows] << bits) | rows
        packed.sort()
        return packed & ((1 << bits) - 1)


class Adjacency:
    """The children of each parent, in compressed sparse rows (CSR).

        parent        0     1  2
        starts      [ 0     2  2       5 ]   int64, shape (parents + 1,)
        children    [ 4  7  |  | 1  3  6 ]   int64, shape (edges,): parent 2 has the children 1, 3 and 6

    Parent p has the children `children[starts[p] : starts[p + 1]]`, ascending. Without `children` these are the offsets
    themselves: all children have a parent, and stand in their parents' order.
    """

    def __init__(self, starts: IntArray, degrees: IntArray, children: IntArray | None) -> None:
        self.starts = starts
        self.degrees = degrees
        self._children = children

    def all_children(self) -> IntArray:
        """The children of all parents, parent by parent."""
        return np.arange(self.starts[-1]) if self._children is None else self._children

    def expand(self, parents: IntArray, limit: RowLimit) -> tuple[IntArray | None, IntArray]:
        """For each child of these parents the offset in `parents` (None: there is but one parent) and the child row."""
        if len(parents) == 1:
            return None, self._children_of(parents[0], limit)
        degrees = self.degrees.take(parents)
        ends = degrees.cumsum()
        total = int(ends[-1]) if len(ends) else 0
        limit.check(total)
        # Each parent's children are one run of slots, from its start on. The run begins in the result where the runs
        # before it end, at `ends - degrees`; so slot - place in the result is the same along a run.
        first: IntArray = self.starts.take(parents) - ends + degrees
        slots = first.repeat(degrees) + np.arange(total)
        return np.arange(len(parents)).repeat(degrees), self._children_at(slots)

    def expand_left(self, parents: IntArray, limit: RowLimit) -> tuple[IntArray, IntArray]:
        """The same, with child -1 for each parent without children; parent -1 has none."""
        missing = parents < 0
        known = np.where(missing, 0, parents)
        degrees = np.zeros(len(parents), np.int64) if len(self.degrees) == 0 else self.degrees.take(known)
        degrees[missing] = 0
        widths = np.maximum(degrees, 1)
        ends = widths.cumsum()
        total = int(ends[-1]) if len(ends) else 0
        limit.check(total)
        kept = np.arange(len(parents)).repeat(widths)
        slots = (self.starts.take(known) - (ends - widths)).repeat(widths) + np.arange(total)
        alone = degrees.take(kept) == 0
        slots[alone] = 0
        children = self._children_at(slots) if self.degrees.any() else np.zeros(total, np.int64)
        children[alone] = -1
        return kept, children

    def _children_of(self, parent: int, limit: RowLimit) -> IntArray:
        start, end = int(self.starts[parent]), int(self.starts[parent + 1])
        limit.check(end - start)
        return np.arange(start, end) if self._children is None else self._children[start:end]

    def _children_at(self, slots: IntArray) -> IntArray:
        return slots if self._children is None else self._children.take(slots)
