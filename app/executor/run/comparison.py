"""The one comparison of the oracle's rows with the graph's rows.

Values are equal when type and value are; a bool is the integer that SQLite stores. What a plan leaves open is not
held against an answer: real sums and averages may differ by 1e-9 of themselves, or, if they cancel, by what SQLite's
compensated sum rounds off in the end (2**-90 of the column's largest value); the value that stands for a group or
is its minimum or maximum may be any that is equal under the column's collation, or as a number; so may numbers at a
limit's cut. Without an order rows are a multiset; with one, rows that tie are.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from app.values import Collation, Scalar, equality_key
from app.workload.bound import BoundOutput, BoundPlan
from app.workload.plan import Function

Row: TypeAlias = tuple[Scalar, ...]
Key: TypeAlias = tuple[Hashable, ...]
Tie: TypeAlias = Callable[[Hashable, Hashable], bool]

PREVIEW_ROWS = 20
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class AnswerComparison:
    """Whether the rows agree; else why not, the offset of the first row that differs, and rows of both sides there."""

    passed: bool
    reason: str = ""
    row: int | None = None
    expected_preview: tuple[Row, ...] = ()
    actual_preview: tuple[Row, ...] = ()


def compare_rows(plan: BoundPlan, expected: Sequence[Row], actual: Sequence[Row]) -> AnswerComparison:
    """Compare all rows; time grows with n log n at most."""
    if len(expected) != len(actual):
        return _failed(f"{len(expected)} rows expected, {len(actual)} found", expected, actual, 0)
    if not expected:
        return AnswerComparison(True)
    if len(expected[0]) != len(actual[0]):
        return _failed(f"{len(expected[0])} columns expected, {len(actual[0])} found", expected, actual, 0)
    sides = _Sides(plan, expected, actual)
    difference = sides.ordered_difference() if plan.order_by else sides.multiset_difference(0, len(expected))
    if difference is None:
        return AnswerComparison(True)
    return _failed(f"row {difference} differs", expected, actual, difference)


def _failed(reason: str, expected: Sequence[Row], actual: Sequence[Row], row: int) -> AnswerComparison:
    start = max(0, row - 2)
    shown = slice(start, start + PREVIEW_ROWS)
    return AnswerComparison(False, reason, row, tuple(expected[shown]), tuple(actual[shown]))


def is_real_aggregate(output: BoundOutput) -> bool:
    """Whether an output may be a sum of reals in another order."""
    return output.function in (Function.SUM, Function.AVG)


def close(left: Scalar, right: Scalar, noise: float) -> bool:
    """Whether two sums or averages agree: integers exactly, reals within the tolerance or the output's noise."""
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=noise)
    return type(left) is type(right) and left == right


class _Sides:
    """Both sides' rows as keys that are equal exactly where rows agree, real aggregates aside."""

    def __init__(self, plan: BoundPlan, expected: Sequence[Row], actual: Sequence[Row]) -> None:
        outputs = range(len(plan.outputs))
        sums = (number for number in outputs if is_real_aggregate(plan.outputs[number]))
        self._real: dict[int, Tie] = {number: partial(_close_keys, plan.outputs[number].noise) for number in sums}
        self._exact = [number for number in outputs if number not in self._real]
        self._order = [order.output for order in plan.order_by]
        columns = [_normalised(plan, number) for number in outputs]
        self._expected = _keyed(expected, columns)
        self._actual = _keyed(actual, columns)
        self._sort_cells = [
            [self._sort_column(plan, number, rows) for number in self._order] for rows in (expected, actual)
        ]

    def multiset_difference(self, start: int, end: int) -> int | None:
        """The offset of a row between `start` and `end` that has no partner; None if all have one."""
        left, right = self._expected[start:end], self._actual[start:end]
        if left == right:
            return None
        exact = [[tuple(row[number] for number in self._exact) for row in side] for side in (left, right)]
        if Counter(exact[0]) != Counter(exact[1]):
            missing = Counter(exact[0]) - Counter(exact[1])
            return start + next(offset for offset, key in enumerate(exact[0]) if key in missing)
        if not self._real:
            return None
        return self._real_difference(start, exact, left, right)

    def _real_difference(
        self, start: int, exact: Sequence[Sequence[Key]], left: Sequence[Key], right: Sequence[Key]
    ) -> int | None:
        """Rows with equal exact parts are paired by their real aggregates, in order of size."""
        buckets: dict[Key, tuple[list[int], list[int]]] = {}
        for side, keys in enumerate(exact):
            for offset, key in enumerate(keys):
                buckets.setdefault(key, ([], []))[side].append(offset)
        for mine, others in buckets.values():
            sides = [left[offset] for offset in mine], [right[offset] for offset in others]
            if not _pair_up(*sides, list(self._real.items())):
                return start + mine[0]
        return None

    def ordered_difference(self) -> int | None:
        """The offset of the first row that is out of order or has no partner among the rows that tie with it."""
        return self._runs_difference(0, len(self._expected), 0)

    def _sort_column(self, plan: BoundPlan, number: int, rows: Sequence[Row]) -> list[Hashable]:
        """The cells of a sort key, equal if they tie."""
        if number in self._real:
            return [_typed(row[number]) for row in rows]
        return [_open(row[number], plan.outputs[number].collation) for row in rows]

    def _runs_difference(self, start: int, end: int, key: int) -> int | None:
        """Split rows into runs that tie in a sort key, then go on with the next key inside each run."""
        if key == len(self._order) or end - start == 1:
            return self.multiset_difference(start, end)
        tie = self._real.get(self._order[key])
        left, right = (side[key][start:end] for side in self._sort_cells)
        for offset, (one, other) in enumerate(zip(left, right, strict=True)):
            if one != other and not (tie and tie(one, other)):
                return start + offset
        for first, last in _runs(left, tie or _equal_keys):
            # Sums that merely are close may stand in either order, so that later keys decide nothing.
            settled = tie is None or len(set(left[first:last]) | set(right[first:last])) == 1
            following = key + 1 if settled else len(self._order)
            difference = self._runs_difference(start + first, start + last, following)
            if difference is not None:
                return difference
        return None


def _keyed(rows: Sequence[Row], columns: Sequence[Callable[[Sequence[Scalar]], list[Hashable]]]) -> list[Key]:
    cells = zip(*rows, strict=True)
    return list(zip(*(normalise(column) for normalise, column in zip(columns, cells, strict=True)), strict=True))


def _normalised(plan: BoundPlan, number: int) -> Callable[[Sequence[Scalar]], list[Hashable]]:
    """How an output's cells become keys."""
    output = plan.outputs[number]
    if plan.is_aggregate and output.function in (None, Function.MIN, Function.MAX):
        return lambda cells: [_open(cell, output.collation) for cell in cells]
    if plan.limit is not None and not is_real_aggregate(output):
        return lambda cells: [_open(cell, Collation.BINARY) for cell in cells]
    return lambda cells: [_typed(cell) for cell in cells]


def _open(cell: Scalar, collation: Collation) -> Hashable:
    """Equal for values that are equal to SQLite; text never equals a number in Python either."""
    return equality_key(cell, collation)


def _typed(cell: Scalar) -> Hashable:
    """Equal for values of the same type only: a real is marked, since 1.0 equals 1 in Python."""
    if isinstance(cell, float):
        return ("real", cell)
    return int(cell) if isinstance(cell, bool) else cell


def _equal_keys(left: Hashable, right: Hashable) -> bool:
    return left == right


def _close_keys(noise: float, left: Hashable, right: Hashable) -> bool:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return close(left[1], right[1], noise)
    return left == right


def _runs(keys: Sequence[Hashable], tie: Tie) -> list[tuple[int, int]]:
    starts = [0, *(offset + 1 for offset, (one, other) in enumerate(pairwise(keys)) if not tie(one, other))]
    return list(zip(starts, [*starts[1:], len(keys)], strict=True))


def _pair_up(left: list[Key], right: list[Key], columns: Sequence[tuple[int, Tie]]) -> bool:
    """Whether rows can be paired so that each of these columns ties; values that tie leave the next column open."""
    if not columns:
        return True
    if len(left) == 1:
        return all(tie(left[0][column], right[0][column]) for column, tie in columns)
    column, tie = columns[0]
    left, right = (sorted(side, key=lambda row: _size(row[column])) for side in (left, right))
    if not all(tie(one[column], other[column]) for one, other in zip(left, right, strict=True)):
        return False
    runs = _runs([row[column] for row in left], tie)
    return all(_pair_up(left[first:last], right[first:last], columns[1:]) for first, last in runs)


def _size(key: Hashable) -> tuple[int, float | int]:
    """A sort key of an aggregate: NULL, integers, reals."""
    if isinstance(key, tuple):
        return (2, key[1])
    return (0, 0) if key is None else (1, key)  # type: ignore[return-value]
