"""Adds to errors about tables of a script the line that they come from; a script that loads needs none of it."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass

import apsw

from app.errors import CellInvalidError, ForeignKeyInvalidError, SqlUnsupportedError
from app.sources.options import SourceOptions, Unsupported
from app.sources.sql.lexing.script import Script
from app.sources.sql.running.inserts import InsertRun, groups_of_rows
from app.sources.sql.running.statements import Kind, ScriptReader
from app.sources.sqlite.connection import open_for_script
from app.sources.sqlite.schema import TableLayout, quoted, read_catalogue
from app.values import Scalar, fold_identifier

RowKey = Mapping[str, Scalar]
"""What identifies a row of a table, by name: its row id, or the columns of its primary key, and a cell."""


@dataclass(frozen=True, slots=True)
class RunScript:
    """A script that SQLite took, and the database that it made."""

    script: Script
    options: SourceOptions
    made: apsw.Connection

    @contextmanager
    def naming_lines(self, read: apsw.Connection) -> Iterator[None]:
        """Let errors name the line of their row or definition; `read` has the tables of `made`, with equal rows."""
        try:
            yield
        except CellInvalidError as error:
            error.add_where(line=self._line_of_cell(read, error.where))
            raise
        except (ForeignKeyInvalidError, SqlUnsupportedError) as error:
            error.add_where(line=self._line_of_definition(str(error.where.get("table"))))
            raise

    def _line_of_cell(self, read: apsw.Connection, where: Mapping[str, object]) -> int | None:
        table, column, row = str(where["table"]), str(where["column"]), int(str(where["row"]))
        position = _position_of(read, _layout(read, table), row)
        key = _key_at(self.made, _layout(self.made, table), position, column)
        return self._line_of_row(table, key) if key else None

    def _line_of_definition(self, table: str) -> int | None:
        wanted = fold_identifier(table)
        for accepted in ScriptReader(self.script, self.options.unsupported).statements():
            if accepted.kind is Kind.TABLE and fold_identifier(accepted.name) == wanted:
                return self.script.line(accepted.statement.start)
        return None

    def _line_of_row(self, table: str, key: RowKey) -> int | None:
        """The line on which the row begins that gets this key; None if there is none."""
        with closing(open_for_script()) as connection:
            for accepted in ScriptReader(self.script, self.options.unsupported).statements():
                if accepted.kind is Kind.TABLE:
                    connection.execute(accepted.statement.text)
                elif accepted.kind is Kind.ROWS and isinstance(accepted.statement, InsertRun):
                    start = _RowSearch(connection, table, key).within(accepted.statement)
                    if start is not None:
                        return self.script.line(start)
        return None


def _layout(connection: apsw.Connection, table: str) -> TableLayout:
    layouts = read_catalogue(connection, Unsupported.SKIP).layouts
    return next(layout for layout in layouts if layout.schema.name == table)


def _position_of(connection: apsw.Connection, layout: TableLayout, row: int) -> int:
    """The position in storage order of a row as errors name it: by its row id, or by its position if it has none."""
    if layout.rowid is None:
        return row
    query = f"SELECT count(*) FROM {quoted(layout.schema.name)} WHERE {layout.rowid} < ?"  # noqa: S608
    return int(str(connection.execute(query, (row,)).fetchall()[0][0]))


def _key_at(connection: apsw.Connection, layout: TableLayout, position: int, column: str) -> RowKey:
    """The key of the row at a position in storage order, and what it holds in a column; empty if nothing identifies it.

    An INSERT OR REPLACE may make a row again under the same key.
    """
    key = layout.schema.primary_key if layout.rowid is None else (layout.rowid,)
    if not key:
        return {}
    names = tuple(dict.fromkeys([*key, column]))
    query = f"SELECT {', '.join(map(quoted, names))} {layout.rows()} LIMIT 1 OFFSET ?"
    rows = connection.execute(query, (position,)).fetchall()
    return dict(zip(names, rows[0], strict=True)) if rows else {}


@dataclass(frozen=True, slots=True)
class _RowSearch:
    """Runs INSERTs again, many rows at once, and singly those among which the wanted one is."""

    connection: apsw.Connection
    table: str
    key: RowKey

    def within(self, run: InsertRun) -> int | None:
        """Where the row begins in the text, if this run of INSERTs has it; else they are kept."""
        if not self._is_made_by(run.sql):
            return None
        for insert in run.inserts():
            for group in groups_of_rows(insert):
                if self._is_made_by(group.statement):
                    return next(row.start for row in group.singly() if self._is_made_by(row.statement))
        return None

    def _is_made_by(self, statement: str) -> bool:
        """Whether the statement makes the row; it is undone if so."""
        self.connection.execute("SAVEPOINT attempt")
        self.connection.execute(statement)
        is_there = self._is_there()
        if is_there:
            self.connection.execute("ROLLBACK TO attempt")
        self.connection.execute("RELEASE attempt")
        return is_there

    def _is_there(self) -> bool:
        tests = " AND ".join(f"{quoted(name)} IS ?" for name in self.key)
        query = f"SELECT 1 FROM {quoted(self.table)} WHERE {tests}"  # noqa: S608
        return self.connection.execute(query, tuple(self.key.values())).fetchone() is not None
