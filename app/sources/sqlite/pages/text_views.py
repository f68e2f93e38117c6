"""Texts where they stand in a buffer, as an Arrow array that only points at them."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from app.tables.arrow import validity
from app.tables.dictionary import BoolArray, IntArray

Bytes: TypeAlias = npt.NDArray[np.uint8]

ArrowViews: TypeAlias = Any
"""A pyarrow StringViewArray; pyarrow's own types are too loose to name it."""

PADDING = 16
"""Bytes that must follow the last text in its buffer."""

_INLINE = 12
"""Bytes of a text that stand in an Arrow view itself."""

_WORD = 8
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(_WORD + 1)], np.uint64)
_HALF = np.uint64(32)


def text_views(buffer: Bytes, starts: IntArray, lengths: IntArray, nulls: BoolArray | None) -> ArrowViews:
    """The texts of these lengths in bytes at these offsets, below 2 GiB; whether they are UTF-8 is not checked.

    >>> buffer = np.frombuffer(b"one, two" + bytes(PADDING), np.uint8)
    >>> text_views(buffer, np.array([0, 5]), np.array([3, 3]), None).to_pylist()
    ['one', 'two']
    """
    if nulls is not None:
        lengths = np.where(nulls, 0, lengths)
    buffers = [validity(nulls), pa.py_buffer(_views(buffer, starts, lengths)), pa.py_buffer(buffer)]
    return pa.Array.from_buffers(pa.string_view(), len(lengths), buffers)


def _views(buffer: Bytes, starts: IntArray, lengths: IntArray) -> npt.NDArray[np.uint64]:
    """Views of 16 bytes: the length, then a short text itself, or the first bytes of a long one and its offset."""
    shortest, longest = (int(lengths.min()), int(lengths.max())) if len(lengths) else (0, 0)
    content = _masked(buffer, starts, lengths)
    views = np.zeros((len(starts), 2), np.uint64)
    views[:, 0] = lengths.astype(np.uint64) | (content << _HALF)
    if shortest <= _INLINE:
        views[:, 1] = content >> _HALF
        if longest > _WORD:
            views[:, 1] |= _masked(buffer, starts + _WORD, lengths - _WORD) << _HALF
    if longest > _INLINE:
        long = lengths > _INLINE
        views[long, 1] = starts[long].astype(np.uint64) << _HALF
    return views


def _masked(buffer: Bytes, positions: IntArray, lengths: IntArray) -> npt.NDArray[np.uint64]:
    """The eight bytes at each position, of which only the first `lengths` count."""
    words = np.ndarray((len(buffer) - _WORD + 1,), "<u8", buffer, strides=(1,))
    masked: npt.NDArray[np.uint64] = words[positions] & _MASKS.take(lengths, mode="clip")
    return masked
