"""Where columns hold different or equal cells: by value and type, not by SQL's equality."""

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from app.tables.arrow import with_nulls_as
from app.tables.column import Column, Kind
from app.tables.dictionary import BoolArray, IntArray
from app.values import Scalar


def differing(left: Column, right: Column) -> BoolArray:
    """True where two columns of one length hold different values or types; 1 and 1.0, 0.0 and -0.0 differ."""
    if left.kind is not right.kind or left.kind is Kind.MIXED:
        pairs = zip(left.to_list(), right.to_list(), strict=True)
        return np.fromiter((exact(a) != exact(b) for a, b in pairs), np.bool_, len(left))
    nulls = left.null_mask()
    return np.asarray((nulls != right.null_mask()) | (~nulls & _unequal(left, right)))


def exact(value: Scalar) -> tuple[type, str | Scalar]:
    """A key that is equal for the same value of the same type only."""
    return type(value), repr(value) if isinstance(value, float) else value


def _unequal(left: Column, right: Column) -> BoolArray:
    if left.kind is Kind.FLOAT64:
        return np.asarray(left.values.view(np.int64) != right.values.view(np.int64))
    if left.kind is Kind.TEXT and not (len(left.texts) and len(right.texts)):
        return np.zeros(len(left), np.bool_)
    if left.kind is not Kind.TEXT or left.dictionary is right.dictionary:
        return np.asarray(left.values != right.values)
    if len(left.texts) + len(right.texts) > 4 * len(left):
        return np.asarray(left.texts.objects_of(left.values) != right.texts.objects_of(right.values))
    return np.asarray(left.values != _codes_within(left, right)[right.values])


def _codes_within(left: Column, right: Column) -> IntArray:
    """For each text of the right dictionary its code in the left one, or -1."""
    found: IntArray = with_nulls_as(-1, pc.index_in(right.texts.entries, value_set=left.texts.entries))
    return found


def exact_codes(column: Column) -> IntArray:
    """Integers that are equal exactly where the cells are, shape (rows,); the code of a NULL is arbitrary."""
    if column.kind is Kind.MIXED:
        codes: dict[tuple[type, str | Scalar], int] = {}
        cells = (codes.setdefault(exact(value), len(codes)) for value in column.values.tolist())
        return np.fromiter(cells, np.int64, len(column))
    return column.values.view(np.int64) if column.kind is Kind.FLOAT64 else column.values


def first_twins(columns: Sequence[IntArray]) -> tuple[int, int] | None:
    """Two rows that are the same in all of these integer columns, or None; rows in ascending order are not sorted."""
    if _ascend(columns):
        return None
    order = np.lexsort(columns[::-1])
    again = np.ones(len(order) - 1, np.bool_)
    for column in columns:
        again &= column[order][1:] == column[order][:-1]
    at = np.flatnonzero(again)
    return (int(order[at[0]]), int(order[at[0] + 1])) if len(at) else None


def _ascend(columns: Sequence[IntArray]) -> bool:
    """Whether each row comes after the one before it; the first column counts most."""
    after, level = np.zeros(len(columns[0][1:]), np.bool_), np.ones(len(columns[0][1:]), np.bool_)
    for column in columns:
        after |= level & (column[1:] > column[:-1])
        level &= column[1:] == column[:-1]
        if not (after | level).all():
            return False
    return bool(after.all())
