"""How an operator reads a column for each joined row."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.executor.columns.vector import Array
from app.executor.operators.frame import Alias, Frame


@dataclass(frozen=True, slots=True)
class Access:
    """Values by row of the table that `hops`, pointers from child to parent, reach from `alias`.

    An `optional` alias may have row -1, and is never read through hops.
    """

    alias: Alias
    optional: bool = False
    hops: Sequence[Array] = ()

    def prepare(self, by_row: Array) -> None:
        """Make what reading these values in each run needs."""

    def is_whole(self, frame: Frame) -> bool:
        """Whether joined row i has row i of the table."""
        return not self.hops and not self.optional and frame.rows[self.alias] is None

    def values(self, frame: Frame, by_row: Array) -> Array:
        """The values for each joined row; not for an optional alias.

        A table without rows has nothing joined to it. Hops through tables that are smaller than the joined rows are
        made for all rows of those tables first.
        """
        if not len(by_row):
            return by_row
        rows = frame.rows[self.alias]
        remaining = self.hops
        if rows is not None:
            while remaining and len(rows) < len(remaining[0]):
                rows, remaining = remaining[0].take(rows), remaining[1:]
        for pointers in reversed(remaining):
            by_row = by_row.take(pointers)
        return by_row if rows is None else by_row.take(rows)

    def rows(self, frame: Frame, positions: Array | None = None) -> Array | None:
        """The row offsets of the joined rows (at these positions); None for all rows of the table in order."""
        rows = frame.rows[self.alias]
        if positions is not None:
            rows = positions if rows is None else rows.take(positions)
        for pointers in self.hops:
            rows = pointers if rows is None else pointers.take(rows)
        return rows
