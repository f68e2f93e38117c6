"""What sums and averages read: a column's cells as numbers, and what is known about them."""

from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from app.executor.columns.sums import EXACT_IN_REAL, RealArray
from app.executor.columns.vector import Array
from app.tables.dictionary import BoolArray, IntArray, ObjectArray
from app.values import Scalar, text_to_number

LOW_BITS = 2**14 - 1
"""A 64-bit integer without these bits is exact as a real."""


@dataclass(frozen=True, eq=False, slots=True)
class Numbers:
    """Numeric cells, shape (rows,); NULL cells are 0 in each array.

    An integer column has `integers` only: as float64, which grouped sums read, if that is exact even for the sum of
    all; else as int64. A real column has `reals` only. A column that mixes both has the integers (0 where a cell is
    real), all cells as reals, and which are real; if an integer has more bits than a real, `low` holds the last bits
    of all integers, which `reals` then lacks. `bound` is the largest magnitude.
    """

    integers: Array | None
    reals: RealArray | None
    is_real: BoolArray | None
    bound: float
    mixed_signs: bool
    low: IntArray | None = None

    @property
    def arrays(self) -> tuple[Array | None, ...]:
        """The cells in all forms."""
        return self.integers, self.reals, self.is_real, self.low


def integer_numbers(values: Array) -> Numbers:
    """The numbers of integer cells."""
    low, high = extremes(values)
    bound = float(max(abs(low), abs(high)))
    exact = np.float64 if bound * len(values) < EXACT_IN_REAL else np.int64
    return Numbers(values.astype(exact, copy=False), None, None, bound, low < 0 < high)


def real_numbers(values: RealArray) -> Numbers:
    """The numbers of real cells."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    return Numbers(None, values, None, max(abs(low), abs(high)), low < 0 < high)


def general_numbers(objects: ObjectArray) -> Numbers:
    """The numbers that SQLite's sum() makes of any cells: text counts as the number that it begins with."""
    numbers = [_summand(value) for value in objects.tolist()]
    is_real = np.fromiter((isinstance(number, float) for number in numbers), np.bool_, len(numbers))
    integers = np.array([0 if isinstance(number, float) else number for number in numbers], np.int64)
    reals = np.array(numbers, np.float64)
    known = real_numbers(reals)
    low = None
    if np.abs(integers.astype(np.float64)).max(initial=0.0) > EXACT_IN_REAL:
        low = integers & LOW_BITS
        reals = np.where(is_real, reals, (integers - low).astype(np.float64))
    return Numbers(integers, reals, is_real, known.bound, known.mixed_signs, low)


def extremes(integers: npt.NDArray[np.integer[Any]]) -> tuple[int, int]:
    """The least and the greatest value; zeros for no values."""
    return (int(integers.min()), int(integers.max())) if len(integers) else (0, 0)


def _summand(value: Scalar) -> int | float:
    if value is None:
        return 0
    if not isinstance(value, str):
        return value
    number = text_to_number(value)
    return _leading_number(value) if number is None else number


def _leading_number(text: str) -> float:
    row = apsw.Connection(":memory:").execute("SELECT CAST(? AS REAL)", (text,)).fetchone()
    return float(row[0])  # type: ignore[index]
