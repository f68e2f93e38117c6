"""SQL text: each statement is checked, then run by a private in-memory SQLite, which is read like any database."""

import re
from contextlib import ExitStack, closing
from dataclasses import dataclass

import apsw

from app.budget import check_deadline
from app.errors import SourceEncodingError, SqlUnsupportedError
from app.sources.foreign_keys import counted
from app.sources.input_file import InputFile
from app.sources.options import SourceOptions, Unsupported
from app.sources.pages.page_file import pages_in_memory
from app.sources.relational_source import RelationalSource, SourceKind, SourceWarning
from app.sources.sql_refusals import invalid, line_of, unsupported
from app.sources.sql_statements import Statement, StatementKind, StatementSplitter
from app.sources.sqlite_connection import open_memory, restrict_to_reading, sqlite_failures
from app.sources.sqlite_reader import read_database, too_many_rows
from app.sources.sqlite_schema import TableLayout, quoted, read_catalogue, skipped_object, table_names
from app.sources.unsupported import without_bytes
from app.values import INT64_MAX, fold_identifier

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


def load_sql_text(file: InputFile, options: SourceOptions) -> RelationalSource:
    """Read a script of the accepted subset; nothing is kept where any statement of it is refused."""
    text = decoded(file.content(), file.name)
    with sqlite_failures(file.name), ExitStack() as opened:
        connection = opened.enter_context(closing(open_memory()))
        outcome = _ScriptRunner(connection, text, options).run()
        _refuse_drawn_row_ids(connection, text, options)
        without: tuple[SourceWarning, ...] = ()
        if options.unsupported is Unsupported.SKIP:
            connection, without = without_bytes(connection)
            opened.enter_context(closing(connection))
        image = connection.serialize("main")
        restrict_to_reading(connection)
        content = read_database([connection], options, file.size, pages_in_memory(image))
    return RelationalSource(
        SourceKind.SQL_TEXT,
        content.schema,
        content.tables,
        file.sha256(),
        file.size,
        image,
        (*outcome.objects, *without, *content.warnings),
        (*_skipped_note(outcome.bookkeeping), *content.notes),
    )


def _refuse_drawn_row_ids(connection: apsw.Connection, text: str, options: SourceOptions) -> None:
    """SQLite draws row ids at random once a table has the largest one; what differs the second time was drawn."""
    layouts = read_catalogue(connection, Unsupported.SKIP).layouts if table_names(connection) else ()
    full = next((layout for layout in layouts if _last_row_id(connection, layout) == INT64_MAX), None)
    if full is None:
        return
    with closing(open_memory()) as again:
        _ScriptRunner(again, text, options).run()
        if again.serialize("main") != connection.serialize("main"):
            raise SqlUnsupportedError(
                f"Table {full.schema.name} has the largest row id, {INT64_MAX}, and then rows without one, for which "
                "SQLite draws row ids at random.",
                hint="Give each row of the table its key.",
                table=full.schema.name,
            )


def _last_row_id(connection: apsw.Connection, layout: TableLayout) -> int | None:
    if layout.rowid is None:
        return None
    query = f"SELECT max({layout.rowid}) FROM {quoted(layout.schema.name)}"  # noqa: S608
    last = connection.execute(query).fetchall()[0][0]
    return None if last is None else int(last)


def decoded(content: bytes, name: str, errors: str = "strict") -> str:
    """UTF-8 text without its byte order mark; `SourceEncodingError` with the offset of the first wrong byte.

    With `errors="surrogateescape"` wrong bytes become surrogates instead.
    """
    try:
        text = content.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise _wrong_byte(content, error.start, name) from error
    nul = text.find("\0")
    if nul >= 0:
        raise invalid(line_of(text, nul), "the text holds a NUL character, at which SQLite would stop reading")
    return text


def _wrong_byte(content: bytes, offset: int, name: str) -> SourceEncodingError:
    line = content.count(b"\n", 0, offset) + 1
    return SourceEncodingError(
        f"{name} is not UTF-8: byte 0x{content[offset]:02X} at offset {offset} (line {line}) cannot be decoded.",
        hint="Save it as UTF-8. A SQLite database would begin with 'SQLite format 3'.",
        file=name,
        offset=offset,
        line=line,
    )


def _skipped_note(skipped: list[str]) -> tuple[str, ...]:
    if not skipped:
        return ()
    return (f"Skipped {len(skipped)} bookkeeping statements of the dump: {', '.join(dict.fromkeys(skipped))}.",)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What was not run: bookkeeping statements by name, and views and triggers as warnings."""

    bookkeeping: list[str]
    objects: list[SourceWarning]


class _ScriptRunner:
    """Runs checked statements on an empty database, under an authorizer and limits of rows and pages."""

    def __init__(self, connection: apsw.Connection, text: str, options: SourceOptions) -> None:
        self._connection = connection
        self._text = text
        self._policy = options.unsupported
        self._max_rows = options.max_source_rows
        self._inserting = False
        pages = _SPARE_PAGES + len(text) * _GROWTH // _PAGE
        connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()

    def run(self) -> _Outcome:
        """Run all statements in one transaction and name those skipped; an error names the line where it arose."""
        outcome = _Outcome([], [])
        self._connection.execute("BEGIN")
        self._connection.authorizer = self._authorize
        for statement in StatementSplitter(self._text, self._policy).statements():
            check_deadline()
            if statement.kind is StatementKind.SKIPPED:
                outcome.bookkeeping.append(statement.name)
            elif statement.kind in (StatementKind.VIEW, StatementKind.TRIGGER):
                outcome.objects.append(skipped_object(statement.kind.value, statement.name))
            else:
                self._run(statement)
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
        """Let a script make tables and indexes and fill them with what will be the same next time."""
        if action == apsw.SQLITE_FUNCTION:
            allowed = not (self._inserting and fold_identifier(str(second)) in _VARIABLE_FUNCTIONS)
        elif action == apsw.SQLITE_PRAGMA:
            allowed = first == "table_xinfo"
        else:
            allowed = action in _LOADING
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
