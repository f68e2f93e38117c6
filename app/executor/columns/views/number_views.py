"""Columns of integers, bools and reals."""

import math
from functools import cached_property
from typing import Any

import numpy as np
from typing_extensions import override

from app.executor.columns.conditions import ByObject, Compare, Condition
from app.executor.columns.vector import Array, Vector
from app.executor.columns.views.column_view import COMPARATORS, ColumnView, narrowed
from app.executor.columns.views.keys import GroupKeys, group_keys, hashed, integer_keys
from app.executor.columns.views.numbers import Numbers, extremes, integer_numbers, real_numbers
from app.tables.column import Kind
from app.values import INT64_MIN, Scalar, number_to_text
from app.workload.plan import Comparison

_BELOW = (Comparison.LT, Comparison.LE)


class NumberView(ColumnView):
    """What integer and real columns have in common."""

    @override
    def take(self, rows: Array) -> Vector:
        nulls = None if self.nulls is None else self.nulls.take(rows)
        return Vector(self.column.kind, self.column.values.take(rows), nulls)

    @override
    def whole(self) -> Vector:
        return Vector(self.column.kind, self.column.values, self.nulls)

    @cached_property
    @override
    def ascends(self) -> bool:
        values = self.column.values
        return self.nulls is None and bool(np.all(values[1:] > values[:-1]))

    @override
    def contains(self, part: str) -> Condition:
        return ByObject(self.column.objects(), lambda number: part in number_to_text(number))


class IntegerView(NumberView):
    """A column of 64-bit integers or of bools, which are 0 and 1."""

    @cached_property
    def _range(self) -> tuple[int, int]:
        return extremes(self._integers)

    @property
    def _integers(self) -> Array:
        values = self.column.values
        return values.view(np.int8) if self.column.kind is Kind.BOOL else values

    @cached_property
    @override
    def keys(self) -> Array:
        return narrowed(self._integers, *self._range)

    @override
    def key_of(self, value: Scalar) -> list[Any]:
        if isinstance(value, float):
            value = int(value) if value.is_integer() else None
        low, high = self._range
        return [value] if isinstance(value, int) and low <= value <= high else []

    @override
    def compare(self, op: Comparison, value: Scalar) -> Condition:
        if isinstance(value, str):
            return self.against_other_class(op, cell_is_less=True)
        assert value is not None, "comparisons with NULL are refused when a plan is bound"
        if math.isinf(value):  # what a text such as "1e400" becomes
            return self.against_other_class(op, cell_is_less=value > 0)
        op, bound = _integer_bound(op, value)
        low, high = self._range
        if not low <= bound <= high:
            return self.against_other_class(op, cell_is_less=bound > high)
        comparison = COMPARATORS[op]
        # NULL cells hold 0: if 0 fails the comparison they are excluded already.
        valid = self.valid if comparison(0, bound) else None
        return Compare(self.keys, comparison, self.keys.dtype.type(bound), valid)

    @cached_property
    @override
    def order(self) -> Array:
        low, high = self._range
        if self._is_ranked:
            ordered = self._ranked[1]
        elif self.keys.dtype.type(low) == np.iinfo(self.keys.dtype).min:
            ordered = narrowed(self._integers, low - 1, high)
        else:
            ordered = self.keys
        if self.nulls is None:
            return ordered
        return np.where(self.nulls, ordered.dtype.type(self.null_order), ordered)

    @property
    @override
    def null_order(self) -> int:
        return -1 if self._is_ranked else self._range[0] - 1

    @property
    def _is_ranked(self) -> bool:
        """Whether no 64-bit integer is left below the column's least."""
        return self._range[0] == INT64_MIN

    @cached_property
    def _ranked(self) -> tuple[Array, Array]:
        distinct, ranks = np.unique(self._integers, return_inverse=True)
        return distinct, ranks

    @override
    def from_order(self, keys: Array) -> Vector:
        integers = self._ranked[0].take(keys) if self._is_ranked else keys.astype(np.int64)
        if self.column.kind is Kind.BOOL:
            return Vector(Kind.BOOL, integers.astype(np.bool_))
        return Vector(Kind.INT64, integers)

    @cached_property
    @override
    def groups(self) -> GroupKeys:
        return integer_keys(self._integers, *self._range, self.nulls)

    @cached_property
    @override
    def numbers(self) -> Numbers:
        return integer_numbers(self._integers)


def _integer_bound(op: Comparison, value: int | float) -> tuple[Comparison, int]:
    """The same comparison of an integer with an integer."""
    if value == math.floor(value):
        return op, int(value)
    return (Comparison.LE, math.floor(value)) if op in _BELOW else (Comparison.GE, math.ceil(value))


class RealView(NumberView):
    """A column of reals."""

    @property
    @override
    def keys(self) -> Array:
        return self.column.values

    @override
    def key_of(self, value: Scalar) -> list[Any]:
        return [float(value)] if isinstance(value, int | float) and float(value) == value else []

    @override
    def compare(self, op: Comparison, value: Scalar) -> Condition:
        if isinstance(value, str):
            return self.against_other_class(op, cell_is_less=True)
        assert value is not None, "comparisons with NULL are refused when a plan is bound"
        op, bound = _real_bound(op, value)
        comparison = COMPARATORS[op]
        return Compare(self.keys, comparison, bound, self.valid if comparison(0.0, bound) else None)

    @cached_property
    @override
    def order(self) -> Array:
        return self.column.values if self.nulls is None else np.where(self.nulls, -np.inf, self.column.values)

    @property
    @override
    def null_order(self) -> float:
        return -np.inf

    @override
    def from_order(self, keys: Array) -> Vector:
        return Vector(Kind.FLOAT64, keys)

    @cached_property
    @override
    def groups(self) -> GroupKeys:
        # Adding 0.0 makes one key of 0.0 and -0.0.
        codes, distinct = hashed(self.column.values + 0.0)
        return group_keys(codes, len(distinct), self.nulls, ordered=False)

    @cached_property
    @override
    def numbers(self) -> Numbers:
        return real_numbers(self.column.values)


def _real_bound(op: Comparison, value: int | float) -> tuple[Comparison, float]:
    """The same comparison of a real with a real, exact for integers that no real equals."""
    bound = float(value)
    if bound == value:
        return op, bound
    if op in _BELOW:
        return (Comparison.LT if bound > value else Comparison.LE), bound
    return (Comparison.GE if bound > value else Comparison.GT), bound
