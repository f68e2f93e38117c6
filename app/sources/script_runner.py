"""Runs a script in an empty SQLite: each statement is checked first, and SQLite is watched while it runs it."""

import re
from dataclasses import dataclass

import apsw

from app.budget import check_deadline
from app.sources.foreign_keys import counted
from app.sources.options import SourceOptions
from app.sources.relational_source import SourceWarning
from app.sources.sql_refusals import invalid, line_of, unsupported
from app.sources.sql_statements import Statement, StatementKind, StatementSplitter
from app.sources.sqlite_reader import too_many_rows
from app.sources.sqlite_schema import skipped_object
from app.values import fold_identifier

_PAGE = 4096
_SPARE_PAGES = 16_384
_GROWTH = 16
"""An in-memory database may take this many times the bytes of its text; defaults cannot blow it up further."""

_GENERATED = (2, 3)
_VARIABLE_FUNCTIONS = frozenset(
    {"random", "randomblob", "current_time", "current_date", "current_timestamp", "date", "time", "datetime"}
    | {"julianday", "unixepoch", "strftime", "timediff", "last_insert_rowid", "changes", "total_changes"}
)
_LOADING = frozenset(
    {
        apsw.SQLITE_CREATE_TABLE,
        apsw.SQLITE_CREATE_INDEX,
        apsw.SQLITE_INSERT,
        apsw.SQLITE_UPDATE,
        apsw.SQLITE_READ,
        apsw.SQLITE_REINDEX,
        apsw.SQLITE_SAVEPOINT,
        apsw.SQLITE_SELECT,
        apsw.SQLITE_TRANSACTION,
    }
)
_TABLE_WIDTH = re.compile(r"table (.*) has (\d+) columns but (\d+) values were supplied")
_LIST_WIDTH = re.compile(r"(\d+) values for (\d+) columns")


_RUN = (StatementKind.TABLE, StatementKind.INDEX, StatementKind.ROWS)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was not run: bookkeeping statements by name, and views and triggers as warnings."""

    bookkeeping: list[str]
    objects: list[SourceWarning]

    def leave_out(self, statement: Statement, name: str) -> None:
        """Note a bookkeeping statement, or a view or trigger of that name."""
        if statement.kind is StatementKind.SKIPPED:
            self.bookkeeping.append(name)
        else:
            self.objects.append(skipped_object(statement.kind.value, name))


def may_load(action: int, first: str | None, second: str | None, *, inserting: bool) -> bool:
    """Whether a script may do so: make tables and indexes, and fill them with what will be the same next time."""
    if action == apsw.SQLITE_FUNCTION:
        return not (inserting and fold_identifier(str(second)) in _VARIABLE_FUNCTIONS)
    if action == apsw.SQLITE_PRAGMA:
        return first == "table_xinfo"
    return action in _LOADING


class ScriptRunner:
    """Runs checked statements on an empty database, under an authorizer and limits of rows and pages."""

    def __init__(self, connection: apsw.Connection, text: str, options: SourceOptions) -> None:
        self._connection = connection
        self._text = text
        self._policy = options.unsupported
        self._max_rows = options.max_source_rows
        self._inserting = False
        pages = _SPARE_PAGES + len(text) * _GROWTH // _PAGE
        connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()

    def run(self) -> Outcome:
        """Run all statements in one transaction and name those skipped; an error names the line where it arose."""
        outcome = Outcome([], [])
        self._connection.execute("BEGIN")
        self._connection.authorizer = self._authorize
        for statement in StatementSplitter(self._text, self._policy).statements():
            check_deadline()
            if statement.kind in _RUN:
                self._run(statement)
            else:
                outcome.leave_out(statement, statement.name)
        self._connection.authorizer = None
        self._connection.execute("COMMIT")
        return outcome

    def _run(self, statement: Statement) -> None:
        self._inserting = statement.kind is StatementKind.ROWS
        if self._inserting:
            self._insert(statement)
        else:
            self._execute(statement.start, statement.end)
        if statement.kind is StatementKind.TABLE:
            self._refuse_generated_columns(statement)

    def _insert(self, run: Statement) -> None:
        """Insert a run of statements at once, and one by one only to find the one that fails."""
        self._connection.execute("SAVEPOINT run")
        try:
            self._connection.execute(self._text[run.start : run.end])
        except _FAULTS:
            self._connection.execute("ROLLBACK TO run")
            for start, end in StatementSplitter.inserts_within(self._text, run):
                self._execute(start, end)
            raise
        self._connection.execute("RELEASE run")
        if self._connection.total_changes() > self._max_rows:
            raise too_many_rows(self._max_rows)

    def _execute(self, start: int, end: int) -> None:
        statement = self._text[start:end]
        try:
            self._connection.execute(statement)
        except _FAULTS as error:
            if "not authorized" in str(error):
                raise unsupported(self._text, start, f"values must be literals ({_worded(error)})") from error
            offset = max(0, getattr(error, "error_offset", -1))
            at = start + len(statement.encode()[:offset].decode(errors="ignore"))
            raise invalid(line_of(self._text, at), f"SQLite refuses the statement: {_worded(error)}") from error

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        allowed = may_load(action, first, second, inserting=self._inserting)
        return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY

    def _refuse_generated_columns(self, statement: Statement) -> None:
        for _, column, *_, hidden in self._connection.execute("SELECT * FROM pragma_table_xinfo(?)", (statement.name,)):
            if hidden in _GENERATED:
                raise unsupported(self._text, statement.start, f"the generated column {column} is not accepted")


_FAULTS = (apsw.SQLError, apsw.ConstraintError, apsw.MismatchError, apsw.AuthError)


def _worded(error: apsw.Error) -> str:
    """SQLite's message without its class, and with counts put as people put them."""
    message = str(error).removeprefix("SQLError: ")
    widths = _TABLE_WIDTH.search(message)
    if widths:
        table, columns, given = widths.groups()
        return f"table {table} has {counted(int(columns), 'column')}, {counted(int(given), 'value')} given"
    widths = _LIST_WIDTH.search(message)
    if widths:
        given, columns = widths.groups()
        return f"the column list has {counted(int(columns), 'column')}, {counted(int(given), 'value')} given"
    return message
