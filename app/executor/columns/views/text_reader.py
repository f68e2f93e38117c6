"""Dictionary codes to Python strings."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from app.tables.dictionary import ObjectArray, TextDictionary
from app.values import Scalar

_FEW = 64
"""Texts up to which reading bytes beats making all strings of the dictionary."""

_KEPT = 65_536
"""Entries up to which all strings are made once; larger dictionaries are read as needed."""


class TextReader:
    """Reads texts of one dictionary."""

    def __init__(self, dictionary: TextDictionary) -> None:
        self.dictionary = dictionary

    def prepare(self) -> None:
        """Make what `decode` needs."""
        _ = self._objects if len(self.dictionary) <= _KEPT else self._bytes

    @cached_property
    def _objects(self) -> ObjectArray:
        return self.dictionary.objects()

    @cached_property
    def _bytes(self) -> tuple[npt.NDArray[np.int64], memoryview]:
        entries = self.dictionary.entries
        _, offsets, data = entries.buffers()
        starts = np.frombuffer(offsets, np.int64)[entries.offset : entries.offset + len(entries) + 1]
        return starts, memoryview(data if data is not None else b"")

    def decode(self, codes: npt.NDArray[Any]) -> list[Scalar]:
        """The text of each code."""
        if len(self.dictionary) == 0:
            return [None] * len(codes)
        if len(self.dictionary) <= _KEPT:
            texts: list[Scalar] = self._objects.take(codes).tolist()
            return texts
        if len(codes) <= _FEW:
            starts, data = self._bytes
            return [str(data[starts[code] : starts[code + 1]], "utf-8") for code in codes.tolist()]
        return self._decoded(codes)

    def _decoded(self, codes: npt.NDArray[Any]) -> list[Scalar]:
        """Many codes of a large dictionary: each text that occurs is made once."""
        if len(codes) * 4 >= len(self.dictionary):
            made = self.dictionary.objects().take(codes)
        else:
            made = self.dictionary.entries.take(codes).to_numpy(zero_copy_only=False)
        texts: list[Scalar] = made.tolist()
        return texts
