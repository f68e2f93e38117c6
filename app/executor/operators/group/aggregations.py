"""One class for each way to compute an aggregate."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from app.errors import IntegerOverflowError
from app.executor.columns.sums import group_integers, group_reals, weighted_integers
from app.executor.columns.vector import Array, Vector, mixed_vector, with_nulls
from app.executor.columns.views.numbers import LOW_BITS, Numbers
from app.executor.operators.frame import Computed, Partial, Result
from app.executor.operators.group.column_state import ColumnState, cells_at
from app.executor.operators.group.frame_groups import Groups, Present, chosen, non_null_positions
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
        return _count(chosen(groups.counts, present))


@dataclass(frozen=True, slots=True)
class CountValues(Foldable):
    """count(column)."""

    state: ColumnState

    @override
    def partial(self, groups: Groups) -> Partial:
        return Partial(None, self.state.counts(groups))

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        return _count(chosen(self.state.counts(groups), present))


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
        cells = [cells_at(groups.frame, access, part, positions) for part in _parts(numbers)]
        weighted, bound = weighted_integers(cells[0], weights, numbers.bound)
        integers = group_integers(codes, groups.size, weighted, bound)
        reals = group_reals(codes, groups.size, cells[1], weights, mixed_signs=numbers.mixed_signs, exact=exact)
        if numbers.low is not None:
            low = weighted_integers(cells_at(groups.frame, access, numbers.low, positions), weights, float(LOW_BITS))
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


def _parts(numbers: Numbers) -> tuple[Array, Array, Array]:
    assert numbers.integers is not None, "a mixed column has all three"
    assert numbers.reals is not None, "a mixed column has all three"
    assert numbers.is_real is not None, "a mixed column has all three"
    return numbers.integers, numbers.reals, numbers.is_real


def _count(counts: IntArray) -> Result:
    return Computed(Vector(Kind.INT64, counts))


def finished(function: Function, partial: Partial, present: Present) -> Result:
    """The output that an aggregate's state stands for."""
    counts = chosen(partial.counts, present)
    if function is Function.COUNT:
        return _count(counts)
    assert partial.sums is not None, "a sum's state has sums"
    sums = chosen(partial.sums, present)
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
