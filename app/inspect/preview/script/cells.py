"""Cells of the first rows of SQL text as a build keeps them; values are bound to a private SQLite, none is run."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import apsw
from typing_extensions import override

from app.errors import SourceError
from app.inspect.preview.limits import COLUMNS
from app.inspect.preview.model import Placeholder, placeholder
from app.inspect.preview.script.problems import Problems
from app.inspect.preview.script.sqlite_literals import SqliteValue, literal_value
from app.sources.options import Unsupported
from app.sources.sql.definitions.model import Drawn, Literal, SqlColumn
from app.sources.sql.lexing.script import Script
from app.sources.sql.loading.catalogue import SQLITE_TYPES, FinalTable
from app.sources.sql.loading.loader import ColumnCells, RowCount, TableLoader
from app.sources.sql.rows.batches import Cell, RowBatch
from app.sources.sql.rows.blocks import PlacedRows
from app.sources.sql.values.exactness import complaint, odd_cell
from app.values import INT64_MAX, Affinity, affinity_of

Kept: TypeAlias = SqliteValue | Placeholder
"""What a cell holds, or what stands for it."""

_REFUSED = placeholder("refused")
_DEFAULT = placeholder("default")
_NEXT_NUMBER = placeholder("next number")


class TableCells(Protocol):
    """Makes the cells of the first rows of one table."""

    def row(self, rows: PlacedRows, batch: RowBatch) -> Mapping[str, Kept]:
        """The cells of the only row of a batch, by the names of the table's first columns."""


class Affinities:
    """What SQLite makes of a value in a column of each affinity."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        columns = ", ".join(f'"{each.value}" {each.value}' for each in Affinity)
        connection.execute(f"CREATE TABLE kept ({columns}); INSERT INTO kept DEFAULT VALUES").fetchall()

    def kept(self, value: Kept, affinity: Affinity) -> Kept:
        """The value as a column keeps it; placeholders stay, and so does text that is not Unicode."""
        if value is None or isinstance(value, Placeholder):
            return value
        update = f'UPDATE kept SET "{affinity.value}" = ? RETURNING "{affinity.value}"'  # noqa: S608
        try:
            [(kept,)] = self._connection.execute(update, (value,)).fetchall()
        except UnicodeEncodeError:
            return value
        return kept


class SqliteCells(TableCells):
    """Cells of SQLite's own text, whose values have types of their own."""

    def __init__(self, table: FinalTable, affinities: Affinities, problems: Problems) -> None:
        self._problems = problems
        self._columns = table.columns[:COLUMNS]
        self._is_strict = table.declared.is_strict
        self._affinities = affinities
        key = table.plain.primary_key
        self._row_id = key[0] if len(key) == 1 else ""
        """The only column of the primary key, which names the row id if its type is INTEGER."""

    @override
    def row(self, rows: PlacedRows, batch: RowBatch) -> Mapping[str, Kept]:
        written = {column.name: cells[0] for column, cells in zip(rows.columns, batch.columns, strict=True)}
        try:
            return {column.name: self._cell(column, written.get(column.name)) for column in self._columns}
        except ValueError:
            reason = "a literal of this row is not one that SQLite takes"
            self._problems.add(rows.block.statement, rows.script.invalid(batch.starts[0], reason))
            return {column.name: _REFUSED for column in self._columns}

    def _cell(self, column: SqlColumn, literal: str | None) -> Kept:
        value: Kept = literal_value(literal) if literal is not None else _default(column)
        if value is None and column.name == self._row_id and column.declared.upper() == "INTEGER":
            return _NEXT_NUMBER
        is_any = self._is_strict and column.declared.upper() == "ANY"
        return self._affinities.kept(value, Affinity.BLOB if is_any else affinity_of(column.declared))


def _default(column: SqlColumn) -> Kept:
    return literal_value(column.default.written) if isinstance(column.default, Literal) else _DEFAULT


class _Keeper(TableLoader):
    """Makes cells as a build does, except that bytes are said to be there; it loads nothing."""

    @override
    def without_bytes(
        self, script: Script, column: SqlColumn, cells: Sequence[Cell], batch: RowBatch
    ) -> Sequence[Cell]:
        return [None if cell is None else _bytes_of(cell) for cell in cells]

    @override
    def exact(self, script: Script, column: SqlColumn, cells: Sequence[Cell], batch: RowBatch) -> Sequence[Cell]:
        """A build finds numbers that cannot be kept once all rows are there; here they are looked at one by one."""
        for cell, at in zip(cells, batch.starts, strict=True):
            what = complaint(column.type, cell)
            if what is not None:
                raise odd_cell(script, at, self.table.name, column, cell, what, self.rows)
        return super().exact(script, column, cells, batch)


def _bytes_of(cell: Cell) -> Placeholder:
    """How many bytes a cell holds, as far as its literal says it: of texts only those that PostgreSQL writes in hex."""
    if isinstance(cell, str):
        if not cell.startswith("\\x"):
            return placeholder("binary")
        return placeholder(f"binary, {(len(cell) - 2) // 2:,} bytes")
    return placeholder(f"binary, {len(cell or b''):,} bytes")


class DumpCells(TableCells):
    """Cells of MySQL and PostgreSQL: a build's own loader makes them.

    Of a column that draws from one of the `shared` sequences (by identity), numbers depend on all rows of other
    tables, and are not said.
    """

    def __init__(self, loader: TableLoader, affinities: Affinities, problems: Problems, shared: frozenset[int]) -> None:
        self._loader = loader
        self._affinities = affinities
        self._problems = problems
        self._shared = shared

    @override
    def row(self, rows: PlacedRows, batch: RowBatch) -> Mapping[str, Kept]:
        found = self._loader.column_cells(rows, batch)[:COLUMNS]
        cells = {each.column.name: self._cell(each, rows, batch) for each in found}
        self._loader.rows += 1
        return cells

    def _cell(self, cells: ColumnCells, rows: PlacedRows, batch: RowBatch) -> Kept:
        column = cells.column
        try:
            [cell] = cells.cells()
        except SourceError as error:
            self._problems.add(rows.block.statement, error)
            return _REFUSED
        literal = None if cells.number is None else batch.columns[cells.number][0]
        is_given = cells.number is not None and (literal or "").upper() != "DEFAULT"
        if not is_given and isinstance(column.default, Drawn) and id(column.default.sequence) in self._shared:
            return _NEXT_NUMBER
        return self._affinities.kept(cell, affinity_of(SQLITE_TYPES[column.type.storage]))


def keeper(connection: apsw.Connection, table: FinalTable) -> TableLoader:
    """What makes cells of a table as a build under unsupported=skip does."""
    return _Keeper(connection, table, Unsupported.SKIP, RowCount(INT64_MAX))
