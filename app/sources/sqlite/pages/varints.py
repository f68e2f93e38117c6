"""SQLite's integers of one to nine bytes, many at a time."""

import numpy as np

from app.sources.sqlite.pages.page_file import ByteArray
from app.tables.dictionary import IntArray

_MORE = 0x80
_LOW = 0x7F


def read_varints(buffer: ByteArray, positions: IntArray) -> tuple[IntArray, IntArray]:
    """The integers at these positions, and the positions after them. A position beyond the buffer reads its last byte.

    >>> values, ends = read_varints(np.array([5, 0x81, 0x00], np.uint8), np.array([0, 1]))
    >>> values.tolist(), ends.tolist()
    ([5, 128], [1, 3])
    """
    values = buffer.take(positions, mode="clip").astype(np.int64)
    ends = positions + 1
    longer = (values >= _MORE).nonzero()[0]
    if len(longer):
        values[longer], ends[longer] = _continued(buffer, values[longer] & _LOW, ends[longer])
    return values, ends


def _continued(buffer: ByteArray, values: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """The integers whose first bytes are `values` and which go on at `ends`."""
    open_ones = np.arange(len(values))
    for _ in range(7):
        following = buffer.take(ends[open_ones], mode="clip").astype(np.int64)
        values[open_ones] = (values[open_ones] << 7) | (following & _LOW)
        ends[open_ones] += 1
        open_ones = open_ones[following >= _MORE]
        if not len(open_ones):
            return values, ends
    # The ninth byte counts whole.
    values[open_ones] = (values[open_ones] << 8) | buffer.take(ends[open_ones], mode="clip")
    ends[open_ones] += 1
    return values, ends
