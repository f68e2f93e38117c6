"""Group keys and key indexes: prepared structures of one column, the same for each query."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from app.executor.columns.vector import Array
from app.tables.dictionary import BoolArray, IntArray

_DENSE_SPAN = 4


@dataclass(frozen=True, eq=False, slots=True)
class GroupKeys:
    """For each row the code of its group, 0 to `size` - 1; `representatives[code]` is some row of that group.

    Code 0 is that of NULL, even if no cell is NULL; its representative is -1, which stands for a row of NULLs.
    `ordered` says that codes ascend in the column's order, `each_row` that row i has code i + 1.
    """

    codes: IntArray
    size: int
    representatives: IntArray
    ordered: bool
    each_row: bool = False


def group_keys(codes: Array, size: int, nulls: BoolArray | None, *, ordered: bool) -> GroupKeys:
    """Group keys of these codes from 0 to `size` - 1, which are moved up by one.

    The representative of a code without rows is row 0.
    """
    moved = codes.astype(np.int64) + 1
    if nulls is not None:
        moved[nulls] = 0
    representatives = np.zeros(size + 1, np.int64)
    representatives[moved[::-1]] = np.arange(len(moved) - 1, -1, -1)
    representatives[0] = -1
    return GroupKeys(moved, size + 1, representatives, ordered)


def row_keys(rows: int) -> GroupKeys:
    """Each row is its own group."""
    return GroupKeys(np.arange(1, rows + 1), rows + 1, np.arange(-1, rows), ordered=False, each_row=True)


def integer_keys(values: Array, low: int, high: int, nulls: BoolArray | None) -> GroupKeys:
    """Group keys of integers between `low` and `high`."""
    if high - low < _DENSE_SPAN * len(values) + 1024:
        return group_keys(values.astype(np.int64) - low, high - low + 1, nulls, ordered=True)
    codes, distinct = hashed(values)
    return group_keys(codes, len(distinct), nulls, ordered=False)


def hashed(values: Array) -> tuple[IntArray, Array]:
    """A code for each value by first appearance, and the distinct values."""
    encoded = pa.array(values).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_numpy(zero_copy_only=False)


class KeyIndex:
    """The rows of each key, by binary search of the sorted keys, or by subtraction if keys are consecutive.

    `_sorted` are the keys that are not NULL, ascending, in their own dtype; `_rows` are their rows, int64.
    """

    def __init__(self, keys: Array, nulls: BoolArray | None) -> None:
        present = None if nulls is None else (~nulls).nonzero()[0]
        kept = keys if present is None else keys[present]
        ascending = bool(np.all(kept[1:] >= kept[:-1]))
        order = None if ascending else np.argsort(kept, kind="stable")
        self._sorted = kept if order is None else kept[order]
        self._rows = _composed(present, order, len(kept))
        self._first = int(self._sorted[0]) if _consecutive(self._sorted) else None

    def rows(self, key: Any) -> IntArray:
        """The rows with this key, ascending."""
        if self._first is not None:
            offset = int(key) - self._first
            return self._rows[offset : offset + 1] if offset >= 0 else self._rows[:0]
        typed = self._sorted.dtype.type(key)
        start = self._sorted.searchsorted(typed, "left")
        return self._rows[start : self._sorted.searchsorted(typed, "right")]


def _composed(present: IntArray | None, order: IntArray | None, rows: int) -> IntArray:
    if order is None:
        return np.arange(rows) if present is None else present
    return order if present is None else present[order]


def _consecutive(ascending: Array) -> bool:
    if len(ascending) == 0 or not np.issubdtype(ascending.dtype, np.integer):
        return False
    spread = int(ascending[-1]) - int(ascending[0])
    return spread == len(ascending) - 1 and bool(np.all(ascending[1:] > ascending[:-1]))
