"""The statements of a script that SQLite may run, or that are passed over; the first other one is refused.

Nothing is run here: a statement is checked before SQLite sees it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from app.errors import SqlInvalidError
from app.sources.dialect import Dialect
from app.sources.options import Unsupported
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.script import Script
from app.sources.sql.running.insert_refusals import ColumnsOf, insert_refusal
from app.sources.sql.running.inserts import InsertRun, run_at
from app.sources.sql.running.refusals import SYNTAX_HINT, beginning, main_name, statement_refusal, subject, too_long
from app.sources.sql.statements.session import Session
from app.sources.sql.statements.splitter import Statement, StatementSplitter
from app.values import fold_identifier

MOST_CHARACTERS = 1024 * 1024
"""The most characters of a statement other than an INSERT; SQLite takes a hundred times as many bytes to parse it."""

_OWN_TABLES = frozenset({"sqlite_sequence", "sqlite_stat1", "sqlite_stat3", "sqlite_stat4"})
_OWN_ROWS = "rows of SQLite's own tables"
_DROPPED = ("TABLE", "INDEX", "VIEW", "TRIGGER")
_UTF8 = ("utf-8", "utf8")


class Kind(Enum):
    """What becomes of a statement."""

    TABLE = "CREATE TABLE"
    INDEX = "CREATE INDEX"
    ROWS = "INSERT"
    VIEW = "view"
    TRIGGER = "trigger"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Accepted:
    """A statement, or a run of INSERTs, and what becomes of it; `name` is what it makes, or what it is.

    `table` is the table that it makes, indexes or fills.
    """

    kind: Kind
    statement: Statement
    name: str = ""
    table: str = ""


class _Splitter(StatementSplitter):
    """Takes runs of literal INSERTs whole, and an INSERT that is not literal with all that follows it."""

    def statement_at(self, start: int) -> Statement:
        rest = Statement(self._script, self._session.settings, start, len(self._text), len(self._text))
        if rest.has_rows:
            return run_at(rest) or rest
        try:
            return super().statement_at(start)
        except SqlInvalidError as error:
            error.hint = error.hint or SYNTAX_HINT
            error.add_where(**subject(beginning(rest)))
            raise


class ScriptReader:
    """Walks over one script; under `unsupported=skip` it passes over views, triggers and queries.

    `columns_of` gives the columns of tables that were made so far, which errors then name.
    """

    def __init__(
        self, script: Script, policy: Unsupported = Unsupported.ERROR, columns_of: ColumnsOf = lambda _: ()
    ) -> None:
        self._script = script
        self._skips_objects = policy is Unsupported.SKIP
        self._columns_of = columns_of
        self._made: set[str] = set()

    def statements(self) -> Iterator[Accepted]:
        """All statements in order, up to `SqlUnsupportedError` or `SqlInvalidError` for one that is not accepted."""
        for statement in _Splitter(self._script, Session(Dialect.SQLITE)).statements():
            if isinstance(statement, InsertRun):
                yield _accepted_rows(statement)
            elif statement.has_rows:
                raise insert_refusal(statement, self._columns_of)
            else:
                yield self._accepted(statement)

    def _accepted(self, statement: Statement) -> Accepted:
        cursor = beginning(statement)
        found = self._definition(statement, cursor.copy()) or self._skipped(statement, cursor.copy())
        if found is None:
            raise statement_refusal(cursor)
        if statement.end - statement.start > MOST_CHARACTERS:
            raise too_long(self._script, statement.start, MOST_CHARACTERS, **subject(cursor))
        return found

    def _definition(self, statement: Statement, cursor: Cursor) -> Accepted | None:
        if cursor.accept("CREATE TABLE"):
            cursor.accept("IF NOT EXISTS")
            name = main_name(cursor)
            self._made.add(fold_identifier(name))
            return Accepted(Kind.TABLE, statement, name, name) if cursor.word == "(" else None
        if cursor.accept("CREATE INDEX", "CREATE UNIQUE INDEX"):
            cursor.accept("IF NOT EXISTS")
            self._made.add(fold_identifier(main_name(cursor)))
            return Accepted(Kind.INDEX, statement, table=main_name(cursor) if cursor.accept("ON") else "")
        return None

    def _skipped(self, statement: Statement, cursor: Cursor) -> Accepted | None:
        """Bookkeeping of a dump, and what the policy leaves out: a query changes no row, and is bookkeeping then."""
        name = self._bookkeeping(cursor.copy())
        if name:
            return Accepted(Kind.SKIPPED, statement, name)
        if self._skips_objects and cursor.accept("SELECT"):
            return Accepted(Kind.SKIPPED, statement, "SELECT")
        if self._skips_objects and cursor.accept("CREATE"):
            cursor.accept("TEMP", "TEMPORARY")
            kind = next((kind for kind in (Kind.VIEW, Kind.TRIGGER) if cursor.accept(kind.value.upper())), None)
            if kind is not None:
                cursor.accept("IF NOT EXISTS")
                return Accepted(kind, statement, cursor.dotted_name()[-1])
        return None

    def _bookkeeping(self, cursor: Cursor) -> str:
        """How notes call a statement that changes nothing; "" for any other one."""
        name = ""
        if cursor.accept("BEGIN"):
            cursor.accept("DEFERRED", "IMMEDIATE", "EXCLUSIVE")
            cursor.accept("TRANSACTION")
            name = "BEGIN"
        elif cursor.accept("COMMIT", "END"):
            cursor.accept("TRANSACTION")
            name = "COMMIT"
        elif cursor.accept("PRAGMA"):
            name = _pragma(cursor)
        elif cursor.accept("ANALYZE"):
            name = "ANALYZE" if cursor.at_end or main_name(cursor) else ""
        elif cursor.accept("DELETE FROM") and cursor.at_name:
            name = _OWN_ROWS if fold_identifier(cursor.dotted_name()[-1]) in _OWN_TABLES else ""
        elif cursor.accept("DROP"):
            name = self._absent(cursor)
        return name if cursor.at_end else ""

    def _absent(self, cursor: Cursor) -> str:
        """DROP … IF EXISTS of what is not there."""
        kind = cursor.word
        if not (cursor.accept(*_DROPPED) and cursor.accept("IF EXISTS") and cursor.at_name):
            return ""
        return "" if fold_identifier(main_name(cursor)) in self._made else f"DROP {kind} IF EXISTS"


def _accepted_rows(run: InsertRun) -> Accepted:
    if fold_identifier(run.table) in _OWN_TABLES:
        return Accepted(Kind.SKIPPED, run, _OWN_ROWS)
    return Accepted(Kind.ROWS, run, table=run.table)


def _pragma(cursor: Cursor) -> str:
    """PRAGMA foreign_keys, and the encoding that all text has in the end."""
    name = fold_identifier(cursor.take().meaning)
    value = ""
    if cursor.accept("="):
        value = cursor.take().meaning
    elif cursor.accept("("):
        value = cursor.take().meaning
        if not cursor.accept(")"):
            return ""
    is_skipped = name == "foreign_keys" or (name == "encoding" and fold_identifier(value) in _UTF8)
    return f"PRAGMA {name}" if is_skipped else ""
