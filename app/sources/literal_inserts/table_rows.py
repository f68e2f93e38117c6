"""Collects the rows of one table, and checks what SQLite would check of them."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from app.sources.column_reader import ColumnReader, finish
from app.sources.literal_inserts.cells import holds_number_texts, read_cells
from app.sources.literal_inserts.fields import Fields
from app.sources.literal_inserts.groups import UnusualScriptError
from app.sources.parallel import Helper
from app.sources.sqlite_schema import TableLayout
from app.tables.column import Column, Kind, int_column
from app.tables.dictionary import IntArray
from app.tables.matching import match_rows
from app.tables.schema import ColumnSchema
from app.tables.table import Table
from app.values import INT64_MAX, fold_identifier

_LEFT_OUT = -1
_FEW = 10_000
"""So many rows are finished sooner than a thread wakes up."""


class TableRows:
    """The rows of a table so far, block by block; `defaults` are the folded names of columns that have one."""

    def __init__(self, columns: Sequence[ColumnSchema], defaults: frozenset[str]) -> None:
        self._readers = [ColumnReader(column) for column in columns]
        self._names = [fold_identifier(column.name) for column in columns]
        self._defaults = defaults
        self._with_texts: set[str] = set()
        self.count = 0

    def places(self, columns: Sequence[str] | None) -> list[int]:
        """For each column its place in a row that lists `columns`, or -1 where it is left out and becomes NULL."""
        if columns is None:
            return list(range(len(self._names)))
        left_out = set(self._names) - set(columns)
        if len(left_out) + len(columns) != len(self._names) or left_out & self._defaults:
            raise UnusualScriptError
        return [columns.index(name) if name in columns else _LEFT_OUT for name in self._names]

    def add(self, fields: Fields, first_fields: IntArray, places: IntArray) -> None:
        """Append rows whose fields begin at `first_fields`, shape (rows,); `places` has shape (columns, rows or 1)."""
        step = _step(first_fields, places)
        for reader, column_places in zip(self._readers, places, strict=True):
            column = _column(fields, first_fields, column_places, step)
            part = read_cells(column, reader.schema.affinity)
            if not isinstance(part, Column):
                self._with_texts.add(reader.schema.name)
            reader.add(part)
        self.count += len(first_fields)

    def finished(self, layout: TableLayout, helper: Helper) -> Table:
        """The table in the order of its row ids, with the keys that the script has declared by now.

        `helper` does a part of the work. Raises `UnusualScriptError` where SQLite would refuse a row or turn a text
        into a number.
        """
        columns = self._columns(helper)
        if layout.alias is not None and self.count:
            columns = _in_order(columns, layout.alias)
        for schema in layout.schema.columns:
            _check_column(columns[schema.name], schema, has_texts=schema.name in self._with_texts)
        keys = [key for key in layout.schema.unique_keys if key != (layout.alias,)]
        for key in keys if self.count else ():
            _check_unique([columns[name] for name in key], [layout.schema.column(name) for name in key])
        return Table(layout.schema, columns, self.count)

    def _columns(self, helper: Helper) -> dict[str, Column]:
        """All columns whole; those of many texts take longest, and are begun first."""
        if self.count < _FEW:
            return {reader.schema.name: finish([reader]) for reader in self._readers}
        readers = sorted(self._readers, key=lambda reader: reader.text_bytes, reverse=True)
        finished = dict(zip(readers, helper.run_with([partial(finish, [reader]) for reader in readers]), strict=True))
        return {reader.schema.name: finished[reader] for reader in self._readers}


def _step(first_fields: IntArray, places: IntArray) -> int:
    """How many fields lie between a column's in two rows, where that is the same for all rows; else 0."""
    width = int(np.count_nonzero(places[:, 0] != _LEFT_OUT))
    is_regular = places.shape[1] == 1 and first_fields[-1] - first_fields[0] == (len(first_fields) - 1) * width
    return width if is_regular else 0


def _column(fields: Fields, first_fields: IntArray, places: IntArray, step: int) -> Fields:
    """The fields of one column, whose places in the rows are given."""
    left_out = places == _LEFT_OUT
    if step and not left_out.any():
        return fields.at(slice(int(first_fields[0] + places[0]), int(first_fields[-1] + places[0]) + 1, step))
    return fields.at(first_fields + np.maximum(places, 0), left_out if left_out.any() else None)


def _check_column(column: Column, schema: ColumnSchema, *, has_texts: bool) -> None:
    """Refuse NULL where it must not be, and under numeric affinity texts beside numbers or that look like some."""
    if schema.not_null and column.null_count():
        raise UnusualScriptError
    if has_texts and schema.affinity.is_numeric and (column.kind is not Kind.TEXT or holds_number_texts(column)):
        raise UnusualScriptError


def _in_order(columns: dict[str, Column], alias: str) -> dict[str, Column]:
    """The columns in the order of the row ids, which are the cells of one of them; all NULL, they count the rows.

    Raises `UnusualScriptError` for other cells, and where two are the same.
    """
    ids = columns[alias]
    if ids.null_count() == len(ids):
        return columns | {alias: int_column(np.arange(1, len(ids) + 1))}
    if ids.kind is not Kind.INT64 or ids.null_count() or int(ids.values.max()) == INT64_MAX:
        raise UnusualScriptError
    if _ascends(ids.values):
        return columns
    order = np.argsort(ids.values)
    if not _ascends(ids.values[order]):
        raise UnusualScriptError
    return {name: column.take(order) for name, column in columns.items()}


def _ascends(ids: IntArray) -> bool:
    """Whether each number is greater than the one before."""
    return bool((ids[1:] > ids[:-1]).all())


def _check_unique(columns: Sequence[Column], schemas: Sequence[ColumnSchema]) -> None:
    if match_rows(columns, columns, schemas).duplicate_parents is not None:
        raise UnusualScriptError
