"""Rows of a table from its leaf pages; what is unusual about them is left to SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from app.budget import check_deadline
from app.sources.sqlite.pages.column_cells import read_column
from app.sources.sqlite.pages.page_file import PageFile, PagesUnreadableError
from app.sources.sqlite.pages.records import Records, read_records
from app.sources.sqlite.pages.table_tree import LeafCells, read_cells
from app.sources.sqlite.reading.column_builder import ColumnBuilder
from app.sources.sqlite.reading.rows import RowRange, read_rows
from app.tables.column import Column, Kind
from app.tables.dictionary import ArrowText, IntArray

_BYTES_AT_ONCE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CountedPages:
    """The pages of an image, and how many rows SQLite counted in all of its tables."""

    file: PageFile
    rows: int


@dataclass(frozen=True, slots=True)
class LeafRows:
    """Consecutive leaf pages of the table `rows`, which has row ids, and a builder for each of its columns.

    More rows than SQLite counted are never read: damaged trees may lead to the same pages again and again.
    """

    rows: RowRange
    pages: CountedPages
    leaves: IntArray
    builders: Sequence[ColumnBuilder]

    def read(self, rows_at_once: int) -> int:
        """Read all rows, and return how many there were; SQLite is asked for `rows_at_once` at a time.

        Raises `PagesUnreadableError`, and what `read_rows` raises.
        """
        count, step = 0, max(1, _BYTES_AT_ONCE // self.pages.file.geometry.page)
        for at in range(0, len(self.leaves), step):
            check_deadline()
            cells = read_cells(self.pages.file, self.leaves[at : at + step])
            count += len(cells.row_ids)
            if count > self.pages.rows:
                raise PagesUnreadableError
            if len(cells.row_ids):
                self._add(cells, rows_at_once)
        return count

    def _add(self, cells: LeafCells, rows_at_once: int) -> None:
        records = read_records(cells, len(self.builders))
        unusual = self.builders if records is None else self._add_columns(records)
        if unusual:
            bounds = (int(cells.row_ids[0]), int(cells.row_ids[-1]))
            read_rows(replace(self.rows, bounds=bounds), unusual, rows_at_once)

    def _add_columns(self, records: Records) -> list[ColumnBuilder]:
        """Add the columns that can be read here, and return the builders of all others."""
        unusual: list[ColumnBuilder] = []
        for position, builder in enumerate(self.builders):
            block = self._block(records, position, builder)
            if block is None:
                unusual.append(builder)
            else:
                builder.add(block)
        return unusual

    def _block(self, records: Records, position: int, builder: ColumnBuilder) -> Column | ArrowText | None:
        if builder.schema.name == self.rows.layout.alias:
            return None if records.types[position].any() else Column(Kind.INT64, records.row_ids)
        try:
            return read_column(records, position, builder.schema.affinity)
        except pa.ArrowInvalid:
            return None
