"""The distinct texts of a column, held once in an Arrow array; columns refer to them by code."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from app.tables.arrow import of_numpy, text_scalar, to_flags, to_numpy
from app.values import Collation

IntArray: TypeAlias = npt.NDArray[np.int64]
CodeArray: TypeAlias = npt.NDArray[np.int32]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ObjectArray: TypeAlias = npt.NDArray[np.object_]

_FEW = 16
"""Texts that are rather made one by one than by pyarrow's conversion, which imports pandas first."""

ArrowText: TypeAlias = Any
"""A pyarrow LargeStringArray; pyarrow's own types are too loose to name it."""


@dataclass(frozen=True, eq=False, slots=True)
class TextDictionary:
    """Distinct texts; `entries[code]` is the text of a code.

    All methods compute anew: caching belongs to whoever prepares an index, so that its cost is measured there.
    """

    entries: ArrowText

    @classmethod
    def of(cls, texts: Sequence[str]) -> "TextDictionary":
        """A dictionary of these distinct texts, in this order."""
        return cls(pa.array(texts, pa.large_string()))

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def nbytes(self) -> int:
        """Bytes of the Arrow buffers."""
        return int(self.entries.nbytes)

    def objects(self) -> ObjectArray:
        """The texts as Python strings, shape (len(self),)."""
        objects: ObjectArray = self.entries.to_numpy(zero_copy_only=False)
        return objects

    def objects_of(self, codes: CodeArray) -> ObjectArray:
        """The texts of these codes (all within range) as Python strings; few codes do not touch the other texts."""
        if len(codes) <= _FEW:
            return np.array([*(self.entries[code].as_py() for code in codes.tolist()), None], object)[:-1]
        if len(codes) < len(self):
            few: ObjectArray = self.entries.take(of_numpy(codes)).to_numpy(zero_copy_only=False)
            return few
        return self.objects()[codes] if len(self) else np.empty(0, np.object_)

    def hash_into(self, hasher: "hashlib._Hash") -> None:
        """Feed all texts and their lengths into a hash."""
        _, offsets, content = self.entries.buffers()
        bounds = np.frombuffer(offsets, np.int64)[self.entries.offset : self.entries.offset + len(self) + 1]
        hasher.update(np.diff(bounds).tobytes())
        if content is not None:
            hasher.update(memoryview(content)[bounds[0] : bounds[-1]])

    def collated(self, collation: Collation) -> ArrowText:
        """Each text's collation key (see `Collation.key`), in code order."""
        if collation is Collation.NOCASE:
            return self._without_case()
        return pc.ascii_rtrim(self.entries, " ") if collation is Collation.RTRIM else self.entries

    def _without_case(self) -> ArrowText:
        if _holds_nul(self.entries):
            return pa.array(map(Collation.NOCASE.key, self.entries.to_pylist()), pa.large_string())
        return pc.ascii_lower(self.entries)

    def ranks(self, collation: Collation) -> CodeArray:
        """Dense rank of each code in the collation's order, from 0; codes that compare equal share a rank."""
        keys = self.collated(collation)
        if len(keys) == 0:
            return np.zeros(0, np.int32)
        ranks: CodeArray = to_numpy(pc.rank(keys, sort_keys="ascending", tiebreaker="dense")).astype(np.int32)
        return ranks - np.int32(1)

    def code_of(self, text: str) -> int:
        """The code of exactly this text, or -1."""
        return int(pc.index(self.entries, text_scalar(text)).as_py())

    def containing(self, part: str) -> BoolArray:
        """For each code, whether its text contains `part`, by bytes, as SQLite's instr does."""
        return to_flags(pc.match_substring(self.entries, part))


def _holds_nul(texts: ArrowText) -> bool:
    """Whether a text may hold a NUL, at which NOCASE stops comparing characters."""
    content = texts.buffers()[2]
    return content is not None and not np.frombuffer(content, np.uint8).all()
