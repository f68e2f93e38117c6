"""Goes through all statements of a script once: tables take shape, blocks of rows are noted, the rest is named."""

import re
from collections.abc import Callable, Iterable

from app.budget import check_deadline
from app.errors import SourceError
from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import (
    Event,
    RowBlock,
    SqlTable,
)
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import TableName
from app.sources.sql.lexing.syntax import compiled
from app.sources.sql.lexing.tokens import TokenBudget, tokens_of
from app.sources.sql.reading.objects import (
    COMMITTING,
    NOT_ACCEPTED,
    PASSED_OVER,
    SAVEPOINTS,
    TRANSACTION_ENDS,
    TRANSACTION_STARTS,
)
from app.sources.sql.reading.schema_statements import SchemaStatements
from app.sources.sql.reading.session_statements import SessionStatements
from app.sources.sql.reading.skipped import SkippedStatements
from app.sources.sql.reading.triggers import refuse_triggers
from app.sources.sql.statements.session import Session
from app.sources.sql.statements.splitter import Statement

_OWN_ROWS = "rows of SQLite's own tables"
_OWN_TABLES = frozenset(("", f"sqlite_{name}") for name in ("sequence", "stat1", "stat3", "stat4"))
_TABLE = re.compile(r"(?:CREATE|ALTER)\s+(?:\w+\s+)?TABLE\b", re.IGNORECASE)
COPY_ONLY = "COPY is read FROM stdin in the text format only"
_PRIORITY, _OTHERWISE = "LOW_PRIORITY|DELAYED|HIGH_PRIORITY", "ABORT|FAIL|IGNORE|REPLACE|ROLLBACK"


class Definitions:
    """The tables of a source in order of definition, what happens to their rows, and what was left out.

    A statement that cannot be read is given to `on_problem` with its error: a loader raises it, a preview collects it.
    """

    def __init__(
        self, dialect: Dialect, on_problem: Callable[[Statement, SourceError], None], budget: TokenBudget | None = None
    ) -> None:
        self.session = Session(dialect)
        self.namespace = Namespace(self.session)
        self.events: list[Event] = []
        self.skipped = SkippedStatements()
        self._on_problem = on_problem
        self._transaction: Statement | None = None
        self._budget = TokenBudget() if budget is None else budget
        schema = SchemaStatements(self.namespace, self.events, self.skipped)
        session = SessionStatements(self.namespace, self.events, self.skipped)
        self._command = session.command
        self._readers: dict[str, Callable[[Cursor, Statement], None]] = {
            "CREATE": schema.create,
            "ALTER": schema.alter,
            "DROP": schema.drop,
            "COMMENT": schema.describe,
            "SET": session.set,
            "RESET": session.reset,
            "USE": session.use,
            "SELECT": session.select,
            "DO": session.do,
            "COPY": self._refuse_copy,
            "DELETE": self._delete,
        }

    @property
    def tables(self) -> dict[tuple[str, str], SqlTable]:
        """All tables by the key of their name."""
        return self.namespace.tables

    def read(self, statements: Iterable[Statement]) -> None:
        """Read statements in order, and give what cannot be read to `on_problem`."""
        for statement in statements:
            check_deadline()
            try:
                self._read(statement)
            except SourceError as error:
                self._on_problem(statement, error)

    def finish(self) -> None:
        """Settle what only the end of all statements can: rows of a transaction that is never committed are no rows."""
        if self._transaction is not None:
            statement = self._transaction
            error = statement.script.invalid(statement.start, "a transaction begins here that is never committed")
            self._on_problem(statement, error)

    def _read(self, statement: Statement) -> None:
        mode = statement.settings.odd_mode
        if mode and (statement.has_rows or _TABLE.match(statement.text)):
            reason = f"under the sql_mode {mode} types and texts have another meaning"
            raise statement.script.unsupported(statement.start, reason)
        if statement.is_command:
            self._command(statement)
        elif statement.has_rows:
            self._note_rows(statement)
        else:
            self._read_tokens(statement.cursor(self._budget), statement)

    def _read_tokens(self, cursor: Cursor, statement: Statement) -> None:
        reader = self._readers.get(cursor.word)
        if cursor.word in COMMITTING and self.session.dialect is Dialect.MYSQL:
            self._transaction = None
        if cursor.at_end:
            self.skipped.add("version comment")
        elif reader is not None:
            reader(cursor, statement)
        elif not self._passes_over(cursor, statement):
            raise statement.script.unsupported(statement.start, NOT_ACCEPTED)

    def _passes_over(self, cursor: Cursor, statement: Statement) -> bool:
        phrase = next((phrase for phrase in PASSED_OVER if cursor.accept(phrase)), None)
        if phrase is not None:
            self.skipped.add(PASSED_OVER[phrase])
        return phrase is not None or self._is_of_transaction(cursor, statement)

    def _is_of_transaction(self, cursor: Cursor, statement: Statement) -> bool:
        """Follow the beginning or end of a transaction; a block of a program begins with BEGIN too."""
        words = (*TRANSACTION_STARTS, *TRANSACTION_ENDS, *SAVEPOINTS)
        phrase = next((phrase for phrase in words if cursor.accept(phrase)), None)
        if phrase is None:
            return False
        if phrase in TRANSACTION_STARTS:
            self._transaction = statement
        elif phrase in TRANSACTION_ENDS:
            self._transaction = None
        if phrase in SAVEPOINTS:
            cursor.name()
        elif phrase != "START TRANSACTION":
            cursor.accept("WORK", "TRANSACTION", "IMMEDIATE", "EXCLUSIVE", "DEFERRED")
            cursor.accept("TRANSACTION", "AND NO CHAIN")
            cursor.expect_end()
        self.skipped.add(phrase.split()[0].lower() if phrase != "START TRANSACTION" else "start transaction")
        return True

    def _note_rows(self, statement: Statement) -> None:
        """Note a statement with rows; which table they go to is settled now, since names may change later."""
        script, syntax = statement.script, statement.settings.syntax
        space = syntax.space
        modifiers = (_PRIORITY, "IGNORE", rf"OR\b{space}(?:{_OTHERWISE})", "INTO|ONLY")
        words = rf"(?i:INSERT|REPLACE|COPY)\b{space}"
        words += "".join(rf"(?:(?i:{modifier})\b{space})?+" for modifier in modifiers)
        name = rf"(?P<name>{syntax.name}(?:{space}\.{space}{syntax.name})*+)"
        found = compiled(rf"(?:/\*M?+![0-9]*+{space})?+{words}{name}").match(script.text, statement.start)
        if found is None:
            raise script.unsupported(statement.start, "the rows have no table")
        tokens = list(tokens_of(script.text, found.start("name"), found.end(), syntax, self._budget))
        named = Cursor(script, syntax, tokens, found.end()).table_name("")
        table = self.namespace.table(named)
        if table is None and self._is_sqlites_own(named):
            self.skipped.add(_OWN_ROWS)
            return
        if table is None:
            label = self.namespace.made(named).label
            raise script.invalid(statement.start, f"there is no table {label}", table=label)
        refuse_triggers(statement, table)
        if not self.session.commits_itself and self._transaction is None:
            self._transaction = statement
        table.has_rows = table.whole.has_rows = True
        self.events.append(RowBlock(statement, table, tuple(table.owner_of_columns.columns), found.end()))

    def _is_sqlites_own(self, table: TableName) -> bool:
        """Whether it is one of the tables in which SQLite itself keeps counters and statistics."""
        return self.session.dialect is Dialect.SQLITE and table.key in _OWN_TABLES

    def _delete(self, cursor: Cursor, statement: Statement) -> None:
        """DELETE FROM sqlite_sequence, with which dumps of SQLite begin to restore its counters."""
        if not cursor.accept("DELETE FROM") or not self._is_sqlites_own(cursor.table_name("")):
            raise statement.script.unsupported(statement.start, NOT_ACCEPTED)
        self.skipped.add(_OWN_ROWS)

    def _refuse_copy(self, _: Cursor, statement: Statement) -> None:
        raise statement.script.unsupported(statement.start, COPY_ONLY)
