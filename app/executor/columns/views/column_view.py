"""One column as queries read it: what operators prepare once and then use in each run."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from app.errors import PlanInvalidError
from app.executor.columns.conditions import AnyOf, Comparator, Compare, Condition, Constant, Flagged
from app.executor.columns.vector import Array, Vector, mixed_vector, with_nulls
from app.executor.columns.views.keys import GroupKeys, KeyIndex
from app.executor.columns.views.numbers import Numbers
from app.tables.column import Column
from app.tables.dictionary import BoolArray
from app.tables.schema import ColumnSchema
from app.values import Scalar, comparison_operand
from app.workload.plan import Comparison, FilterValue

COMPARATORS: dict[Comparison, Comparator] = {
    Comparison.LT: operator.lt,
    Comparison.LE: operator.le,
    Comparison.GT: operator.gt,
    Comparison.GE: operator.ge,
}
_BELOW = (Comparison.LT, Comparison.LE)


class ColumnView(ABC):
    """A column, its declaration, and the arrays prepared from it (each on first use, then kept)."""

    def __init__(self, column: Column, schema: ColumnSchema) -> None:
        self.column = column
        self.schema = schema
        self.rows = len(column)
        self.nulls = column.nulls if column.null_count() else None

    @cached_property
    def valid(self) -> BoolArray | None:
        """True where a cell is not NULL; None without NULLs."""
        return None if self.nulls is None else ~self.nulls

    @property
    @abstractmethod
    def keys(self) -> Array:
        """Numbers that are equal exactly where cells are equal (NULLs aside), shape (rows,)."""

    @abstractmethod
    def key_of(self, value: Scalar) -> list[Any]:
        """The keys that equal a value, which has the column's affinity already; at most a few, maybe none."""

    @abstractmethod
    def compare(self, op: Comparison, value: Scalar) -> Condition:
        """The condition `cell <op> value` for an ordering operator; the value has the column's affinity already."""

    @abstractmethod
    def contains(self, part: str) -> Condition:
        """The condition that SQLite's instr() finds `part` in the cell."""

    @property
    @abstractmethod
    def order(self) -> Array:
        """Numbers in the column's order, NULL least, shape (rows,)."""

    @property
    @abstractmethod
    def null_order(self) -> int | float:
        """The number of `order` that stands for NULL."""

    def order_at(self, rows: Array) -> Array:
        """`order` of these rows."""
        return self.order.take(rows)

    @abstractmethod
    def from_order(self, keys: Array) -> Vector:
        """Cells with these numbers of `order`, none of them NULL."""

    @property
    @abstractmethod
    def groups(self) -> GroupKeys:
        """The group of each row."""

    @property
    @abstractmethod
    def numbers(self) -> Numbers:
        """The cells as sums read them."""

    @abstractmethod
    def take(self, rows: Array) -> Vector:
        """The cells of these rows."""

    @abstractmethod
    def whole(self) -> Vector:
        """All cells."""

    def take_optional(self, rows: Array) -> Vector:
        """The cells of these rows, NULL for row -1."""
        missing = rows < 0
        if not missing.any():
            return self.take(rows)
        if self.rows == 0:
            return mixed_vector([None] * len(rows))
        return with_nulls(self.take(np.where(missing, 0, rows)), missing)

    def order_at_optional(self, rows: Array) -> Array:
        """`order` of these rows, with row -1 as NULL."""
        missing = rows < 0
        if not missing.any():
            return self.order_at(rows)
        if self.rows == 0:
            return np.full(len(rows), self.null_order)
        found = self.order_at(np.where(missing, 0, rows))
        return np.where(missing, found.dtype.type(self.null_order), found)

    @property
    def ranks_are_costly(self) -> bool:
        """Whether `order` costs so much that a few rows are better ordered without it."""
        return False

    def prepare_order(self) -> None:
        """Build what `order` and `from_order` read."""
        keys = self.order
        if self.rows:
            self.from_order(keys[:1] if self.nulls is None else keys[~self.nulls][:1])

    def prepare_texts(self) -> None:  # noqa: B027 (numbers are read as they are)
        """Build what reading the cells of an answer takes."""

    @property
    def ascends(self) -> bool:
        """Whether the cells stand in strictly ascending order, none of them NULL."""
        return False

    @cached_property
    def key_index(self) -> KeyIndex:
        """The rows of each key."""
        return KeyIndex(self.keys, self.nulls)

    def match(self, op: Comparison, value: FilterValue) -> Condition:
        """The condition of a filter."""
        if op is Comparison.IS_NULL:
            return Constant(self.rows, False) if self.nulls is None else Flagged(self.nulls)
        if op is Comparison.NOT_NULL:
            return self.all_valid()
        if op in (Comparison.EQ, Comparison.NE, Comparison.IN):
            return self.any_of(self.keys_of(value), negated=op is Comparison.NE)
        if isinstance(value, tuple) or value is None:
            raise PlanInvalidError(f"{op} takes one value.", column=self.schema.name)
        if op is Comparison.CONTAINS:
            return self.contains(str(int(value)) if isinstance(value, bool) else str(value))
        return self.compare(op, self.operand(value))

    def operand(self, value: Scalar) -> Scalar:
        """A constant as it is compared with this column; a bool is 0 or 1."""
        number = int(value) if isinstance(value, bool) else value
        return comparison_operand(number, self.schema.affinity)

    def keys_of(self, value: FilterValue) -> list[Any]:
        """The keys that equal a value, or one of several values."""
        values: Iterable[Scalar] = value if isinstance(value, tuple) else (value,)
        return list(dict.fromkeys(key for one in values for key in self.key_of(self.operand(one))))

    def any_of(self, keys: list[Any], *, negated: bool) -> Condition:
        """The condition that a cell has one of these keys, or none of them."""
        if not keys:
            return self.all_valid() if negated else Constant(self.rows, False)
        typed = [self.keys.dtype.type(key) for key in keys]
        if len(typed) == 1:
            return Compare(self.keys, operator.ne if negated else operator.eq, typed[0], self.valid)
        return AnyOf(self.keys, typed, negated, self.valid)

    def all_valid(self) -> Condition:
        """The condition that a cell is not NULL."""
        return Constant(self.rows, True) if self.valid is None else Flagged(self.valid)

    def against_other_class(self, op: Comparison, *, cell_is_less: bool) -> Condition:
        """The condition if all cells are less (or all greater) than a value of another storage class."""
        return self.all_valid() if (op in _BELOW) is cell_is_less else Constant(self.rows, False)


def narrowed(values: Array, low: int, high: int) -> Array:
    """The same integers in the narrowest signed type that also holds `low` and `high`."""
    for dtype in (np.int8, np.int16, np.int32):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return values.astype(dtype)
    return values.astype(np.int64, copy=False)
