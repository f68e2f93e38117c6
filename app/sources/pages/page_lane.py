"""Reads consecutive leaf pages of a table into columns, and leaves what is unusual to SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from app.budget import check_deadline
from app.sources.column_reader import ColumnReader, Part
from app.sources.lane import Lane
from app.sources.pages.cells_of_column import read_column
from app.sources.pages.page_file import CountedPages, PagesUnreadableError
from app.sources.pages.records import Records, read_records
from app.sources.pages.table_tree import LeafCells, read_cells
from app.tables.column import Column, Kind
from app.tables.dictionary import IntArray

_BYTES_AT_ONCE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PageLane:
    """Leaf pages of the table that `sql` reads rows of; `alias` names the column that is the row id itself.

    More rows than SQLite counted are never read: damaged trees may lead to the same pages again and again.
    """

    sql: Lane
    pages: CountedPages
    leaves: IntArray
    alias: str | None

    @property
    def readers(self) -> Sequence[ColumnReader]:
        """One for each column."""
        return self.sql.readers

    def read(self, chunk_rows: int) -> int:
        """Read all rows of the lane, and return how many there were; SQLite is asked for `chunk_rows` at a time."""
        rows, step = 0, max(1, _BYTES_AT_ONCE // self.pages.file.geometry.page)
        for at in range(0, len(self.leaves), step):
            check_deadline()
            cells = read_cells(self.pages.file, self.leaves[at : at + step])
            rows += len(cells.row_ids)
            if rows > self.pages.rows:
                raise PagesUnreadableError
            if len(cells.row_ids):
                self._add(cells, chunk_rows)
        return rows

    def _add(self, cells: LeafCells, chunk_rows: int) -> None:
        records = read_records(cells, len(self.readers))
        others = self.readers if records is None else self._add_columns(records)
        if others:
            bounds = (int(cells.row_ids[0]), int(cells.row_ids[-1]))
            replace(self.sql, rows=replace(self.sql.rows, bounds=bounds), readers=others).read(chunk_rows)

    def _add_columns(self, records: Records) -> list[ColumnReader]:
        """Add the columns that can be read here, and return the readers of all others."""
        others: list[ColumnReader] = []
        for place, reader in enumerate(self.readers):
            part = self._part(records, place, reader)
            if part is None:
                others.append(reader)
            else:
                reader.add(part)
        return others

    def _part(self, records: Records, place: int, reader: ColumnReader) -> Part | None:
        if reader.schema.name == self.alias:
            return None if records.types[place].any() else Column(Kind.INT64, records.row_ids)
        try:
            return read_column(records, place, reader.schema.affinity)
        except pa.ArrowInvalid:
            return None
