"""Texts where they stand in a buffer, as an Arrow array that only points at them."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from app.tables.dictionary import BoolArray, IntArray

Bytes: TypeAlias = npt.NDArray[np.uint8]

ArrowViews: TypeAlias = Any
"""A pyarrow StringViewArray; pyarrow's own types are too loose to name it."""

PADDING = 8
"""So many bytes must follow the last text in its buffer."""

_PREFIX, _INLINE = 4, 12
"""Bytes of a text that stand in an Arrow view first, and at most."""

_MASKS = np.array([0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF], np.uint32)


def text_views(buffer: Bytes, starts: IntArray, lengths: IntArray, nulls: BoolArray | None) -> ArrowViews:
    """The texts of so many bytes at these offsets, below 2 GiB; whether they are UTF-8 is not checked.

    >>> buffer = np.frombuffer(b"one, two" + bytes(PADDING), np.uint8)
    >>> text_views(buffer, np.array([0, 5]), np.array([3, 3]), None).to_pylist()
    ['one', 'two']
    """
    if nulls is not None:
        lengths = np.where(nulls, 0, lengths)
    present = None if nulls is None else pa.py_buffer(np.packbits(~nulls, bitorder="little"))
    parts = [present, pa.py_buffer(_views(buffer, starts, lengths)), pa.py_buffer(buffer)]
    return pa.Array.from_buffers(pa.string_view(), len(lengths), parts)


def _views(buffer: Bytes, starts: IntArray, lengths: IntArray) -> npt.NDArray[np.uint32]:
    """Arrow's views: the length, then a short text itself, or the first bytes of a long one and its place."""
    words = np.ndarray((len(buffer) - 3,), "<u4", buffer, strides=(1,))
    views = np.zeros((len(starts), 4), np.uint32)
    views[:, 0] = lengths
    views[:, 1] = _masked(words, starts, lengths)
    shortest, longest = (int(lengths.min()), int(lengths.max())) if len(lengths) else (0, 0)
    for place in (2, 3) if longest > _PREFIX and shortest <= _INLINE else ():
        views[:, place] = _masked(words, starts + 4 * (place - 1), lengths - 4 * (place - 1))
    if longest > _INLINE:
        long = lengths > _INLINE
        views[long, 2] = 0
        views[long, 3] = starts[long]
    return views


def _masked(words: npt.NDArray[Any], positions: IntArray, lengths: IntArray) -> npt.NDArray[np.uint32]:
    """The four bytes at each position, of which only the first `lengths` count."""
    near = np.minimum(positions, len(words) - 1)
    masked: npt.NDArray[np.uint32] = words[near] & _MASKS.take(lengths, mode="clip")
    return masked
