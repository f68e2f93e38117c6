"""What the generator knows of a table: which columns name, group and measure its rows, with samples of their values."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from app.budget import check_deadline
from app.tables.column import Column, Kind
from app.tables.dictionary import IntArray
from app.tables.schema import ColumnSchema, RelationalSchema, TableSchema
from app.tables.table import Table
from app.values import Affinity, Scalar
from app.workload.binding.cell_types import CellType, ColumnCells, column_cells, is_numeric
from app.workload.generation import names

SAMPLE_ROWS = 2_048
"""Rows looked at for constants and numbers of distinct values, spread evenly over the table."""

MAX_CATEGORY_VALUES = 64
_LONGEST_CONSTANT = 120
_LARGEST_SUM = 2.0**62


@dataclass(frozen=True, eq=False)
class ColumnTraits:
    """One column: `cells` says what it stores, `sample` has its non-NULL values in sampled rows."""

    schema: ColumnSchema
    cells: ColumnCells
    sample: tuple[Scalar, ...]
    null_count: int
    is_identifier: bool

    @property
    def name(self) -> str:
        """The column's name."""
        return self.schema.name

    @cached_property
    def frequencies(self) -> list[tuple[Scalar, int]]:
        """Sampled values that can be constants with their number in the sample, most frequent first."""
        usable = (value for value in self.sample if is_constant(value, self.schema.affinity))
        return Counter(usable).most_common()

    @property
    def is_measure(self) -> bool:
        """Whether sums of it mean something: numbers that are not a key, a year or a code."""
        return not self.is_identifier and is_numeric(self.schema, self.cells) and not names.suggests_no_sum(self.name)

    @property
    def is_category(self) -> bool:
        """Whether it divides rows into few groups, or is called so."""
        if self.is_identifier or CellType.REAL in self.cells.types or not self.frequencies:
            return False
        few = 1 < len(self.frequencies) <= min(MAX_CATEGORY_VALUES, len(self.sample) // 2)
        return few or (names.suggests_category(self.name) and len(self.frequencies) > 1)

    @property
    def is_text(self) -> bool:
        """Whether it stores text and nothing else."""
        return self.cells.types == {CellType.TEXT}

    def constants(self, count: int) -> list[Scalar]:
        """Up to `count` values of the column: the most frequent, one of the middle, a rare one."""
        offsets = sorted({0, len(self.frequencies) // 2, len(self.frequencies) - 1})
        return [self.frequencies[offset][0] for offset in offsets[:count]] if self.frequencies else []

    def sums_within(self, rows: int) -> bool:
        """Whether a sum over `rows` rows surely fits."""
        return self.cells.largest * max(rows, 1) < _LARGEST_SUM


def is_constant(value: Scalar, affinity: Affinity) -> bool:
    """Whether a plan may and should compare a column of this affinity with a value of it."""
    if isinstance(value, str):
        return len(value) <= _LONGEST_CONSTANT
    return not (isinstance(value, float) and affinity is Affinity.TEXT)


@dataclass(frozen=True, eq=False)
class TableTraits:
    """One table with its columns by part, the most telling first."""

    schema: TableSchema
    row_count: int
    columns: tuple[ColumnTraits, ...]

    @property
    def name(self) -> str:
        """The table's name."""
        return self.schema.name

    @cached_property
    def categories(self) -> list[ColumnTraits]:
        """Columns to group by: named as categories first, then text before numbers, then few values before many."""
        found = [column for column in self.columns if column.is_category]
        return sorted(found, key=_category_rank)

    @cached_property
    def measures(self) -> list[ColumnTraits]:
        """Columns to add up: those named as quantities first."""
        found = [column for column in self.columns if column.is_measure]
        return sorted(found, key=lambda column: not names.suggests_measure(column.name))

    @cached_property
    def label(self) -> ColumnTraits | None:
        """The column that names a row for people."""
        named = [column for column in self.columns if names.suggests_label(column.name) and not column.is_identifier]
        texts = [column for column in self.columns if column.is_text and not column.is_identifier]
        return next(iter(named + texts), None)

    @cached_property
    def keys(self) -> list[ColumnTraits]:
        """The primary key's columns, in key order."""
        by_name = {column.name: column for column in self.columns}
        return [by_name[name] for name in self.schema.primary_key]

    @cached_property
    def display(self) -> list[ColumnTraits]:
        """Up to four columns that show a row: key, label, a category, a measure; else the first columns."""
        parts = [*self.keys[:2], self.label, *self.categories[:1], *self.measures[:1]]
        shown = list(dict.fromkeys(column for column in parts if column is not None))
        return (shown or list(self.columns))[:4]


def _category_rank(column: ColumnTraits) -> tuple[bool, bool, int]:
    return (not names.suggests_category(column.name), not column.is_text, len(column.frequencies))


def table_traits(schema: RelationalSchema, tables: Mapping[str, Table]) -> dict[str, TableTraits]:
    """The traits of each table, in the schema's order."""
    keys = _key_columns(schema)
    traits = {}
    for table in schema:
        check_deadline()
        rows = spread(tables[table.name].row_count, SAMPLE_ROWS)
        columns = tuple(
            _traits_of(column, tables[table.name].columns[column.name], rows, (table.name, column.name) in keys)
            for column in table.columns
        )
        traits[table.name] = TableTraits(table, tables[table.name].row_count, columns)
    return traits


def _key_columns(schema: RelationalSchema) -> set[tuple[str, str]]:
    """Table and column of everything that takes part in a key."""
    own = {(table.name, name) for table in schema for name in table.primary_key}
    child = {(key.table, name) for key in schema.foreign_keys for name in key.columns}
    parent = {(key.ref_table, name) for key in schema.foreign_keys for name in key.ref_columns}
    return own | child | parent


def spread(rows: int, count: int) -> IntArray:
    """Up to `count` row offsets spread evenly over `rows` rows."""
    return np.unique(np.linspace(0, max(rows - 1, 0), min(rows, count)).astype(np.int64))


def _traits_of(schema: ColumnSchema, column: Column, rows: IntArray, is_key: bool) -> ColumnTraits:
    return ColumnTraits(
        schema,
        column_cells(column),
        tuple(sampled(column, rows)),
        column.null_count(),
        is_key or names.suggests_identifier(schema.name),
    )


def sampled(column: Column, rows: IntArray) -> Iterable[Scalar]:
    """The non-NULL cells of these rows, without turning a whole dictionary into Python objects."""
    kept = rows if column.nulls is None else rows[~column.nulls[rows]]
    if column.kind is Kind.TEXT:
        texts: list[Scalar] = column.texts.entries.take(pa.array(column.values[kept])).to_pylist()
        return texts
    return column.take(kept).to_list()
