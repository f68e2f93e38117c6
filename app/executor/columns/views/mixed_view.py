"""Columns that mix types: each cell becomes its rank in SQLite's order."""

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Any

import numpy as np
from typing_extensions import override

from app.executor.columns.conditions import ByObject, Compare, Condition
from app.executor.columns.vector import Array, Vector
from app.executor.columns.views.column_view import COMPARATORS, ColumnView, narrowed
from app.executor.columns.views.keys import GroupKeys, group_keys
from app.executor.columns.views.numbers import Numbers, general_numbers
from app.tables.column import Kind
from app.values import Scalar, number_to_text, order_key
from app.workload.plan import Comparison

_OrderKey = tuple[int, float | int, bytes]


class MixedView(ColumnView):
    """A column of Python scalars of several types."""

    @cached_property
    def _ranked(self) -> tuple[list[_OrderKey], Array]:
        """The distinct order keys, ascending, NULL left out, and each cell's rank among them; -1 for NULL."""
        keys = [order_key(value, self.schema.collation) for value in self.column.values.tolist()]
        distinct = sorted(set(keys) - {order_key(None)})
        rank_of = {key: rank for rank, key in enumerate(distinct)}
        ranks = np.fromiter((rank_of.get(key, -1) for key in keys), np.int64, len(keys))
        return distinct, narrowed(ranks, -1, len(distinct) + 1)

    @property
    @override
    def keys(self) -> Array:
        return self._ranked[1]

    @property
    @override
    def order(self) -> Array:
        return self._ranked[1]

    @override
    def key_of(self, value: Scalar) -> list[Any]:
        distinct, key = self._ranked[0], order_key(value, self.schema.collation)
        rank = bisect_left(distinct, key)
        return [rank] if rank < len(distinct) and distinct[rank] == key else []

    @override
    def compare(self, op: Comparison, value: Scalar) -> Condition:
        distinct, key = self._ranked[0], order_key(value, self.schema.collation)
        rank = bisect_left(distinct, key) if op in (Comparison.LT, Comparison.GE) else bisect_right(distinct, key)
        below = op in (Comparison.LT, Comparison.LE)
        condition = COMPARATORS[Comparison.LT if below else Comparison.GE]
        return Compare(self.keys, condition, self.keys.dtype.type(rank), self.valid if below else None)

    @override
    def contains(self, part: str) -> Condition:
        return ByObject(self.column.values, lambda value: part in _text(value))

    @cached_property
    def _representatives(self) -> Array:
        """Some row of each rank."""
        ranks = self.keys
        rows = np.zeros(len(self._ranked[0]), np.int64)
        present = (ranks >= 0).nonzero()[0][::-1]
        rows[ranks[present]] = present
        return rows

    @property
    @override
    def null_order(self) -> int:
        return -1

    @override
    def from_order(self, keys: Array) -> Vector:
        return self.take(self._representatives[keys])

    @cached_property
    @override
    def groups(self) -> GroupKeys:
        return group_keys(self.keys, len(self._ranked[0]), self.nulls, ordered=True)

    @cached_property
    @override
    def numbers(self) -> Numbers:
        return general_numbers(self.column.values)

    @override
    def take(self, rows: Array) -> Vector:
        nulls = None if self.nulls is None else self.nulls.take(rows)
        return Vector(Kind.MIXED, self.column.values.take(rows), nulls)

    @override
    def whole(self) -> Vector:
        return Vector(Kind.MIXED, self.column.values, self.nulls)


def _text(value: str | int | float) -> str:
    return value if isinstance(value, str) else number_to_text(value)
