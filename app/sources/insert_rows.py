"""The single rows of INSERTs, for errors that are about one of them. Scripts that load never come here."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

import apsw

from app.budget import check_deadline
from app.sources import sql_lexicon as lexicon
from app.sources.options import Unsupported
from app.sources.sql_lexicon import compiled, word
from app.sources.sql_refusals import line_of
from app.sources.sql_statements import Statement, StatementKind, StatementSplitter
from app.sources.sqlite_connection import open_memory
from app.sources.sqlite_schema import TableLayout, quoted
from app.values import Scalar

_HEAD = rf"{lexicon.INSERT_HEAD}{word('VALUES')}"
_ROW = rf"{lexicon.SPACE},?+{lexicon.SPACE}({lexicon.ROW})"

RowKey = Mapping[str, Scalar]
"""What tells one row of a table from all others: its row id, or the columns of its primary key, by name."""


@dataclass(frozen=True, slots=True)
class InsertedRow:
    """One row of an INSERT: where it starts in the text, and the INSERT of it alone."""

    start: int
    statement: str


def rows_within(text: str, start: int) -> Iterator[InsertedRow]:
    """The rows of the INSERT at an offset, in order."""
    head = compiled(_HEAD).match(text, start)
    at = head.end() if head else len(text)
    while head and (row := compiled(_ROW).match(text, at)):
        check_deadline()
        yield InsertedRow(row.start(1), head[0] + row[1])
        at = row.end()


def position_of(connection: apsw.Connection, layout: TableLayout, row: int) -> int:
    """The position in storage order of a row as errors name it: by its row id, or by its position if it has none."""
    if layout.rowid is None:
        return row
    query = f"SELECT count(*) FROM {quoted(layout.schema.name)} WHERE {layout.rowid} < ?"  # noqa: S608
    return int(str(connection.execute(query, (row,)).fetchall()[0][0]))


def key_at(connection: apsw.Connection, layout: TableLayout, position: int) -> RowKey:
    """The key of the row at a position in storage order; empty where nothing identifies it."""
    names = layout.schema.primary_key if layout.rowid is None else (layout.rowid,)
    if not names:
        return {}
    columns, table = ", ".join(map(quoted, names)), quoted(layout.schema.name)
    query = f"SELECT {columns} FROM {table} NOT INDEXED LIMIT 1 OFFSET ?"  # noqa: S608
    rows = connection.execute(query, (position,)).fetchall()
    return dict(zip(names, rows[0], strict=True)) if rows else {}


def line_of_row(text: str, policy: Unsupported, table: str, key: RowKey) -> int | None:
    """The line on which the row begins that a script, which SQLite takes, gives this key; None if there is none."""
    with closing(open_memory()) as connection:
        for statement in StatementSplitter(text, policy).statements():
            if statement.kind is StatementKind.TABLE:
                connection.execute(text[statement.start : statement.end])
            elif statement.kind is StatementKind.ROWS:
                start = _RowSearch(connection, text, table, key).within(statement)
                if start is not None:
                    return line_of(text, start)
    return None


@dataclass(frozen=True, slots=True)
class _RowSearch:
    """Runs INSERTs again, a run of them at once, and the rows of the run that makes the wanted one singly."""

    connection: apsw.Connection
    text: str
    table: str
    key: RowKey

    def within(self, run: Statement) -> int | None:
        self.connection.execute("SAVEPOINT run")
        self.connection.execute(self.text[run.start : run.end])
        if not self._is_there():
            self.connection.execute("RELEASE run")
            return None
        self.connection.execute("ROLLBACK TO run")
        for start, _ in StatementSplitter.inserts_within(self.text, run):
            for row in rows_within(self.text, start):
                self.connection.execute(row.statement)
                if self._is_there():
                    return row.start
        return None

    def _is_there(self) -> bool:
        tests = " AND ".join(f"{quoted(name)} IS ?" for name in self.key)
        query = f"SELECT 1 FROM {quoted(self.table)} WHERE {tests}"  # noqa: S608
        return self.connection.execute(query, tuple(self.key.values())).fetchone() is not None
