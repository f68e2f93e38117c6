"""How the cells of one column come out of SQLite in bulk.

Fetching cells one by one costs about 180 ns each. Letting SQLite concatenate thousands of them, and parsing the result
with numpy or laying Arrow's offsets over it, costs a third of that and makes no Python object a cell. Each column is
read as what it held so far; a chunk that turns out to hold anything else is read cell by cell.

`max` and `min` tell the types of a whole chunk, because SQLite orders numbers before texts before BLOBs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from app.sources.sqlite_schema import quoted
from app.tables.arrow import validity
from app.tables.column import Column, Kind, column_of, concatenated, null_column, text_column
from app.tables.dictionary import ArrowText, BoolArray, IntArray
from app.tables.schema import ColumnSchema
from app.values import Affinity

_SEPARATOR = b"\x1f"
"""Between texts; a chunk in which a text itself holds it is read cell by cell."""

_INTEGER_BYTES = b"0123456789,-"
_NUMBERS = ("integer", "real")

Part: TypeAlias = Column | ArrowText
"""One chunk of a column: finished, or Arrow texts that are encoded once all chunks are there."""


class Reading(Enum):
    """How a chunk of one column is read; the value is what the first pass asks SQLite for."""

    INTEGERS = "CAST(group_concat({c}, ',') AS BLOB)"
    REALS = "total(typeof({c}) = 'integer')"
    TEXTS = "CAST(group_concat({c}, char(31)) AS BLOB)"
    CELLS = "NULL"


_READING_OF_KIND = {Kind.INT64: Reading.INTEGERS, Kind.FLOAT64: Reading.REALS, Kind.TEXT: Reading.TEXTS}
_KIND_OF_AFFINITY = {Affinity.TEXT: Kind.TEXT, Affinity.REAL: Kind.FLOAT64}


@dataclass(frozen=True, slots=True)
class Summary:
    """What the first pass says of one column in one chunk.

    `least` (None where it was not asked for) and `greatest` are the SQLite types of the extreme values, `count` the
    number of non-NULL cells, and `content` what the reading asked for.
    """

    least: str | None
    greatest: str
    count: int
    content: Any


class ColumnReader:
    """One column, read chunk by chunk; remembers what it held last."""

    def __init__(self, schema: ColumnSchema) -> None:
        self.schema = schema
        self.name = quoted(schema.name)
        self._reading = _likely_reading(schema.affinity)
        self._parts: list[Part] = []

    @property
    def summary_sql(self) -> str:
        """Four result columns, the fields of a `Summary`."""
        binary = f"{self.name} COLLATE BINARY"
        least = f"typeof(min({binary}))" if self._needs_least() else "NULL"
        content = self._reading.value.format(c=self.name) if self._needs_content() else "NULL"
        return f"{least}, typeof(max({binary})), count({self.name}), {content}"

    def _needs_least(self) -> bool:
        """Only texts can have numbers below them, and TEXT affinity leaves no number."""
        return self._reading is Reading.TEXTS and self.schema.affinity is not Affinity.TEXT

    def _needs_content(self) -> bool:
        """REAL affinity leaves no integer that would have to be counted."""
        return not (self._reading is Reading.REALS and self.schema.affinity is Affinity.REAL)

    def wants_reals(self, summary: Summary) -> bool:
        """Whether the chunk is best fetched as real numbers."""
        return self._reading is Reading.REALS and summary.greatest in _NUMBERS and not summary.content

    def bulk_part(self, summary: Summary, nulls: BoolArray | None) -> Part | None:
        """The chunk (with at least one value) from its summary alone, or None where it takes a further fetch.

        Raises `pyarrow.ArrowInvalid` for text that is not UTF-8.
        """
        if self._reading is Reading.INTEGERS and summary.greatest in _NUMBERS:
            return _integers(summary, nulls)
        if self._reading is Reading.TEXTS and summary.least in ("text", None) and summary.greatest == "text":
            return _texts(summary, nulls)
        return None

    def add(self, part: Part) -> None:
        """Append a chunk."""
        self._parts.append(part)

    def add_cells(self, cells: Sequence[Any]) -> Column:
        """Append a chunk of Python scalars, and read the next one as what these were."""
        part = column_of(cells)
        self._reading = _READING_OF_KIND.get(part.kind, Reading.CELLS)
        self.add(part)
        return part

    @property
    def text_bytes(self) -> int:
        """Bytes of all texts that are still to be encoded."""
        return sum(int(part.nbytes) for part in self._parts if isinstance(part, pa.Array))

    def take_parts(self) -> list[Part]:
        """The chunks so far, which the reader then holds no longer."""
        parts, self._parts = self._parts, []
        return parts


def _likely_reading(affinity: Affinity) -> Reading:
    if affinity is Affinity.REAL:
        return Reading.REALS
    return Reading.INTEGERS if affinity.is_numeric else Reading.TEXTS


def finish(readers: Sequence[ColumnReader]) -> Column:
    """The whole column that several readers read in order; without any value it has the kind of its affinity."""
    column = _joined([part for reader in readers for part in reader.take_parts()])
    if column.null_count() == len(column):
        return null_column(len(column), _KIND_OF_AFFINITY.get(readers[0].schema.affinity, Kind.INT64))
    return column


def _joined(parts: list[Part]) -> Column:
    if parts and all(isinstance(part, pa.Array) for part in parts):
        return text_column(pa.chunked_array(parts, pa.large_string()))
    return concatenated([part if isinstance(part, Column) else text_column(part) for part in parts])


def _integers(summary: Summary, nulls: BoolArray | None) -> Column | None:
    if summary.content.translate(None, _INTEGER_BYTES):
        return None
    return _spread(np.fromstring(summary.content, np.int64, sep=","), nulls)


def _spread(values: Any, nulls: BoolArray | None) -> Column:
    """A column of numbers of which only the non-NULL ones are given."""
    kind = Kind.FLOAT64 if values.dtype == np.float64 else Kind.INT64
    if nulls is None:
        return Column(kind, values)
    cells = np.zeros(len(nulls), values.dtype)
    cells[~nulls] = values
    return Column(kind, cells, nulls)


def _texts(summary: Summary, nulls: BoolArray | None) -> ArrowText | None:
    separated = np.frombuffer(summary.content, np.uint8)
    ends = np.flatnonzero(separated == _SEPARATOR[0])
    if len(ends) != summary.count - 1:
        return None
    lengths = np.diff(ends, prepend=-1, append=len(separated)) - 1
    content = summary.content.translate(None, _SEPARATOR)
    texts = _arrow_texts(lengths if nulls is None else _spread_lengths(lengths, nulls), content, nulls)
    texts.validate(full=True)
    return texts


def _spread_lengths(lengths: IntArray, nulls: BoolArray) -> IntArray:
    spread_out = np.zeros(len(nulls), np.int64)
    spread_out[~nulls] = lengths
    return spread_out


def _arrow_texts(lengths: IntArray, content: bytes, nulls: BoolArray | None) -> ArrowText:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    texts = pa.py_buffer(content)
    return pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(offsets), texts, validity(nulls))
