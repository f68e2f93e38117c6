"""Puts the rows of a dump into tables of a private SQLite, with bound values only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import apsw
import numpy as np

from app.budget import check_deadline
from app.errors import CellInvalidError, SourceEncodingError, SourceError, SqlInvalidError
from app.sources.dumps.blocks import PlacedRows
from app.sources.dumps.catalogue import FinalTable
from app.sources.dumps.literals import Cell
from app.sources.dumps.model import Default, DumpColumn, Storage
from app.sources.dumps.moments import as_stored
from app.sources.dumps.numbers import (
    SHORT,
    TOO_LONG,
    are_short,
    as_whole,
    complaint,
    is_rounded,
    is_whole,
    may_round,
    odd_cell,
)
from app.sources.dumps.rows import RowBatch
from app.sources.dumps.script import Script
from app.sources.options import Unsupported
from app.sources.sqlite.reading.database import too_many_rows
from app.sources.sqlite.schema import quoted
from app.tables.dictionary import IntArray

_TRUE, _FALSE = ("t", "true", "y", "yes", "on", "1"), ("f", "false", "n", "no", "off", "0")
_TRUTH: dict[Cell, Cell] = {None: None, **dict.fromkeys(_TRUE, "1"), **dict.fromkeys(_FALSE, "0")}
_CELL_HINT = "Cells are finite numbers, text and NULL; unsupported=skip reads bytes as NULL."
_REFUSED = (apsw.ConstraintError, apsw.MismatchError, apsw.SQLError)


class RowCount:
    """Counts the rows of all tables against the limit in force."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rows = 0

    def add(self, rows: int, table: str) -> None:
        """Count rows; `SourceLimitError` if they are too many."""
        self._rows += rows
        if self._rows > self._limit:
            raise too_many_rows(self._limit, table=table)


_EMPTY_BYTES: tuple[Cell, ...] = (None, "", b"")
_EMPTY_BYTEA: tuple[Cell, ...] = (*_EMPTY_BYTES, r"\x")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the cells of one column come from: batch column number, or None where rows leave it out."""

    column: DumpColumn
    source: int | None


class TableLoader:
    """One table, filled batch by batch.

    `skipped` holds the rows of each column whose bytes became NULL, `rounded` those whose fractions lost digits.
    """

    def __init__(
        self, connection: apsw.Connection, table: FinalTable, unsupported: Unsupported, count: RowCount
    ) -> None:
        self.table = table
        self.rows = 0
        self._connection = connection
        self._insert = table.plain.insert_sql()
        self._unsupported = unsupported
        self._count = count
        self._keys = frozenset(column for key in _keys(table) for column in key)
        self._skipped: dict[str, list[int]] = {}
        self._rounded: dict[str, list[int]] = {}

    @property
    def skipped(self) -> dict[str, IntArray]:
        """Row offsets of skipped bytes by column."""
        return {name: np.array(rows, np.int64) for name, rows in self._skipped.items()}

    @property
    def rounded(self) -> dict[str, IntArray]:
        """Row offsets of rounded fractions by column."""
        return {name: np.array(rows, np.int64) for name, rows in self._rounded.items()}

    def load(self, rows: PlacedRows, batches: Iterator[RowBatch]) -> None:
        """Append all batches of one block of rows."""
        numbers = {name: number for number, name in enumerate(rows.columns)}
        places = [_Place(column, numbers.get(column.name)) for column in self.table.columns]
        for batch in batches:
            check_deadline()
            self._count.add(len(batch.starts), self.table.name)
            columns = [self._prepared(rows.script, place, batch) for place in places]
            self._append(rows.script, batch, columns)

    def _append(self, script: Script, batch: RowBatch, columns: Sequence[Sequence[Cell]]) -> None:
        before = self._connection.total_changes()
        try:
            self._connection.executemany(self._insert, zip(*columns, strict=True))
        except _REFUSED as error:
            place = self._connection.total_changes() - before
            row = [cells[place] for cells in columns]
            raise self._refused_row(script, batch.starts[place], row, self.rows + place, error) from error
        except UnicodeEncodeError as error:
            raise self._broken_text(script, batch, columns) from error
        self.rows += len(batch.starts)

    def _refused_row(
        self, script: Script, at: int, cells: Sequence[Cell], row: int, error: apsw.Error
    ) -> CellInvalidError | SqlInvalidError:
        """Why SQLite refuses a row: numbers that it cannot hold may be equal to it, and are named first."""
        for column, cell in zip(self.table.columns, cells, strict=True):
            what = complaint(column, cell)
            if what is not None:
                return odd_cell(script, at, self.table.name, column, cell, what, row)
        reason = f"table {self.table.name} refuses the row: {error}"
        return script.invalid(at, reason, table=self.table.name, row=row)

    def _prepared(self, script: Script, place: _Place, batch: RowBatch) -> Sequence[Cell]:
        column = place.column
        if place.source is None:
            return self._exact(script, column, self._left_out(script, column, batch), batch)
        cells = batch.columns[place.source]
        storage = column.stored.storage
        if storage is Storage.BINARY:
            return self._without_bytes(script, column, cells, batch)
        if storage is Storage.BOOLEAN:
            cells = self._truth(script, column, cells, batch)
        if storage in (Storage.DATE, Storage.MOMENT):
            return as_stored(cells, storage)
        if bytes in set(map(type, cells)):
            cells = [_from_bytes(cell, storage) if isinstance(cell, bytes) else cell for cell in cells]
        if column.default is Default.COUNTER and None in cells:
            cells = self._counted(column, cells)
        return self._exact(script, column, cells, batch)

    def _exact(self, script: Script, column: DumpColumn, cells: Sequence[Cell], batch: RowBatch) -> Sequence[Cell]:
        """The cells as SQLite keeps them exactly, where a column may hold more digits than a REAL."""
        if not may_round(column) or are_short(cells):
            return cells
        return [
            cell if cell is None or len(cell) <= SHORT else self._long_number(script, column, cell, batch.starts, place)
            for place, cell in enumerate(cells)
        ]

    def _long_number(self, script: Script, column: DumpColumn, cell: Cell, starts: Sequence[int], place: int) -> Cell:
        """A whole number without its point; a fraction that is rounded is counted, and refused where it is a key."""
        row, what = self.rows + place, complaint(column, cell)
        if what is None and is_rounded(cell):
            self._rounded.setdefault(column.name, []).append(row)
            what = TOO_LONG if is_whole(cell) or column.name in self._keys else None
        if what is not None:
            raise odd_cell(script, starts[place], self.table.name, column, cell, what, row)
        return as_whole(cell) or cell

    def _left_out(self, script: Script, column: DumpColumn, batch: RowBatch) -> Sequence[Cell]:
        size = len(batch.starts)
        if column.default is Default.COUNTER:
            return self._counted(column, [None] * size)
        if column.default is Default.COMPUTED:
            reason = f"the row leaves out column {column.name}, whose default the database would compute"
            raise script.unsupported(batch.starts[0], reason, table=self.table.name, column=column.name)
        cells: list[Cell] = [column.default_text] * size
        return self._truth(script, column, cells, batch) if column.stored.storage is Storage.BOOLEAN else cells

    def _counted(self, column: DumpColumn, cells: Sequence[Cell]) -> list[Cell]:
        """The next whole numbers in place of NULL, as a sequence of the database gives them."""
        found = self._connection.execute(f"SELECT max({quoted(column.name)}) FROM {quoted(self.table.name)}")  # noqa: S608
        greatest = _whole_number(found.fetchall()[0][0])
        numbered: list[Cell] = []
        for cell in cells:
            greatest = greatest + 1 if cell is None else max(greatest, _whole_number(cell))
            numbered.append(str(greatest) if cell is None else cell)
        return numbered

    def _truth(self, script: Script, column: DumpColumn, cells: Sequence[Cell], batch: RowBatch) -> list[Cell]:
        try:
            return [_TRUTH[cell] for cell in cells]
        except KeyError:
            return [self._truth_of(script, column, cell, at) for cell, at in zip(cells, batch.starts, strict=True)]

    def _truth_of(self, script: Script, column: DumpColumn, cell: Cell, at: int) -> Cell:
        word = cell.strip().lower() if isinstance(cell, str) else cell
        if word not in _TRUTH:
            raise self._bad_cell(script, column, at, "is not true or false")
        return _TRUTH[word]

    def _without_bytes(
        self, script: Script, column: DumpColumn, cells: Sequence[Cell], batch: RowBatch
    ) -> Sequence[Cell]:
        """NULL in place of bytes, each of which is counted; under unsupported=error the first ones are refused.

        Empty ones hold nothing that could be lost, and are never refused.
        """
        held = [place for place, cell in enumerate(cells) if cell is not None]
        if self._unsupported is Unsupported.ERROR:
            self._refuse_bytes(script, column, cells, batch)
        if held:
            self._skipped.setdefault(column.name, []).extend(self.rows + place for place in held)
        return [None] * len(cells)

    def _refuse_bytes(self, script: Script, column: DumpColumn, cells: Sequence[Cell], batch: RowBatch) -> None:
        empty = _EMPTY_BYTEA if column.declared.lower() == "bytea" else _EMPTY_BYTES
        for cell, at in zip(cells, batch.starts, strict=True):
            if cell not in empty:
                raise self._bad_cell(script, column, at, f"is of type {column.declared}, which holds bytes")

    def _bad_cell(self, script: Script, column: DumpColumn, at: int, complaint: str) -> CellInvalidError:
        return script.bad_cell(at, complaint, hint=_CELL_HINT, table=self.table.name, column=column.name)

    def _broken_text(self, script: Script, batch: RowBatch, columns: Sequence[Sequence[Cell]]) -> SourceError:
        for column, cells in zip(self.table.columns, columns, strict=True):
            for cell, at in zip(cells, batch.starts, strict=True):
                if isinstance(cell, str) and not _is_unicode(cell):
                    line = script.line(at)
                    return SourceEncodingError(
                        f"{script.name}, line {line}: a text of table {self.table.name}, column {column.name}, "
                        "is not UTF-8.",
                        hint="Dump the database with --default-character-set=utf8mb4.",
                        file=script.name,
                        line=line,
                        table=self.table.name,
                        column=column.name,
                    )
        return script.invalid(batch.starts[0], "a text is not UTF-8")


def _keys(table: FinalTable) -> Iterator[Sequence[str]]:
    yield table.plain.primary_key
    yield from table.plain.unique_keys
    yield from (reference.columns for reference in table.plain.references)


def _from_bytes(cell: bytes, storage: Storage) -> str:
    return cell.decode("utf-8", "surrogateescape") if storage is Storage.TEXT else str(int.from_bytes(cell))


def _whole_number(value: object) -> int:
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.lstrip("+-").isdecimal() else 0


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
