"""The single rows of INSERTs, for errors that are about one of them. Scripts that load never come here."""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

import apsw

from app.budget import check_deadline
from app.sources import sql_lexicon as lexicon
from app.sources.options import Unsupported
from app.sources.sql_lexicon import compiled
from app.sources.sql_refusals import line_of
from app.sources.sql_statements import Statement, StatementKind, StatementSplitter, insert_at, inserts_within
from app.sources.sqlite.connection import open_for_script
from app.sources.sqlite.schema import TableLayout, quoted
from app.values import Scalar

_NEXT = rf"{lexicon.SPACE},?+{lexicon.SPACE}"
_GROUP = rf"{_NEXT}({lexicon.ROW}(?:{lexicon.SPACE},{lexicon.SPACE}{lexicon.ROW}){{0,499}}+)"
_ROW = rf"{_NEXT}({lexicon.ROW})"

RowKey = Mapping[str, Scalar]
"""What tells one row of a table from all others, by name: its row id, or the columns of its primary key, and a cell."""


@dataclass(frozen=True, slots=True)
class InsertedRows:
    """Some rows of an INSERT, as they are written, where they start in the text, and what stands around all of them."""

    head: str
    rows: str
    tail: str
    start: int

    @property
    def statement(self) -> str:
        """The INSERT of these rows alone."""
        return self.head + self.rows + self.tail

    def singly(self) -> Iterator["InsertedRows"]:
        """Each row of them."""
        for row in _matches(_ROW, self.rows, 0):
            yield InsertedRows(self.head, row[1], self.tail, self.start + row.start(1))


def groups_of_rows(text: str, start: int) -> Iterator[InsertedRows]:
    """The rows of the INSERT at an offset in order, hundreds at once, which SQLite takes sooner than single ones."""
    insert = insert_at(text, start)
    assert insert is not None, "INSERTs were checked"
    for group in _matches(_GROUP, text, insert.start("rows")):
        yield InsertedRows(insert["head"], group[1], insert["tail"], group.start(1))


def _matches(pattern: str, text: str, at: int) -> Iterator[re.Match[str]]:
    while match := compiled(pattern).match(text, at):
        check_deadline()
        yield match
        at = match.end()


def position_of(connection: apsw.Connection, layout: TableLayout, row: int) -> int:
    """The position in storage order of a row as errors name it: by its row id, or by its position if it has none."""
    if layout.rowid is None:
        return row
    query = f"SELECT count(*) FROM {quoted(layout.schema.name)} WHERE {layout.rowid} < ?"  # noqa: S608
    return int(str(connection.execute(query, (row,)).fetchall()[0][0]))


def key_at(connection: apsw.Connection, layout: TableLayout, position: int, column: str) -> RowKey:
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


def line_of_row(text: str, policy: Unsupported, table: str, key: RowKey) -> int | None:
    """The line on which the row begins that a script, which SQLite takes, gives this key; None if there is none."""
    with closing(open_for_script()) as connection:
        for statement in StatementSplitter(text, policy).statements():
            if statement.kind is StatementKind.TABLE:
                connection.execute(statement.sql)
            elif statement.kind is StatementKind.ROWS:
                start = _RowSearch(connection, text, table, key).within(statement)
                if start is not None:
                    return line_of(text, start)
    return None


@dataclass(frozen=True, slots=True)
class _RowSearch:
    """Runs INSERTs again, many rows at once, and singly those among which the wanted one is."""

    connection: apsw.Connection
    text: str
    table: str
    key: RowKey

    def within(self, run: Statement) -> int | None:
        """Where the row begins in the text, if this run of INSERTs has it; else they are kept."""
        if not self._is_made_by(run.sql):
            return None
        for insert in inserts_within(self.text, run):
            for group in groups_of_rows(self.text, insert.start()):
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
