"""Walks over a script: an empty SQLite runs its definitions, and its rows are read where they stand."""

from contextlib import closing

import apsw

from app.budget import check_deadline
from app.errors import SourceError
from app.sources.literal_inserts.groups import UnusualScriptError
from app.sources.literal_inserts.leads import after_blank
from app.sources.literal_inserts.plain_tables import declared_columns, refuse_unusual_table
from app.sources.literal_inserts.run_reader import BLOCK_BYTES, RunReader
from app.sources.literal_inserts.table_rows import TableRows
from app.sources.options import SourceOptions
from app.sources.parallel import Helper
from app.sources.script_runner import Outcome, may_load
from app.sources.sql_statements import Statement, StatementKind, StatementSplitter
from app.sources.sqlite_connection import open_memory
from app.sources.sqlite_reader import DatabaseContent, content_of
from app.sources.sqlite_schema import TableLayout, read_catalogue
from app.sources.utf8 import mark_bytes, text_start
from app.tables.table import Table
from app.values import fold_identifier


def read_plain_script(
    content: bytes, options: SourceOptions, helper: Helper, block_bytes: int = BLOCK_BYTES
) -> tuple[DatabaseContent, Outcome]:
    """All rows of a script, and what was not run of it; `helper` does a part of the work.

    Raises `UnusualScriptError` for a script that SQLite has to read, or to refuse.
    """
    try:
        with closing(open_memory()) as connection:
            helper.give(lambda: text_start(content, "the script"))  # nothing is kept of what is no text
            walk = _Walk(connection, content, options, helper, block_bytes)
            walk.over(mark_bytes(content))
            helper.finish()
            return walk.content(), walk.outcome
    except (SourceError, apsw.Error, UnicodeDecodeError) as error:
        raise UnusualScriptError from error


_PARTS = (64 * 1024, 2 * 1024 * 1024)
"""Bytes in which a definition is looked for: most are short, and none may have more than half of the second."""


class _Walk:
    """Goes from statement to statement of one script."""

    def __init__(
        self,
        connection: apsw.Connection,
        content: bytes,
        options: SourceOptions,
        helper: Helper,
        block_bytes: int,
    ) -> None:
        self.outcome = Outcome([], [])
        self._connection = connection
        self._content = content
        self._options = options
        self._helper = helper
        self._tables: dict[str, TableRows] = {}
        self._rows = RunReader(content, options.max_source_rows, self._table, helper, block_bytes)
        self._made: set[str] = set()

    def over(self, start: int) -> None:
        """Run and read all statements from an offset on."""
        self._connection.execute("BEGIN")
        at = after_blank(self._content, start)
        while at < len(self._content):
            check_deadline()
            end = self._rows.read(at)
            if end is None:
                end = at + self._run_statement(at)
            at = after_blank(self._content, end)

    def _run_statement(self, at: int) -> int:
        """Run or leave out the statement at an offset, which is no INSERT, and return its length in bytes."""
        for size in _PARTS:
            # Bytes are taken for characters, so that offsets are those of bytes.
            part = self._content[at : at + size].decode("latin-1")
            splitter = StatementSplitter(part, self._options.unsupported, made=self._made)
            statement = splitter.statement_at(0)
            if statement.end < len(part) or at + size >= len(self._content):
                self._run(statement, part[: statement.end].encode("latin-1"))
                return statement.end
        raise UnusualScriptError

    def _run(self, statement: Statement, written: bytes) -> None:
        if statement.kind in (StatementKind.TABLE, StatementKind.INDEX):
            self._connection.authorizer = _authorize
            self._connection.execute(written.decode("utf-8"))
            self._connection.authorizer = None
        elif statement.kind is StatementKind.ROWS:
            raise UnusualScriptError
        else:
            self.outcome.leave_out(statement, statement.name.encode("latin-1").decode("utf-8"))

    def _table(self, folded: str) -> TableRows:
        """The rows of a table, which must have been made by now."""
        if folded not in self._tables:
            self._tables[folded] = TableRows(*declared_columns(self._connection, folded))
        return self._tables[folded]

    def content(self) -> DatabaseContent:
        """All tables with their rows."""
        catalogue = read_catalogue(self._connection, self._options.unsupported)
        made_by = dict(self._connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
        tables = (self._finished(layout, str(made_by[layout.schema.name])) for layout in catalogue.layouts)
        return content_of(catalogue, tables)

    def _finished(self, layout: TableLayout, made_by: str) -> Table:
        check_deadline()
        refuse_unusual_table(self._connection, layout, made_by)
        return self._table(fold_identifier(layout.schema.name)).finished(layout, self._helper)


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    return apsw.SQLITE_OK if may_load(action, first, second, inserting=False) else apsw.SQLITE_DENY
