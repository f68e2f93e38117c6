"""Records: for many rows the type of each cell and where it begins."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.sources.sqlite.pages.page_file import ByteArray, PagesUnreadableError
from app.sources.sqlite.pages.table_tree import LeafCells
from app.sources.sqlite.pages.varints import read_varints
from app.tables.dictionary import IntArray

_MOST_BYTES = 65_536
_FIXED = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, -1, -1)
"""Bytes of the cells of serial types 0 to 11; 10 and 11 never stand in a file."""

_LENGTHS = np.array([*_FIXED, *(np.arange(2 * _MOST_BYTES) // 2)], np.int64)


@dataclass(frozen=True, slots=True)
class Records:
    """For each column the serial type of its cells and where they begin in `buffer`, arrays of shape (rows,)."""

    buffer: ByteArray
    row_ids: IntArray
    types: Sequence[IntArray]
    starts: Sequence[IntArray]

    def lengths(self, column: int) -> IntArray:
        """The bytes of the cells of a column."""
        return _LENGTHS.take(self.types[column])


def read_records(cells: LeafCells, columns: int) -> Records | None:
    """The records of rows with `columns` columns; None if a row has another number of fields, or lies on more pages."""
    if cells.overflows:
        return None
    header_bytes, position = read_varints(cells.buffer, cells.starts)
    header_end = cells.starts + header_bytes
    if ((header_bytes < 1) | (header_end > cells.ends)).any():
        raise PagesUnreadableError
    types: list[IntArray] = []
    starts = [header_end]
    for _ in range(columns):
        if (position >= header_end).any():
            return None
        kinds, position = read_varints(cells.buffer, position)
        types.append(kinds)
        starts.append(starts[-1] + _cell_lengths(kinds))
    if (starts.pop() > cells.ends).any() or (position > header_end).any():
        raise PagesUnreadableError
    return None if (position < header_end).any() else Records(cells.buffer, cells.row_ids, types, starts)


def _cell_lengths(kinds: IntArray) -> IntArray:
    if len(kinds) and not 0 <= int(kinds.min()) <= int(kinds.max()) < len(_LENGTHS):
        raise PagesUnreadableError
    lengths = _LENGTHS.take(kinds)
    if (lengths < 0).any():
        raise PagesUnreadableError
    return lengths
