"""Groups that are runs of the joined rows, so that counts need no row and sums read each value once, in order."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.executor.vector import Array
from app.tables.dictionary import IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Runs:
    """Group g has the joined rows `bounds[g]` up to, not including, `bounds[g + 1]`; shape (groups + 1,)."""

    bounds: IntArray

    @property
    def counts(self) -> IntArray:
        """How many rows each group has."""
        return self.bounds[1:] - self.bounds[:-1]

    def take(self, positions: Array) -> "Runs":
        """The groups of the joined rows at these ascending positions."""
        return Runs(positions.searchsorted(self.bounds))

    def codes(self) -> IntArray:
        """The group of each joined row."""
        return np.arange(len(self.bounds) - 1).repeat(self.counts)

    def sums(self, values: Array) -> Array:
        """The sum of each group's values, 0 without any."""
        return self.reduced(np.add, values, values.dtype.type(0))

    def reduced(self, function: np.ufunc, values: Array, empty: Any) -> Array:
        """Each group's values put together by `function`; `empty` without any."""
        starts = self.bounds[:-1]
        full = starts < self.bounds[1:]
        if full.all() and len(starts):
            found: Array = function.reduceat(values, starts)
            return found
        found = np.full(len(starts), empty, values.dtype)
        if full.any():
            found[full] = function.reduceat(values, starts[full])
        return found
