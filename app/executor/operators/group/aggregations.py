"""One class for each way to compute an aggregate."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from app.errors import IntegerOverflowError
from app.executor.columns.runs import Runs
from app.executor.columns.sums import group_counts, group_integers, group_reals, weighted_integers
from app.executor.columns.vector import Array, Vector, mixed_vector, with_nulls
from app.executor.columns.views.column_view import ColumnView
from app.executor.columns.views.numbers import LOW_BITS, Numbers
from app.executor.operators.access import Access
from app.executor.operators.frame import Computed, Frame, Partial, Result
from app.executor.operators.group.frame_groups import Groups, Present, non_null_positions
from app.tables.column import Kind
from app.tables.dictionary import BoolArray, IntArray
from app.values import INT64_MAX, INT64_MIN, Scalar, order_key
from app.workload.plan import Function


class Aggregator(ABC):
    """Computes one output of grouped rows."""

    __slots__ = ()

    @abstractmethod
    def result(self, groups: Groups, present: Present) -> Result:
        """The output for the groups `present` (None: all)."""


class Foldable(Aggregator):
    """An aggregation whose state can be added up, so that a branch need not be joined row by row."""

    __slots__ = ()

    @abstractmethod
    def partial(self, groups: Groups) -> Partial:
        """The state of each group."""


@dataclass(frozen=True, slots=True)
class CountRows(Aggregator):
    """count(*)."""

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        return _count(_of(groups.counts, present))


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
            values = _cells(groups.frame, self.access, numbers.integers, positions)
            weighted, bound = weighted_integers(values, weights, numbers.bound)
            return Partial(group_integers(codes, groups.size, weighted, bound), self.counts(groups))
        assert numbers.reals is not None, "a column of one kind has integers or reals"
        reals = _cells(groups.frame, self.access, numbers.reals, positions)
        sums = group_reals(codes, groups.size, reals, weights, mixed_signs=numbers.mixed_signs, exact=self.exact)
        return Partial(sums, self.counts(groups))


@dataclass(frozen=True, slots=True)
class CountValues(Foldable):
    """count(column)."""

    state: ColumnState

    @override
    def partial(self, groups: Groups) -> Partial:
        return Partial(None, self.state.counts(groups))

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        return _count(_of(self.state.counts(groups), present))


@dataclass(frozen=True, slots=True)
class Sum(Foldable):
    """sum or avg of a column that holds integers only or reals only."""

    function: Function
    state: ColumnState

    @override
    def partial(self, groups: Groups) -> Partial:
        return self.state.partial(groups)

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        return finished(self.function, self.partial(groups), present)


@dataclass(frozen=True, slots=True)
class MixedSum(Aggregator):
    """sum or avg of a column that mixes integers and reals: real if a group has a real."""

    function: Function
    state: ColumnState

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        numbers, access, exact = self.state.view.numbers, self.state.access, self.state.exact
        counts = self.state.counts(groups)
        positions = non_null_positions(groups.frame, access, None)
        codes, weights = groups.at(positions)
        cells = [_cells(groups.frame, access, part, positions) for part in _parts(numbers)]
        weighted, bound = weighted_integers(cells[0], weights, numbers.bound)
        integers = group_integers(codes, groups.size, weighted, bound)
        reals = group_reals(codes, groups.size, cells[1], weights, mixed_signs=numbers.mixed_signs, exact=exact)
        if numbers.low is not None:
            low = weighted_integers(_cells(groups.frame, access, numbers.low, positions), weights, float(LOW_BITS))
            reals = reals + group_integers(codes, groups.size, *low)
        # A row that a folded branch counts 0 times makes no sum real.
        real = cells[2] if weights is None else cells[2] & (weights > 0)
        real_cells = group_integers(codes, groups.size, real.astype(np.int64), 1.0)
        if self.function is Function.AVG:
            return finished(self.function, Partial(np.where(real_cells > 0, reals, integers), counts), present)
        chosen = zip(integers.tolist(), reals.tolist(), real_cells.tolist(), counts.tolist(), strict=True)
        sums = [
            None if not count else real if has_real else _in_64_bits(integer)
            for integer, real, has_real, count in chosen
        ]
        result = _mixed_result(sums)
        return result if present is None else result.take(np.arange(groups.size)[present])


@dataclass(frozen=True, slots=True)
class Folded(Foldable):
    """count, sum or avg of a column in a folded branch: `message` is the branch's offset, `output` the aggregate's."""

    function: Function
    message: int
    output: int

    @override
    def partial(self, groups: Groups) -> Partial:
        message = groups.frame.messages[self.message]
        return groups.folded(message, message.partials[self.output])

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        return finished(self.function, self.partial(groups), present)


@dataclass(frozen=True, slots=True)
class Extreme(Aggregator):
    """min or max, in the column's order."""

    smallest: bool
    view: ColumnView
    access: Access

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        keys, positions = self._keys(groups)
        null = keys.dtype.type(self.view.null_order)
        if groups.codes is None:
            return self._single(keys, null)
        codes = groups.codes if positions is None else groups.codes.take(positions)
        found = _of(self._reduced(codes, groups.size, keys, null), present)
        absent = found == null
        return Computed(self._vector(found, absent), lambda: found)

    def _keys(self, groups: Groups) -> tuple[Array, Array | None]:
        """Order keys of the joined rows that count, and their positions (None: all rows)."""
        frame, access = groups.frame, self.access
        if access.optional:
            rows = frame.rows[access.alias]
            assert rows is not None, "optional rows are always listed"
            keys = self.view.order_at_optional(rows)
        else:
            keys = access.values(frame, self.view.order)
        counted: BoolArray | None = None if groups.weights is None else groups.weights > 0
        if self.smallest and (access.optional or self.view.nulls is not None):
            present = keys != self.view.null_order
            counted = present if counted is None else counted & present
        if counted is None:
            return keys, None
        positions = counted.nonzero()[0]
        return keys.take(positions), positions

    def _single(self, keys: Array, null: Any) -> Result:
        """The output for one group of all rows."""
        if not len(keys):
            return Computed(mixed_vector([None]), lambda: np.array([null]))
        order = (np.minimum if self.smallest else np.maximum).reduce(keys, keepdims=True)
        return Computed(mixed_vector([None]) if order[0] == null else self.view.from_order(order), lambda: order)

    def _reduced(self, codes: IntArray | Runs, size: int, keys: Array, null: Any) -> Array:
        if isinstance(codes, Runs):
            return codes.reduced(np.minimum if self.smallest else np.maximum, keys, null)
        if not self.smallest:
            found = np.full(size, null)
            np.maximum.at(found, codes, keys)
            return found
        # NULL is the least of the order, so that a minimum must start elsewhere.
        found = np.full(size, null)
        found[codes] = keys
        np.minimum.at(found, codes, keys)
        return found

    def _vector(self, found: Array, absent: BoolArray) -> Vector:
        if absent.all():
            return mixed_vector([None] * len(found))
        if not absent.any():
            return self.view.from_order(found)
        known = found[~absent][0]
        return with_nulls(self.view.from_order(np.where(absent, known, found)), absent)


def _of(values: Array, present: Present) -> Array:
    if isinstance(present, slice):
        return values[present]
    return values if present is None else values.take(present)


def _cells(frame: Frame, access: Access, by_row: Array, positions: Array | None) -> Array:
    if not access.optional:
        return access.values(frame, by_row)
    rows = frame.rows[access.alias]
    assert rows is not None, "optional rows are always listed"
    assert positions is not None, "optional rows are always chosen"
    return by_row.take(rows.take(positions))


def _parts(numbers: Numbers) -> tuple[Array, Array, Array]:
    assert numbers.integers is not None, "a mixed column has all three"
    assert numbers.reals is not None, "a mixed column has all three"
    assert numbers.is_real is not None, "a mixed column has all three"
    return numbers.integers, numbers.reals, numbers.is_real


def _count(counts: IntArray) -> Result:
    return Computed(Vector(Kind.INT64, counts))


def finished(function: Function, partial: Partial, present: Present) -> Result:
    """The output that an aggregate's state stands for."""
    counts = _of(partial.counts, present)
    if function is Function.COUNT:
        return _count(counts)
    assert partial.sums is not None, "a sum's state has sums"
    sums = _of(partial.sums, present)
    nulls = None if np.count_nonzero(counts) == len(counts) else counts == 0
    if function is Function.AVG:
        averages = (sums / (counts if nulls is None else np.maximum(counts, 1))).astype(np.float64, copy=False)
        return _with_null_order(Vector(Kind.FLOAT64, averages), nulls)
    if sums.dtype == object:
        sums = np.array([_in_64_bits(integer) for integer in sums.tolist()], np.int64)
    return _with_null_order(Vector(Kind.FLOAT64 if sums.dtype.kind == "f" else Kind.INT64, sums), nulls)


def _with_null_order(vector: Vector, nulls: BoolArray | None) -> Result:
    if nulls is None:
        return Computed(vector)
    known = with_nulls(vector, nulls)
    if vector.kind is Kind.FLOAT64:
        return Computed(known, lambda: np.where(nulls, -np.inf, vector.values))
    least = int(vector.values.min()) - 1
    if least < INT64_MIN:
        return _mixed_result(known.to_list())
    return Computed(known, lambda: np.where(nulls, np.int64(least), vector.values))


def _mixed_result(scalars: list[Scalar]) -> Result:
    distinct = sorted({order_key(scalar) for scalar in scalars})
    rank_of = {key: rank for rank, key in enumerate(distinct)}
    ranks = np.array([rank_of[order_key(scalar)] for scalar in scalars], np.int64)
    return Computed(mixed_vector(scalars), lambda: ranks)


def _in_64_bits(integer: int) -> int:
    if INT64_MIN <= integer <= INT64_MAX:
        return int(integer)
    raise IntegerOverflowError(
        "An integer sum leaves 64 bits.", hint="Sum a smaller group, or store the column as REAL."
    )
