"""Tells which of many short stretches of bytes, or of many codes, are the same, where most are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from app.sources.literal_inserts.groups import Bytes
from app.tables.dictionary import BoolArray, IntArray

_ROUNDS = 8
"""So many different stretches are looked for in all that are left, before the rest is looked at one by one."""

_WORD = 8


def distinct_texts(
    block: Bytes, starts: IntArray, ends: IntArray, ends_it: Callable[[bytes], bool] | None = None
) -> tuple[IntArray, list[bytes]]:
    """The different stretches of a block in order, and for each stretch the place of its like, shape (stretches,).

    The first stretch for which `ends_it` holds and all after it are not looked at any more; their place is -1.

    >>> codes, texts = distinct_texts(np.frombuffer(b"a,b,a", np.uint8), np.array([0, 2, 4]), np.array([1, 3, 5]))
    >>> codes.tolist(), texts
    ([0, 1, 0], [b'a', b'b'])
    """
    codes = np.full(len(starts), -1)
    texts: list[bytes] = []
    left = np.arange(len(starts))
    while len(left) and len(texts) < _ROUNDS:
        text = block[starts[left[0]] : ends[left[0]]].tobytes()
        if ends_it is not None and ends_it(text):
            codes[left[0] :] = -1
            return codes, texts
        same = _equal(block, starts[left], ends[left], text)
        codes[left[same]] = len(texts)
        texts.append(text)
        left = left[~same]
    places: dict[bytes, int] = {}
    for stretch in left.tolist():
        text = block[starts[stretch] : ends[stretch]].tobytes()
        if ends_it is not None and text not in places and ends_it(text):
            codes[stretch:] = -1
            break
        codes[stretch] = places.setdefault(text, len(texts))
        if codes[stretch] == len(texts):
            texts.append(text)
    return codes, texts


def distinct_codes(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The different codes, ascending, and for each code the place of its like; none is negative.

    >>> distinct_codes(np.array([3, 0, 3]))
    (array([0, 3]), array([1, 0, 1]))
    """
    if len(codes) == 0 or int(codes.max()) > len(codes):
        return np.unique(codes, return_inverse=True)
    distinct = np.bincount(codes).nonzero()[0]
    places = np.zeros(int(distinct[-1]) + 1, np.int64)
    places[distinct] = np.arange(len(distinct))
    return distinct, places[codes]


def _equal(block: Bytes, starts: IntArray, ends: IntArray, text: bytes) -> BoolArray:
    """Which stretches are `text`; those as long as it are compared, eight bytes at a time."""
    same: BoolArray = ends - starts == len(text)
    places = starts[same]
    step, dtype = (_WORD, "<u8") if len(text) >= _WORD else (1, "<u1")
    words: npt.NDArray[Any] = np.ndarray((len(block) - step + 1,), dtype, block, strides=(1,))
    matches = np.ones(len(places), np.bool_)
    for offset in dict.fromkeys([*range(0, len(text) - step + 1, step), max(0, len(text) - step)][: len(text)]):
        matches &= np.equal(words[places + offset], np.frombuffer(text, dtype, 1, offset)[0])
    same[same] = matches
    return same
