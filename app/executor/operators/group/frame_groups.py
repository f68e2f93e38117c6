"""The groups of a run as aggregations read them."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np

from app.executor.columns.runs import EachRow
from app.executor.columns.sums import Codes, group_counts, group_integers, group_sums, weighted_integers
from app.executor.columns.vector import Array
from app.executor.operators.access import Access
from app.executor.operators.frame import Frame, Message, Partial
from app.tables.dictionary import BoolArray, IntArray

T = TypeVar("T")

Present = Array | slice | None
"""Which groups have rows: their codes, all codes of a slice, or (None) the one group of a plan without group keys."""


def present_groups(counts: IntArray) -> Array | slice:
    """The groups that have rows; a slice, which copies nothing, if all have some, or all but that of NULL."""
    found = np.count_nonzero(counts)
    if found == len(counts):
        return slice(0, None)
    if found == len(counts) - 1 and not counts[0]:
        return slice(1, None)
    positions: Array = counts.nonzero()[0]
    return positions


@dataclass(slots=True)
class Groups:
    """Joined rows, the group of each, how often each counts, and how many rows each group has."""

    frame: Frame
    codes: Codes
    size: int
    weights: IntArray | None
    counts: IntArray
    done: dict[Hashable, object] = field(default_factory=dict)

    def once(self, key: Hashable, work: "Callable[[Groups], T]") -> T:
        """The result of some work, done once in a run."""
        if key not in self.done:
            self.done[key] = work(self)
        return cast(T, self.done[key])

    @classmethod
    def of(cls, frame: Frame, codes: Codes, size: int) -> "Groups":
        """The groups of a frame's joined rows under these codes."""
        weights = frame.weights()
        if isinstance(codes, EachRow):
            counts = codes.counts if weights is None else weights
        else:
            counts = group_counts(codes, size, frame.length, weights)
        return cls(frame, codes, size, weights, counts)

    def at(self, positions: Array | None) -> tuple[Codes, IntArray | None]:
        """Codes and weights of the joined rows at these positions; None means all of them."""
        if positions is None:
            return self.codes, self.weights
        codes = None if self.codes is None else self.codes.take(positions)
        return codes, None if self.weights is None else self.weights.take(positions)

    def folded(self, message: Message, partial: Partial) -> Partial:
        """A folded branch's state, summed over the joined rows."""
        weights = self.frame.weights(without=message)
        counts = self._summed(message, partial.counts, weights)
        if partial.sums is None:
            return Partial(None, counts)
        if partial.sums.dtype.kind != "f":
            return Partial(self._summed(message, partial.sums, weights), counts)
        sums = self.frame.at(message.alias, partial.sums)
        if weights is not None:
            sums = sums * weights
        return Partial(group_sums(self.codes, self.size, sums), counts)

    def _summed(self, message: Message, integers: Array, weights: IntArray | None) -> Array:
        values = self.frame.at(message.alias, integers)
        if weights is None and isinstance(self.codes, EachRow):
            return values
        values, bound = weighted_integers(values, weights, float(np.abs(integers).max(initial=0)))
        summed: Array = group_integers(self.codes, self.size, values, bound)
        return summed


def non_null_positions(frame: Frame, access: Access, valid: BoolArray | None) -> Array | None:
    """Positions of the joined rows whose cell is not NULL; None if all are."""
    if not access.optional:
        return None if valid is None else access.values(frame, valid).nonzero()[0]
    rows = frame.rows[access.alias]
    assert rows is not None, "optional rows are always listed"
    present = rows >= 0
    if valid is not None and len(valid):
        present &= valid.take(rows)
    return present.nonzero()[0]


def chosen(values: Array, present: Present) -> Array:
    """The values of these groups."""
    if isinstance(present, slice):
        return values[present]
    return values if present is None else values.take(present)
