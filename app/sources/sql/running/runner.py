"""Runs a script in an empty SQLite: each statement is checked first, and SQLite is watched while it runs it."""

import re
from dataclasses import dataclass

import apsw

from app.errors import SqlInvalidError, SqlUnsupportedError
from app.sources.options import SourceOptions
from app.sources.relational_source import SourceWarning
from app.sources.sql.lexing.script import Script
from app.sources.sql.running.inserts import InsertedRows, InsertRun, groups_of_rows
from app.sources.sql.running.messages import is_about_a_row, named_columns, worded
from app.sources.sql.running.refusals import SUBSET_HINT, SYNTAX_HINT
from app.sources.sql.running.statements import Accepted, Kind, ScriptReader
from app.sources.sqlite.reading.database import too_many_rows
from app.sources.sqlite.schema import skipped_object
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was not run: bookkeeping statements by name, and views and triggers as warnings."""

    bookkeeping: list[str]
    objects: list[SourceWarning]

    def leave_out(self, accepted: Accepted) -> None:
        """Note bookkeeping, or a view or trigger."""
        if accepted.kind is Kind.SKIPPED:
            statement = accepted.statement
            self.bookkeeping.extend([accepted.name] * (statement.count if isinstance(statement, InsertRun) else 1))
        else:
            self.objects.append(skipped_object(accepted.kind.value, accepted.name))


def may_load(action: int, first: str | None, second: str | None, *, inserting: bool) -> bool:
    """Whether a script may do so: make tables and indexes, and fill them with what will be the same next time."""
    if action == apsw.SQLITE_FUNCTION:
        return not (inserting and fold_identifier(str(second)) in _VARIABLE_FUNCTIONS)
    if action == apsw.SQLITE_PRAGMA:
        return first == "table_xinfo"
    return action in _LOADING


class ScriptRunner:
    """Runs checked statements on an empty database, under an authorizer and limits of rows and pages."""

    def __init__(self, connection: apsw.Connection, script: Script, options: SourceOptions) -> None:
        self._connection = connection
        self._script = script
        self._policy = options.unsupported
        self._max_rows = options.max_source_rows
        self._inserting = False
        pages = _SPARE_PAGES + len(script.text) * _GROWTH // _PAGE
        connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()

    def run(self) -> Outcome:
        """Run all statements in one transaction and name those skipped; an error names the line where it arose."""
        outcome = Outcome([], [])
        self._connection.execute("BEGIN")
        self._connection.authorizer = self._authorize
        for accepted in ScriptReader(self._script, self._policy, self._columns_of).statements():
            self._inserting = accepted.kind is Kind.ROWS
            match accepted.kind:
                case Kind.ROWS if isinstance(accepted.statement, InsertRun):
                    self._insert(accepted.statement)
                case Kind.TABLE | Kind.INDEX:
                    statement = accepted.statement
                    self._execute(statement.start, statement.end, accepted.table)
                    self._refuse_generated_columns(accepted)
                case _:
                    outcome.leave_out(accepted)
        self._connection.authorizer = None
        self._connection.execute("COMMIT")
        return outcome

    def _insert(self, run: InsertRun) -> None:
        """Insert a run of statements at once, and one by one only to find the one that fails."""
        self._connection.execute("SAVEPOINT run")
        try:
            self._connection.execute(run.sql, can_cache=False)
        except _FAULTS as error:
            if not self._connection.in_transaction:  # ON CONFLICT ROLLBACK has undone the whole script
                raise self._refused(run.start, run.end, run.table, error, None) from error
            self._connection.execute("ROLLBACK TO run")
            for insert in run.inserts():
                self._connection.execute("SAVEPOINT statement")
                self._execute(insert.start(), insert.end(), run.table, insert)
            raise
        self._connection.execute("RELEASE run")
        if self._connection.total_changes() > self._max_rows:
            raise too_many_rows(self._max_rows)

    def _execute(self, start: int, end: int, table: str, insert: re.Match[str] | None = None) -> None:
        try:
            self._connection.execute(self._script.text[start:end])
        except _FAULTS as error:
            at, cause = self._failing_row(insert, error) if insert else (None, error)
            raise self._refused(start, end, table, cause, at) from error

    def _failing_row(self, insert: re.Match[str], error: apsw.Error) -> tuple[int | None, apsw.Error]:
        """Where the row begins that SQLite refuses, and why, if it is one of several rows that is at fault."""
        if is_about_a_row(error):
            self._connection.execute("ROLLBACK TO statement")
            for group in groups_of_rows(insert):
                if self._fault_of(group):
                    faults = ((row.start, self._fault_of(row)) for row in group.singly())
                    return next((at, fault) for at, fault in faults if fault)
        return None, error

    def _fault_of(self, rows: InsertedRows) -> apsw.Error | None:
        """Why SQLite refuses some rows, which are then left out, if it does."""
        self._connection.execute("SAVEPOINT rows")
        try:
            self._connection.execute(rows.statement)
        except _FAULTS as error:
            self._connection.execute("ROLLBACK TO rows")
            return error
        return None

    def _refused(
        self, start: int, end: int, table: str, error: apsw.Error, row: int | None
    ) -> SqlUnsupportedError | SqlInvalidError:
        """The error for a statement that SQLite refuses, at a row of it, or else where SQLite says that it is wrong."""
        where = self._where(table, error)
        if "not authorized" in str(error):
            reason = f"values must be literals ({worded(error)})"
            return self._script.unsupported(start, reason, hint=SUBSET_HINT, **where)
        offset = max(0, getattr(error, "error_offset", -1))
        text = self._script.text[start:end].encode()[:offset].decode(errors="ignore")
        at = start + len(text) if row is None else row
        reason = f"SQLite refuses the statement: {worded(error)}"
        return self._script.invalid(at, reason, hint=SYNTAX_HINT, **where)

    def _where(self, table: str, error: apsw.Error) -> dict[str, object]:
        """The table, as it is declared, and the columns that SQLite's message is about."""
        declared = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE"
        table = next((str(name) for (name,) in self._connection.execute(declared, (table,))), table)
        if isinstance(error, apsw.MismatchError):
            return {"table": table, "column": self._row_id_column(table)}
        columns = named_columns(error, table, self._columns_of(table))
        return {"table": table or None, ("column" if len(columns) == 1 else "columns"): _one_or_all(columns)}

    def _row_id_column(self, table: str) -> object:
        """The column that is the row id; no other one refuses what is not an integer."""
        keys = self._connection.execute("SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0", (table,)).fetchall()
        return keys[0][0] if keys else None

    def _columns_of(self, table: str) -> list[str]:
        return [str(name) for (name,) in self._connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))]

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        allowed = may_load(action, first, second, inserting=self._inserting)
        return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY

    def _refuse_generated_columns(self, made: Accepted) -> None:
        for _, column, *_, hidden in self._connection.execute("SELECT * FROM pragma_table_xinfo(?)", (made.name,)):
            if hidden in _GENERATED:
                reason = f"the generated column {column} is not accepted"
                raise self._script.unsupported(
                    made.statement.start, reason, hint=SUBSET_HINT, table=made.table, column=column
                )


_FAULTS = (apsw.SQLError, apsw.ConstraintError, apsw.MismatchError, apsw.AuthError)


def _one_or_all(columns: list[str]) -> object:
    return columns[0] if len(columns) == 1 else columns or None
