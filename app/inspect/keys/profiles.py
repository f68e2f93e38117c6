"""What values say about keys: how many there are, how many differ, what they look like, and what is found where."""

from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log, log10

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from app.inspect.keys.names import ColumnName
from app.tables.column import Column, Kind, column_of
from app.tables.dictionary import BoolArray, IntArray, TextDictionary
from app.tables.matching import key_codes
from app.tables.schema import ColumnSchema
from app.tables.table import Table

_LONG = 48
_UNLIKELY = -6.0
"""Decimal logarithm of a probability too small for chance."""

_FEW_TEXTS = 2
_INTEGER = r"^-?(?:0|[1-9][0-9]{0,17})$"
_DATE = r"^[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}"


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """One column of one table; `position` counts from 0. With `empty_is_missing` an empty text is not a value."""

    table: str
    schema: ColumnSchema
    column: Column
    position: int
    empty_is_missing: bool = False

    @cached_property
    def name(self) -> ColumnName:
        """The name in words."""
        return ColumnName(self.schema.name)

    @cached_property
    def missing(self) -> BoolArray:
        """True where a row has no value, shape (rows,)."""
        missing, column = self.column.null_mask(), self.column
        if not self.empty_is_missing or column.kind not in (Kind.TEXT, Kind.MIXED):
            return missing
        empty = column.texts.code_of("") if column.kind is Kind.TEXT else ""
        return missing | np.asarray(column.values == empty, np.bool_)

    @cached_property
    def _counted(self) -> tuple[Column, IntArray]:
        return _distinct(self.column, ~self.missing)

    @property
    def distinct(self) -> Column:
        """The different values, each once."""
        return self._counted[0]

    @property
    def counts(self) -> IntArray:
        """How many rows hold each of the different values."""
        return self._counted[1]

    @cached_property
    def present(self) -> int:
        """Rows with a value."""
        return len(self.column) - int(np.count_nonzero(self.missing))

    @cached_property
    def is_unique(self) -> bool:
        """Whether every row has a value of its own."""
        if self.present < len(self.column) or not self.present:
            return False
        if self.column.kind is Kind.TEXT and len(self.column.texts) < self.present:
            return False
        return len(self.distinct) == self.present

    @cached_property
    def integers(self) -> IntArray | None:
        """The different values as whole numbers, or None if one is not (a leading zero makes a text)."""
        column = self.distinct
        if column.kind is Kind.INT64:
            values: IntArray = column.values
            return values
        if column.kind is not Kind.TEXT or not len(column):
            return None
        if not pc.all(pc.match_substring_regex(column.texts.entries, _INTEGER)).as_py():
            return None
        parsed: IntArray = column.texts.entries.cast(pa.int64()).to_numpy()
        return parsed

    @cached_property
    def is_dense(self) -> bool:
        """Whether the values are whole numbers without larger gaps."""
        numbers = self.integers
        return numbers is not None and len(numbers) > 1 and int(np.ptp(numbers)) < 2 * len(numbers)

    @cached_property
    def type_score(self) -> float:
        """How well the values suit a key: whole numbers and short texts do, numbers with fractions don't."""
        column = self.distinct
        if column.kind is Kind.TEXT and len(column):
            return _text_score(column.texts)
        return {Kind.INT64: 1.0, Kind.TEXT: 0.8, Kind.MIXED: 0.5, Kind.FLOAT64: 0.1, Kind.BOOL: 0.0}[column.kind]


def _text_score(texts: TextDictionary) -> float:
    if pc.all(pc.match_substring_regex(texts.entries, _DATE)).as_py():
        return 0.3
    longest = int(pc.max(pc.utf8_length(texts.entries)).as_py())
    spaced = pc.any(pc.match_substring(texts.entries, " ")).as_py()
    if longest > _LONG:
        return 0.2
    return 0.7 if spaced else 1.0


def _distinct(column: Column, present: BoolArray) -> tuple[Column, IntArray]:
    values = column.values if present.all() else column.values[present]
    if column.kind is Kind.TEXT:
        counts = np.bincount(values, minlength=len(column.texts))
        used = np.flatnonzero(counts)
        entries = TextDictionary(column.texts.entries.take(pa.array(used)))
        return Column(Kind.TEXT, np.arange(len(used), dtype=np.int32), None, entries), counts[used]
    if column.kind is Kind.MIXED:
        codes, objects = pd.factorize(values)
        return column_of(list(objects)), np.bincount(codes, minlength=len(objects))
    distinct, counts = np.unique(values, return_counts=True)
    return Column(column.kind, distinct), counts


@dataclass(frozen=True, eq=False)
class TableProfile:
    """One table with a profile of each column, in order."""

    table: Table
    columns: tuple[ColumnProfile, ...]

    @classmethod
    def of(cls, table: Table, empty_is_missing: bool) -> "TableProfile":
        """The profile of a table; nothing is counted before it is asked for."""
        name = table.schema.name
        schemas = enumerate(table.schema.columns)
        return cls(
            table,
            tuple(
                ColumnProfile(name, schema, table.columns[schema.name], position, empty_is_missing)
                for position, schema in schemas
            ),
        )

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.schema.name

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.table.row_count

    def column(self, name: str) -> ColumnProfile:
        """The column of exactly that name."""
        return next(column for column in self.columns if column.schema.name == name)


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Shares from 0 to 1: of a column's rows that are found, and of the other's keys that are referred to.

    `is_telling`: values of this kind would hardly all be found in a key that they have nothing to do with, as small
    whole numbers are in any.
    """

    hit_rate: float
    covered: float
    is_telling: bool


def included(column: ColumnProfile, key: ColumnProfile) -> Inclusion:
    """How far a column with values is included in a key with values."""
    codes = key_codes(column.distinct, key.distinct, key.schema).child
    hits = codes >= 0
    hit_rate = float(column.counts[hits].sum() / column.present)
    covered = float(np.count_nonzero(hits) / len(key.distinct))
    return Inclusion(hit_rate, covered, bool(hits.any()) and _is_telling(column, key, hits))


def _is_telling(column: ColumnProfile, key: ColumnProfile, hits: BoolArray) -> bool:
    """Whether as many values, drawn from the range that those found in the key span, would most likely miss it."""
    own, keys = column.integers, key.integers
    if own is None:
        return int(np.count_nonzero(hits)) > _FEW_TEXTS and column.type_score >= 0.7
    if keys is None:
        return False
    low, high = int(own[hits].min()), int(own[hits].max())
    within, found = (int(np.count_nonzero((numbers >= low) & (numbers <= high))) for numbers in (keys, own[hits]))
    drawn = int(np.count_nonzero((own >= low) & (own <= high)))
    ways = (lgamma(drawn + 1) - lgamma(found + 1) - lgamma(drawn - found + 1)) / log(10)
    return ways + found * log10(within / (high - low + 1)) < _UNLIKELY
