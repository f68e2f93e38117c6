"""What joined rows or groups are ordered by, as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from app.executor.columns.vector import Array
from app.executor.columns.views.column_view import ColumnView
from app.executor.operators.access import Access
from app.executor.operators.frame import Frame
from app.executor.operators.protocol import RowOrder
from app.tables.dictionary import IntArray

FEW = 128
"""Rows up to which Python's sort is faster than the calls of numpy's."""


class SortKey(Protocol):
    """One key of an order."""

    @property
    def descending(self) -> bool:
        """Whether the greatest comes first."""

    @property
    def view(self) -> ColumnView | None:
        """The column that the key orders by; None for computed values."""

    def values(self, frame: Frame, positions: Array | None = None) -> Array:
        """Numbers in the key's order, NULL least, of the joined rows or groups (at these positions)."""


@dataclass(frozen=True, slots=True)
class ColumnKey:
    """A column of joined rows."""

    view: ColumnView
    access: Access
    descending: bool

    def values(self, frame: Frame, positions: Array | None = None) -> Array:
        """Numbers in the column's order, ranked only if that pays."""
        if positions is None and not self.access.optional and not self.view.ranks_are_costly:
            return self.access.values(frame, self.view.order)
        rows = self.access.rows(frame, positions)
        if rows is None:
            rows = np.arange(frame.length)
        return self.view.order_at_optional(rows) if self.access.optional else self.view.order_at(rows)


@dataclass(frozen=True, slots=True)
class ResultKey:
    """An output of groups; `view` is set if it is a part of the groups' key."""

    output: int
    descending: bool
    view: ColumnView | None = None

    def values(self, frame: Frame, positions: Array | None = None) -> Array:
        """Numbers in the output's order."""
        return frame.results[self.output].order(positions)


def are_met(keys: Sequence[ColumnKey], order: RowOrder) -> bool:
    """Whether joined rows in this order are in the order of the keys: columns that ascend with their tables' rows."""
    return len(keys) <= len(order) and all(
        key.access.alias == alias and not key.access.hops and key.descending == descending and key.view.ascends
        for key, (alias, descending) in zip(keys, order, strict=False)
    )


def ascending(values: Array, *, descending: bool) -> Array:
    """Numbers whose ascending order is the wanted one; complement, since negation overflows at the least integer."""
    if not descending:
        return values
    return np.invert(values) if values.dtype.kind == "i" else -values


def prepare_order(keys: Sequence[SortKey]) -> None:
    """Build what the keys read.

    Costly ranks are left out for a key that decides only between rows that tie in keys before it: if the first key
    tells rows apart, or is computed for groups, these are few, and are ranked among one another.
    """
    leading = keys[0].view
    for number, key in enumerate(keys):
        if key.view is not None and not (number and key.view.ranks_are_costly and (leading is None or leading.ascends)):
            key.view.prepare_order()


def first_positions(frame: Frame, keys: Sequence[SortKey], candidates: IntArray | None, wanted: int) -> IntArray:
    """Which of the candidates (None: all rows) come first, in order; a key is read if those before it tie."""
    if (frame.length if candidates is None else len(candidates)) <= FEW:
        return np.array(_first_of_few(frame, keys, candidates, wanted)[:wanted], np.int64)
    columns: list[Array] = []
    for key in keys:
        columns.append(ascending(key.values(frame, candidates), descending=key.descending))
        positions = sorted_positions(columns)
        order = np.arange(len(columns[0])) if positions is None else positions
        if len(columns) < len(keys) and not _tie(columns, order[: wanted + 1]):
            break
    return order[:wanted]


def few_in_order(frame: Frame, keys: Sequence[SortKey]) -> bool:
    """Put the rows of a frame in order if they are few; false if they are not, and nothing was done."""
    if frame.length > FEW:
        return False
    positions = _first_of_few(frame, keys, None, frame.length)
    if positions != list(range(frame.length)):
        frame.keep(np.array(positions, np.int64))
    return True


def _first_of_few(frame: Frame, keys: Sequence[SortKey], candidates: IntArray | None, wanted: int) -> Sequence[int]:
    """The same as Python's integers; each key is read only if those before it tie among the wanted."""
    columns: list[list[int | float]] = []
    positions: Sequence[int] = range(frame.length if candidates is None else len(candidates))
    for key in keys:
        columns.append(ascending(key.values(frame, candidates), descending=key.descending).tolist())
        rows: Sequence[Any] = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        positions = sorted(positions, key=rows.__getitem__)
        nearest = [rows[position] for position in positions[: wanted + 1]]
        if len(set(nearest)) == len(nearest):
            break
    return positions


def _tie(columns: Sequence[Array], order: IntArray) -> bool:
    """Whether rows that follow one another in this order are equal in all columns."""
    tied = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in columns:
        ordered = column.take(order)
        tied &= ordered[1:] == ordered[:-1]
    return bool(tied.any())


def sorted_positions(keys: Sequence[Array]) -> IntArray | None:
    """Positions that put these ascending keys in order, the first key first; ties in any order. None: as they are."""
    if _is_ascending(keys):
        return None
    packed = _packed(keys)
    if packed is not None:
        return packed
    if len(keys) == 1:
        return np.argsort(keys[0])
    return np.lexsort(keys[::-1])


def _is_ascending(keys: Sequence[Array]) -> bool:
    """Whether the first key alone is in order already, without ties if there are more keys."""
    first = keys[0]
    in_order = first[1:] >= first[:-1] if len(keys) == 1 else first[1:] > first[:-1]
    return bool(in_order.all())


def _packed(keys: Sequence[Array]) -> IntArray | None:
    """The same by sorting all keys and the position packed into one integer, several times faster than an argsort."""
    if any(key.dtype.kind != "i" for key in keys) or len(keys[0]) == 0:
        return None
    lows = [int(key.min()) for key in keys]
    widths = [(int(key.max()) - low).bit_length() for key, low in zip(keys, lows, strict=True)]
    bits = (len(keys[0]) - 1).bit_length()
    if sum(widths) + bits > 63:
        return None
    packed: IntArray = np.zeros(len(keys[0]), np.int64)
    for key, low, width in zip(keys, lows, widths, strict=True):
        packed = (packed << width) | (key.astype(np.int64) - low)
    packed = (packed << bits) | np.arange(len(packed))
    packed.sort()
    return packed & ((1 << bits) - 1)
