"""A typed column with a null mask: what tables, node types and edge types are made of."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from app.tables.arrow import of_numpy, to_flags, to_numpy, with_nulls_as
from app.tables.dictionary import BoolArray, CodeArray, IntArray, ObjectArray, TextDictionary
from app.values import Scalar, canonical_json


class Kind(StrEnum):
    """How a column stores its values."""

    INT64 = "int64"
    FLOAT64 = "float64"
    BOOL = "bool"
    TEXT = "text"
    MIXED = "mixed"


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """Values of one kind with their NULLs; immutable, and shared by all graphs that did not change it.

    `values` has shape (rows,): int64, float64, bool, int32 codes into `dictionary` (TEXT), or objects (MIXED).
    `nulls` is True where a cell is NULL (the value there is 0, False, code 0 or None), or None without NULLs.
    """

    kind: Kind
    values: npt.NDArray[Any]
    nulls: BoolArray | None = None
    dictionary: TextDictionary | None = None

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def texts(self) -> TextDictionary:
        """The dictionary of a TEXT column."""
        assert self.dictionary is not None, "only TEXT columns have a dictionary"
        return self.dictionary

    @property
    def nbytes(self) -> int:
        """Bytes held, with about 40 for each Python object of a MIXED column."""
        held = self.values.nbytes + (0 if self.nulls is None else self.nulls.nbytes)
        if self.kind is Kind.MIXED:
            held += 40 * len(self.values)
        return held + (0 if self.dictionary is None else self.dictionary.nbytes)

    def null_mask(self) -> BoolArray:
        """True where a cell is NULL, shape (rows,)."""
        return np.zeros(len(self), np.bool_) if self.nulls is None else self.nulls

    def null_count(self) -> int:
        """How many cells are NULL."""
        return 0 if self.nulls is None else int(np.count_nonzero(self.nulls))

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> "Column":
        """The cells of these row offsets (all within range), sharing the dictionary."""
        nulls = None if self.nulls is None else self.nulls[rows]
        return Column(self.kind, self.values[rows], nulls, self.dictionary)

    def cleared(self, rows: BoolArray) -> "Column":
        """The same cells, but NULL where `rows` is True."""
        values = self.values.copy()
        values[rows] = None if self.kind is Kind.MIXED else 0
        return Column(self.kind, values, self.null_mask() | rows, self.dictionary)

    def objects(self) -> ObjectArray:
        """The cells as Python scalars, None for NULL, shape (rows,)."""
        objects = self.texts.objects_of(self.values) if self.kind is Kind.TEXT else self.values.astype(object)
        if self.nulls is not None:
            objects[self.nulls] = None
        return objects

    def to_list(self) -> list[Scalar]:
        """The cells as a list of Python scalars."""
        if self.nulls is None and self.kind in (Kind.INT64, Kind.FLOAT64, Kind.BOOL):
            return list(self.values.tolist())
        return list(self.objects().tolist())

    def cell(self, row: int) -> Scalar:
        """The cell of one row."""
        return self.take(np.array([row])).to_list()[0]

    def digest(self) -> str:
        """SHA-256 of the content: equal for equal cells, however codes are numbered and whatever kind holds them."""
        if self.null_count() == len(self):
            return hashlib.sha256(f"null:{len(self)}".encode()).hexdigest()
        narrow = column_of(self.values.tolist()) if self.kind is Kind.MIXED else self
        canonical = canonical_codes(narrow) if narrow.kind is Kind.TEXT else narrow
        hasher = hashlib.sha256(f"{canonical.kind}:{len(self)}:".encode())
        _hash_cells(hasher, canonical)
        if canonical.dictionary is not None:
            canonical.dictionary.hash_into(hasher)
        return hasher.hexdigest()


def _hash_cells(hasher: "hashlib._Hash", column: Column) -> None:
    values = column.values
    if column.nulls is not None and column.nulls.any():
        hasher.update(np.packbits(column.nulls).tobytes())
        values = values.copy()
        values[column.nulls] = None if column.kind is Kind.MIXED else 0
    if column.kind is Kind.MIXED:
        hasher.update(canonical_json(values.tolist()).encode("utf-8"))
    else:
        hasher.update(np.ascontiguousarray(values).data)


def canonical_codes(column: Column) -> Column:
    """The same TEXT column with codes numbered by first appearance and no unused entry."""
    present = column.values if column.nulls is None else column.values[~column.nulls]
    if _is_numbered_by_appearance(present, len(column.texts)):
        return column
    first = np.full(len(column.texts), len(present))
    first[present[::-1]] = np.arange(len(present) - 1, -1, -1)
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(present))]
    renumber: CodeArray = np.zeros(max(len(column.texts), 1), np.int32)
    renumber[order] = np.arange(len(order), dtype=np.int32)
    values = renumber[column.values]
    if column.nulls is not None:
        values[column.nulls] = 0
    return Column(Kind.TEXT, values, column.nulls, TextDictionary(column.texts.entries.take(of_numpy(order))))


def _is_numbered_by_appearance(codes: CodeArray, entries: int) -> bool:
    """Whether each code that appears first is one above the greatest before it, and all entries appear."""
    if len(codes) == 0:
        return entries == 0
    greatest = np.maximum.accumulate(codes)
    steps = np.diff(greatest)
    return bool(greatest[0] == 0 and greatest[-1] == entries - 1 and (steps <= 1).all())


def column_of(values: Sequence[Scalar]) -> Column:
    """A column of these Python scalars, in the narrowest kind that keeps each value and type."""
    types = set(map(type, values)) - {type(None)}
    nulls = None
    if None in values:
        nulls = np.fromiter((value is None for value in values), np.bool_, len(values))
    if types <= {int}:
        return Column(Kind.INT64, _filled(values, nulls, 0, np.int64), nulls)
    if types == {float}:
        return Column(Kind.FLOAT64, _filled(values, nulls, 0.0, np.float64), nulls)
    if types == {bool}:
        return Column(Kind.BOOL, _filled(values, nulls, False, np.bool_), nulls)
    if types == {str}:
        return text_column(pa.array(values, pa.large_string()))
    mixed = np.empty(len(values), object)
    mixed[:] = values
    return Column(Kind.MIXED, mixed, nulls)


def _filled(values: Sequence[Scalar], nulls: BoolArray | None, fill: Scalar, dtype: type) -> npt.NDArray[Any]:
    if nulls is None:
        return np.array(values, dtype)
    return np.array([fill if value is None else value for value in values], dtype)


def text_column(texts: Any) -> Column:
    """A TEXT column of pyarrow large_string (an array or a chunked one, NULLs allowed), coded by first appearance."""
    encoded = pa.chunked_array([texts], pa.large_string()) if isinstance(texts, pa.Array) else texts
    if encoded.null_count == len(encoded):
        return null_column(len(encoded), Kind.TEXT)
    chunks = encoded.dictionary_encode().chunks
    codes = np.concatenate([with_nulls_as(0, chunk.indices) for chunk in chunks]).astype(np.int32, copy=False)
    nulls = _nulls(encoded) if encoded.null_count else None
    return Column(Kind.TEXT, codes, nulls, TextDictionary(chunks[0].dictionary))


def _nulls(texts: Any) -> BoolArray:
    return np.concatenate([to_flags(chunk.is_null()) for chunk in texts.chunks])


def int_column(values: IntArray) -> Column:
    """An INT64 column without NULLs."""
    return Column(Kind.INT64, np.asarray(values, np.int64))


def concatenated(parts: Sequence[Column]) -> Column:
    """One column of all parts in order; parts of different kinds make a MIXED column.

    A part whose cells are all NULL takes the kind of the others.
    """
    typed = [part for part in parts if part.null_count() < len(part)]
    kinds = {part.kind for part in typed}
    if not kinds:
        return null_column(sum(map(len, parts)), parts[0].kind if parts else Kind.INT64)
    if len(kinds) > 1 or Kind.MIXED in kinds:
        return _concatenated_objects(parts)
    kind = kinds.pop()
    aligned = [part if part.kind is kind else null_column(len(part), kind) for part in parts]
    nulls = None
    if any(part.nulls is not None for part in aligned):
        nulls = np.concatenate([part.null_mask() for part in aligned])
    if kind is Kind.TEXT:
        return _concatenated_texts(aligned, nulls)
    return Column(kind, np.concatenate([part.values for part in aligned]), nulls)


def _concatenated_objects(parts: Sequence[Column]) -> Column:
    objects = np.concatenate([part.objects() for part in parts])
    nulls = np.concatenate([part.null_mask() for part in parts])
    return Column(Kind.MIXED, objects, nulls if nulls.any() else None)


def _concatenated_texts(parts: Sequence[Column], nulls: BoolArray | None) -> Column:
    chunks = [pa.DictionaryArray.from_arrays(of_numpy(part.values), part.texts.entries) for part in parts if len(part)]
    unified = pa.chunked_array(chunks).unify_dictionaries()
    codes = np.concatenate([to_numpy(chunk.indices) for chunk in unified.chunks]).astype(np.int32, copy=False)
    return Column(Kind.TEXT, codes, nulls, TextDictionary(unified.chunk(0).dictionary))


def null_column(rows: int, kind: Kind) -> Column:
    """A column of this kind whose cells are all NULL."""
    nulls = np.ones(rows, np.bool_) if rows else None
    if kind is Kind.TEXT:
        return Column(kind, np.zeros(rows, np.int32), nulls, TextDictionary.of([""]))
    if kind is Kind.MIXED:
        return Column(kind, np.full(rows, None), nulls)
    dtype = {Kind.INT64: np.int64, Kind.FLOAT64: np.float64, Kind.BOOL: np.bool_}[kind]
    return Column(kind, np.zeros(rows, dtype), nulls)
