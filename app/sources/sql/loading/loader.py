"""Puts the rows of a dump into tables of a private SQLite, with bound values only."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import apsw
import numpy as np

from app.budget import check_deadline
from app.errors import CellInvalidError, SourceEncodingError, SourceError, SqlInvalidError, SqlUnsupportedError
from app.sources.options import Unsupported
from app.sources.sql.definitions.model import AutoIncrement, Computed, Drawn, Literal, NumberChange, SqlColumn, Storage
from app.sources.sql.lexing.script import Script
from app.sources.sql.loading.catalogue import FinalTable
from app.sources.sql.loading.numbering import Counter, drawn
from app.sources.sql.rows.batches import Cell, RowBatch
from app.sources.sql.rows.blocks import PlacedRows
from app.sources.sql.statements.encodings import UTF8
from app.sources.sql.values.bad_value import BadValueError
from app.sources.sql.values.conversion import converted
from app.sources.sql.values.exactness import (
    NUMBER_HINT,
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
from app.sources.sql.values.literals import cells_of, literal_cells
from app.sources.sqlite.reading.database import too_many_rows
from app.sources.sqlite.schema import quoted
from app.tables.dictionary import IntArray

_TRUE, _FALSE = ("t", "true", "y", "yes", "on", "1"), ("f", "false", "n", "no", "off", "0")
_TRUTH: dict[Cell, Cell] = {None: None, **dict.fromkeys(_TRUE, "1"), **dict.fromkeys(_FALSE, "0")}
_CELL_HINT = "Cells are finite numbers, text and NULL; unsupported=skip reads bytes as NULL."
_VALUE_HINT = "Write the value as its database prints it, or dump the filled database again."
_REFUSED = (apsw.ConstraintError, apsw.MismatchError, apsw.SQLError)
_EMPTY_BYTES: tuple[Cell, ...] = (None, "", b"")
_EMPTY_BYTEA: tuple[Cell, ...] = (*_EMPTY_BYTES, r"\x")


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


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the cells of one column come from: a column of the batches by its number, or None if rows leave it out."""

    column: SqlColumn
    number: int | None


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
        self._counter = Counter(table.declared.next_number)
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

    def change_numbers(self, change: NumberChange) -> None:
        """Let AUTO_INCREMENT count from another number, or begin to count in a column that has rows already."""
        if change.column:
            column, table = quoted(change.column), quoted(self.table.name)
            query = f"SELECT ifnull(max({column}), 0), total({column} = 0) FROM {table}"  # noqa: S608
            [(greatest, zeros)] = self._connection.execute(query).fetchall()
            if zeros and not change.keeps_zeros:
                reason = f"table {self.table.name} has rows with 0, to which the server gives numbers"
                raise change.script.unsupported(change.at, reason, table=self.table.name)
            self._counter.greatest = int(str(greatest))
        self._counter.count_from(change.least)

    def load(self, rows: PlacedRows, batches: Iterator[RowBatch]) -> None:
        """Append all batches of one block of rows."""
        for batch in batches:
            check_deadline()
            self._count.add(len(batch), self.table.name)
            self._append(rows.script, batch, self.prepared(rows, batch))

    def prepared(self, rows: PlacedRows, batch: RowBatch) -> list[Sequence[Cell]]:
        """The cells of a batch, a list for each column of the table, as they are bound."""
        return [column.cells() for column in self.column_cells(rows, batch)]

    def column_cells(self, rows: PlacedRows, batch: RowBatch) -> "list[ColumnCells]":
        """What makes the cells of a batch, column by column of the table."""
        numbers = {column.name: number for number, column in enumerate(rows.columns)}
        then = {column.name: column for column in rows.block.columns}
        sources = [_Source(then.get(each.name, each), numbers.get(each.name)) for each in self.table.columns]
        return [ColumnCells(self, rows, batch, source) for source in sources]

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
        self.rows += len(batch)

    def _refused_row(
        self, script: Script, at: int, cells: Sequence[Cell], row: int, error: apsw.Error
    ) -> CellInvalidError | SqlInvalidError:
        """Why SQLite refuses a row: numbers that it cannot hold may be equal to it, and are named first."""
        for column, cell in zip(self.table.columns, cells, strict=True):
            what = complaint(column.type, cell)
            if what is not None:
                return odd_cell(script, at, self.table.name, column, cell, what, row)
        reason = f"table {self.table.name} refuses the row: {error}"
        return script.invalid(at, reason, table=self.table.name, row=row)

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

    def exact(self, script: Script, column: SqlColumn, cells: Sequence[Cell], batch: RowBatch) -> Sequence[Cell]:
        """The cells as SQLite keeps them exactly, if a column may hold more digits than a REAL."""
        if not may_round(column.type) or are_short(cells):
            return cells
        return [
            cell if cell is None or len(cell) <= SHORT else self._long_number(script, column, cell, batch.starts, place)
            for place, cell in enumerate(cells)
        ]

    def _long_number(self, script: Script, column: SqlColumn, cell: Cell, starts: Sequence[int], place: int) -> Cell:
        """A whole number without its point; a fraction that is rounded is counted, and refused if it is in a key."""
        row, what = self.rows + place, complaint(column.type, cell)
        if what is None and is_rounded(cell):
            self._rounded.setdefault(column.name, []).append(row)
            what = TOO_LONG if is_whole(cell) or column.name in self._keys else None
        if what is not None:
            raise odd_cell(script, starts[place], self.table.name, column, cell, what, row)
        return as_whole(cell) or cell

    def without_bytes(
        self, script: Script, column: SqlColumn, cells: Sequence[Cell], batch: RowBatch
    ) -> Sequence[Cell]:
        """NULL in place of bytes, each of which is counted; under unsupported=error the first ones are refused.

        Empty ones hold nothing that could be lost, and are never refused.
        """
        if self._unsupported is Unsupported.ERROR:
            empty = _EMPTY_BYTEA if column.type.name == "bytea" else _EMPTY_BYTES
            for place, cell in enumerate(cells):
                if cell not in empty:
                    raise self.bad_cell(
                        script, column, batch, place, f"is of type {column.declared}, which holds bytes"
                    )
        held = [place for place, cell in enumerate(cells) if cell is not None]
        if held:
            self._skipped.setdefault(column.name, []).extend(self.rows + place for place in held)
        return [None] * len(cells)

    def numbered(self, cells: Sequence[Cell], begins: Sequence[bool], *, zero_draws: bool) -> Sequence[Cell]:
        """The cells of an AUTO_INCREMENT column."""
        return self._counter.numbered(cells, begins, zero_draws=zero_draws)

    def bad_cell(
        self, script: Script, column: SqlColumn, batch: RowBatch, place: int, complaint: str
    ) -> CellInvalidError:
        """The error for a cell of a batch."""
        hint = NUMBER_HINT if column.type.storage.is_numeric else _CELL_HINT
        where = {"table": self.table.name, "column": column.name}
        return script.bad_cell(batch.starts[place], complaint, hint=hint, row=self.rows + place, **where)

    def bad_value(
        self, script: Script, column: SqlColumn, batch: RowBatch, error: BadValueError
    ) -> CellInvalidError | SqlUnsupportedError:
        """The error for a value of a batch."""
        if not error.is_refusal:
            return self.bad_cell(script, column, batch, error.place, error.complaint)
        at = batch.starts[error.place]
        reason = f"a cell of table {self.table.name}, column {column.name}, {error.complaint}"
        where = {"table": self.table.name, "column": column.name}
        return script.unsupported(at, reason, hint=_VALUE_HINT, **where)


class ColumnCells:
    """Makes the cells of one column of one batch what is bound to the table's INSERT.

    `number` is the place of the column in the batch; None if its rows leave it out.
    """

    def __init__(self, loader: TableLoader, rows: PlacedRows, batch: RowBatch, source: _Source) -> None:
        self._loader = loader
        self._script = rows.script
        self._settings = rows.block.statement.settings
        self._batch = batch
        self.column = source.column
        self.number = source.number
        self._overrides = rows.overrides

    def cells(self) -> Sequence[Cell]:
        """The cells; raises a `SourceError` for the first that is refused."""
        return self._checked(self._given() if self.number is not None else self._left_out)

    def _checked(self, read: Callable[[], Sequence[Cell]]) -> Sequence[Cell]:
        try:
            return self._kept(read())
        except BadValueError as error:
            raise self._loader.bad_value(self._script, self.column, self._batch, error) from error

    def _given(self) -> Callable[[], Sequence[Cell]]:
        assert self.number is not None, "rows give the column"
        number = self.number
        literals = self._batch.columns[number]
        if self._batch.signs.defaults:
            places = [place for place, literal in enumerate(literals) if (literal or "").upper() == "DEFAULT"]
            if places:
                return lambda: self._with_defaults(literals, places)
        self._refuse_given_numbers()
        return lambda: self._numbered(self._read(number), ())

    def _refuse_given_numbers(self) -> None:
        default = self.column.default
        if isinstance(default, Drawn) and default.always and not self._overrides:
            reason = f"column {self.column.name} takes numbers that its database draws, and refuses those of rows"
            raise self._script.unsupported(self._batch.starts[0], reason, column=self.column.name)

    def _read(self, number: int) -> list[Cell]:
        self._refuse_bits_in_letters(self._batch.columns[number])
        cells = literal_cells(self._batch, number, self.column.type)
        return converted(self._settings, self.column.type, cells)

    def _refuse_bits_in_letters(self, literals: Sequence[str | None]) -> None:
        """Bits as bytes of a text that was decoded are not those bytes any more."""
        if self.column.type.storage is not Storage.BITS or self._settings.encoding == UTF8:
            return
        for place, literal in enumerate(literals):
            if literal is not None and not literal.isascii():
                raise BadValueError(
                    place, f"holds bits as bytes in the encoding {self._settings.encoding}", is_refusal=True
                )

    def _with_defaults(self, literals: Sequence[str | None], places: list[int]) -> Sequence[Cell]:
        """The cells of a column of which some are the word DEFAULT."""
        default = self._default_cell(places[0])
        written = [literal or "NULL" for literal in literals]
        for place in places:
            written[place] = "NULL"
        if len(places) < len(written):
            self._refuse_given_numbers()
        cells = cells_of(written, self.column.type, self._settings.syntax, self._batch.signs)
        read = converted(self._settings, self.column.type, cells)
        for place in places:
            read[place] = default
        return self._numbered(read, places)

    def _left_out(self) -> Sequence[Cell]:
        size = len(self._batch)
        return self._numbered([self._default_cell(0)] * size, range(size))

    def _default_cell(self, place: int) -> Cell:
        """What DEFAULT stands for; NULL for a number that is drawn."""
        default, column = self.column.default, self.column
        if isinstance(default, Literal):
            try:
                cells = cells_of([default.written], column.type, self._settings.syntax)
                return converted(self._settings, column.type, cells)[0]
            except BadValueError:
                pass
        elif not isinstance(default, Computed):
            return None
        reason = f"the row leaves out column {column.name}, whose default the database would compute"
        where = {"table": self._loader.table.name, "column": column.name}
        raise self._script.unsupported(self._batch.starts[place], reason, **where)

    def _numbered(self, cells: Sequence[Cell], defaults: Sequence[int]) -> Sequence[Cell]:
        """The cells with the numbers that the database draws for those at `defaults`."""
        default = self.column.default
        if isinstance(default, Drawn):
            return drawn(default.sequence, cells, defaults)
        if default is AutoIncrement.NEXT:
            zero_draws = self._settings.zero_draws
            return self._loader.numbered(cells, self._batch.begins, zero_draws=zero_draws)
        return cells

    def _kept(self, cells: Sequence[Cell]) -> Sequence[Cell]:
        column, script = self.column, self._script
        if column.type.storage is Storage.BINARY:
            return self._loader.without_bytes(script, column, cells, self._batch)
        if column.type.storage is Storage.BOOLEAN:
            cells = self._truth(cells)
        return self._loader.exact(script, column, cells, self._batch)

    def _truth(self, cells: Sequence[Cell]) -> list[Cell]:
        try:
            return [_TRUTH[cell] for cell in cells]
        except KeyError:
            return [self._truth_of(place, cell) for place, cell in enumerate(cells)]

    def _truth_of(self, place: int, cell: Cell) -> Cell:
        word = cell.strip().lower() if isinstance(cell, str) else cell
        if word not in _TRUTH:
            raise BadValueError(place, "is not true or false")
        return _TRUTH[word]


def _keys(table: FinalTable) -> Iterator[Sequence[str]]:
    yield table.plain.primary_key
    yield from table.plain.unique_keys
    yield from (reference.columns for reference in table.plain.references)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
