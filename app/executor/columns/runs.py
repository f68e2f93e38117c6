"""Groups that are runs of the joined rows, so that counts need no row and sums read each value once, in order."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from typing_extensions import override

from app.executor.columns.vector import Array
from app.tables.dictionary import BoolArray, IntArray

_FEW = 128
"""Groups up to which flags are counted run by run, which is faster than to find them."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Group g has the joined rows `bounds[g]` up to, not including, `bounds[g + 1]`; shape (groups + 1,)."""

    bounds: IntArray

    @cached_property
    def counts(self) -> IntArray:
        """How many rows each group has."""
        return self.bounds[1:] - self.bounds[:-1]

    def take(self, positions: Array) -> "Runs | IntArray":
        """The groups of the joined rows at these ascending positions; as codes if they are not runs."""
        return Runs(positions.searchsorted(self.bounds))

    def counts_of(self, flags: BoolArray) -> IntArray:
        """How many flags each group has."""
        if len(self.bounds) > _FEW:
            return np.diff(flags.nonzero()[0].searchsorted(self.bounds))
        runs = pairwise(self.bounds.tolist())
        return np.array([np.count_nonzero(flags[start:end]) for start, end in runs], np.int64)

    def codes(self) -> IntArray:
        """The group of each joined row."""
        return np.arange(len(self.bounds) - 1).repeat(self.counts)

    def sums(self, values: Array) -> Array:
        """The sum of each group's values, 0 without any."""
        return self.reduced(np.add, values, values.dtype.type(0))

    def reduced(self, function: np.ufunc, values: Array, empty: Any) -> Array:
        """Each group's values put together by `function`; `empty` without any."""
        full, starts = self._full
        found = np.empty(len(self.counts), values.dtype)
        found.fill(empty)
        if len(starts):
            found[full] = function.reduceat(values, starts)
        return found

    @cached_property
    def _full(self) -> tuple[IntArray, IntArray]:
        """The groups that have rows, and where these begin."""
        full = self.counts.nonzero()[0]
        return full, self.bounds.take(full)


class EachRow(Runs):
    """Each joined row is a group of its own."""

    @classmethod
    def of(cls, rows: int) -> "EachRow":
        """The groups of this many rows."""
        return cls(np.arange(rows + 1))

    @override
    def take(self, positions: Array) -> IntArray:
        return positions

    @override
    def counts_of(self, flags: BoolArray) -> IntArray:
        return flags.astype(np.int64)

    @override
    def sums(self, values: Array) -> Array:
        return values

    @override
    def reduced(self, function: np.ufunc, values: Array, empty: Any) -> Array:
        del function, empty
        return values
