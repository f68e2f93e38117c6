"""A column's values by group, as counts and sums read them."""

from dataclasses import dataclass

from app.executor.columns.runs import Runs
from app.executor.columns.sums import group_counts, group_integers, group_reals, weighted_integers
from app.executor.columns.vector import Array
from app.executor.columns.views.column_view import ColumnView
from app.executor.operators.access import Access
from app.executor.operators.frame import Frame, Partial
from app.executor.operators.group.frame_groups import Groups, non_null_positions
from app.tables.dictionary import IntArray


@dataclass(frozen=True, eq=False, slots=True)
class ColumnState:
    """A column's values as counts and sums read them; all aggregates of one column share it, and its work in a run.

    `exact` says that a limit cuts by the sum, so that its last digits matter.
    """

    view: ColumnView
    access: Access
    exact: bool

    def prepare(self, *, sums: bool) -> None:
        """Build what counts, and also `sums`, read."""
        _ = self.view.valid
        numbers = self.view.numbers if sums else None
        for by_row in (self.view.nulls, *(() if numbers is None else numbers.arrays)):
            if by_row is not None:
                self.access.prepare(by_row)

    def counts(self, groups: Groups) -> IntArray:
        """How many values each group has."""
        return groups.once((self, "counts"), self._counts)

    def partial(self, groups: Groups) -> Partial:
        """Sums and counts of a column of integers only or of reals only."""
        return groups.once((self, "partial"), self._partial)

    def _counts(self, groups: Groups) -> IntArray:
        nulls = self.view.nulls
        if not self.access.optional and nulls is not None:
            flags = self.access.values(groups.frame, nulls)
            if isinstance(groups.codes, Runs) and groups.weights is None:
                return groups.counts - groups.codes.counts_of(flags)
            # NULLs are usually fewer than values.
            absent = flags.nonzero()[0]
            if not len(absent):
                return groups.counts
            codes, weights = groups.at(absent)
            return groups.counts - group_counts(codes, groups.size, len(absent), weights)
        positions = non_null_positions(groups.frame, self.access, self.view.valid)
        if positions is None:
            return groups.counts
        codes, weights = groups.at(positions)
        return group_counts(codes, groups.size, len(positions), weights)

    def _partial(self, groups: Groups) -> Partial:
        numbers = self.view.numbers
        # NULL cells count as 0, so that only rows of an absent optional alias need to go.
        positions = non_null_positions(groups.frame, self.access, None)
        codes, weights = groups.at(positions)
        if numbers.integers is not None:
            values = cells_at(groups.frame, self.access, numbers.integers, positions)
            weighted, bound = weighted_integers(values, weights, numbers.bound)
            return Partial(group_integers(codes, groups.size, weighted, bound), self.counts(groups))
        assert numbers.reals is not None, "a column of one kind has integers or reals"
        reals = cells_at(groups.frame, self.access, numbers.reals, positions)
        sums = group_reals(codes, groups.size, reals, weights, mixed_signs=numbers.mixed_signs, exact=self.exact)
        return Partial(sums, self.counts(groups))


def cells_at(frame: Frame, access: Access, by_row: Array, positions: Array | None) -> Array:
    """The cells of the joined rows; of an optional alias at these positions, which leave out rows that are absent."""
    if not access.optional:
        return access.values(frame, by_row)
    rows = frame.rows[access.alias]
    assert rows is not None, "optional rows are always listed"
    assert positions is not None, "optional rows are always chosen"
    return by_row.take(rows.take(positions))
