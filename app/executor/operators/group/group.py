"""Group: a group code for each joined row."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from typing_extensions import override

from app.executor.columns.runs import EachRow
from app.executor.columns.vector import Array
from app.executor.columns.views.keys import GroupKeys, hashed
from app.executor.operators.access import Access
from app.executor.operators.frame import Frame
from app.executor.operators.protocol import Operator
from app.tables.dictionary import IntArray

_DENSE = 4
_FEW = 1_024
_MOST_CODES = 2**62


@dataclass(frozen=True, slots=True)
class GroupKey:
    """One part of the groups' key."""

    keys: GroupKeys
    access: Access

    def is_row_itself(self, frame: Frame) -> bool:
        """Whether joined row i has code i."""
        return self.keys.each_row and self.access.is_whole(frame)

    def codes(self, frame: Frame) -> IntArray:
        """The part's code for each joined row."""
        if not self.access.optional:
            return self.access.values(frame, self.keys.codes)
        rows = frame.rows[self.access.alias]
        assert rows is not None, "optional rows are always listed"
        # One more code at the end answers for row -1.
        return np.append(self.keys.codes, 0).take(rows)


@dataclass(slots=True)
class Group(Operator):
    """Codes of all parts in mixed radix; numbered by hashing if there are far more codes than rows.

    With parts of 3 and 4 codes, `_strides` are (4, 1): the code of a joined row is 4 * first + second, and the parts
    are had back by // and %.
    """

    keys: Sequence[GroupKey]
    text: str
    _strides: list[int] = field(init=False)
    _size: int = field(init=False)
    _ordered: bool = field(init=False)
    _each_row: EachRow | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._size, strides = 1, []
        for key in reversed(self.keys):
            strides.append(self._size)
            self._size *= key.keys.size
        self._strides = strides[::-1]
        self._ordered = all(key.keys.ordered for key in self.keys)

    @override
    def prepare(self) -> None:
        for key in self.keys:
            key.access.prepare(key.keys.codes)
        if len(self.keys) == 1 and self.keys[0].keys.each_row:
            self._each_row = EachRow.of(self.keys[0].keys.size - 1)

    def run(self, frame: Frame) -> None:
        """Set the frame's codes."""
        if len(self.keys) == 1 and self.keys[0].is_row_itself(frame):
            assert self._each_row is not None, "keys of rows prepare this"
            frame.codes, frame.size = self._each_row, frame.length
            return
        parts = [key.codes(frame) for key in self.keys]
        if self._size > _DENSE * frame.length + _FEW:
            self._hash(frame, parts)
            return
        codes = parts[0]
        for part, key in zip(parts[1:], self.keys[1:], strict=True):
            codes = codes * key.keys.size + part
        frame.codes, frame.size, frame.in_order = codes, self._size, self._ordered

    def _hash(self, frame: Frame, parts: list[IntArray]) -> None:
        codes, distinct = hashed(parts[0])
        size = len(distinct)
        for part, key in zip(parts[1:], self.keys[1:], strict=True):
            assert size * key.keys.size < _MOST_CODES, "neither side has more codes than a table has rows"
            codes, distinct = hashed(codes * key.keys.size + part)
            size = len(distinct)
        frame.codes, frame.size, frame.key_codes = codes, size, parts

    def key_rows(self, frame: Frame, groups: Array | slice, key: int) -> Array:
        """For each of these groups, a row of the key's table that has its value; -1 for NULL."""
        keys = self.keys[key].keys
        if isinstance(frame.codes, EachRow):
            return keys.representatives[1:][groups]
        if isinstance(groups, slice):
            if len(self.keys) == 1 and not frame.key_codes:
                return keys.representatives[groups]
            groups = np.arange(frame.size)[groups]
        if frame.key_codes:
            return keys.representatives.take(frame.key_codes[key].take(some_position(frame).take(groups)))
        codes = groups if self._strides[key] == 1 else groups // self._strides[key]
        return keys.representatives.take(codes if key == 0 else codes % keys.size)

    @override
    def describe(self) -> str:
        return f"Group{self.text}"


def some_position(frame: Frame) -> IntArray:
    """For each group the position of some joined row."""
    assert isinstance(frame.codes, np.ndarray), "keys were hashed"
    positions = np.zeros(frame.size, np.int64)
    positions[frame.codes] = np.arange(len(frame.codes))
    return positions
