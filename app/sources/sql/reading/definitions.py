"""Goes through all statements of a script once: tables take shape, blocks of rows are noted, the rest is named."""

import re
from collections.abc import Callable, Iterable

from app.budget import check_deadline
from app.errors import SourceError
from app.sources.sql.definitions.alterations import TableAlteration, changes_only_what_was
from app.sources.sql.definitions.domains import create_domain, create_type
from app.sources.sql.definitions.keys import add_constraint, key_columns
from app.sources.sql.definitions.model import (
    MOST_COLUMNS_IN_ALL,
    MOST_TABLES,
    Constraint,
    Drawn,
    Event,
    RowBlock,
    Rule,
    SqlTable,
)
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.definitions.sequences import alter_sequence, create_sequence, read_setval
from app.sources.sql.definitions.tables import read_table
from app.sources.sql.dialect import Dialect
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import TableName
from app.sources.sql.lexing.syntax import compiled
from app.sources.sql.lexing.tokens import TokenBudget, TokenKind, tokens_of
from app.sources.sql.reading.objects import (
    COMMITTING,
    HARMLESS_COMMANDS,
    PASSED_OVER,
    SAVEPOINTS,
    TRANSACTION_ENDS,
    TRANSACTION_STARTS,
    described_object,
    harmless_query,
    named_object,
)
from app.sources.sql.reading.skipped import SkippedStatements
from app.sources.sql.reading.triggers import drop_triggers, note_trigger, refuse_triggers
from app.sources.sql.statements.encodings import is_read
from app.sources.sql.statements.session import Session
from app.sources.sql.statements.splitter import Statement
from app.values import fold_identifier

_COMMAND = re.compile(r"\\(\S*+)[ \t]*+([^\n]*+)")
_SCHEMA_HINT = "Put them after it as statements of their own, with the schema before each name."
_NOT_ACCEPTED = "this statement is not accepted"
_OWN_ROWS = "rows of SQLite's own tables"
_OWN_TABLES = frozenset(("", f"sqlite_{name}") for name in ("sequence", "stat1", "stat3", "stat4"))
COPY_ONLY = "COPY is read FROM stdin in the text format only"
_MODIFIERS = "LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|OR|ABORT|FAIL|REPLACE|ROLLBACK"


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
        self._column_count = 0
        self._on_problem = on_problem
        self._transaction: Statement | None = None
        self._budget = TokenBudget() if budget is None else budget
        self._readers: dict[str, Callable[[Cursor, Statement], None]] = {
            "CREATE": self._create,
            "ALTER": self._alter,
            "DROP": self._drop,
            "COMMENT": self._describe,
            "SET": self._set,
            "RESET": self._reset,
            "USE": self._use,
            "SELECT": self._select,
            "DO": self._do,
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
            raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)

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

    def _command(self, statement: Statement) -> None:
        """A command of psql."""
        found = _COMMAND.match(statement.text)
        assert found is not None, "it begins with a backslash"
        name, argument = found[1].rstrip(";"), found[2].strip()
        if name not in HARMLESS_COMMANDS:
            raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)
        if name in ("c", "connect"):
            self.session.begin_anew()
        elif name == "encoding" and argument:
            self.session.set_encoding(argument.strip("'\";"))
        self.skipped.add("psql command")

    def _note_rows(self, statement: Statement) -> None:
        """Note a statement with rows; which table they go to is settled now, since names may change later."""
        script, syntax = statement.script, statement.settings.syntax
        space = syntax.space
        words = rf"(?i:INSERT|REPLACE|COPY)\b{space}(?:(?i:{_MODIFIERS})\b{space})*+(?:(?i:INTO|ONLY)\b{space})?+"
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
            raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)
        self.skipped.add(_OWN_ROWS)

    def _create(self, cursor: Cursor, statement: Statement) -> None:
        cursor.expect("CREATE")
        attempt = cursor.copy()
        attempt.accept("UNLOGGED")
        if attempt.accept("TABLE"):
            self._define(attempt, statement)
        elif cursor.word in ("GLOBAL", "LOCAL", "TEMP", "TEMPORARY") and cursor.peek().word in ("TABLE", "TEMP"):
            raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)
        elif cursor.accept("SEQUENCE", "UNLOGGED SEQUENCE", "OR REPLACE SEQUENCE"):
            self.skipped.add("sequence", create_sequence(cursor, self.namespace).label)
        elif cursor.accept("DOMAIN"):
            self.skipped.add("domain", create_domain(cursor, self.namespace).label)
        elif cursor.accept("TYPE"):
            self.skipped.add("type", create_type(cursor, self.namespace).label)
        elif cursor.accept("UNIQUE INDEX"):
            self._add_index(cursor)
        else:
            self._leave_out(cursor, statement)

    def _define(self, cursor: Cursor, statement: Statement) -> None:
        if_new = cursor.accept("IF NOT EXISTS")
        table = SqlTable(self.namespace.made(cursor.table_name("")), statement.script, statement.start)
        known = self.tables.get(table.name.key)
        if known is not None:
            if not if_new:
                raise self._second(statement, known, table)
            self.skipped.add("definition of a table that exists", table.name.label)
            return
        read_table(cursor, table, self.namespace)
        self._column_count += len(table.columns)
        if self._column_count > MOST_COLUMNS_IN_ALL:
            reason = f"all tables together have more than {MOST_COLUMNS_IN_ALL:,} columns"
            raise statement.script.unsupported(statement.start, reason)
        self.tables[table.name.key] = table
        for column in table.columns:
            if isinstance(column.default, Drawn):
                sequence = column.default.sequence
                self.namespace.sequences.setdefault(sequence.name.key, sequence)
        if len(self.tables) > MOST_TABLES:
            raise statement.script.unsupported(statement.start, f"there are more than {MOST_TABLES:,} tables")

    def _second(self, statement: Statement, known: SqlTable, table: SqlTable) -> SourceError:
        if known.name.name == table.name.name:
            return statement.script.invalid(statement.start, f"table {table.name.label} is defined twice")
        reason = f"the tables {known.name.label} and {table.name.label} differ in the case of letters alone"
        hint = "Rename one of them: names here differ in more than case."
        return statement.script.unsupported(statement.start, reason, hint=hint)

    def _leave_out(self, cursor: Cursor, statement: Statement) -> None:
        """Leave out an object that is made; a trigger or rule is noted with its table, a schema may hold nothing."""
        start = cursor.copy()
        made = named_object(cursor)
        if made is None:
            raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)
        if made.kind in ("trigger", "rule"):
            note_trigger(made.name, cursor, statement, self.namespace)
        elif made.kind == "schema":
            self._refuse_elements(cursor, statement)
        elif made.kind == "database":
            self._note_collation(made.name, cursor)
        elif made.kind == "collation" and any(token.word == "FALSE" for token in start.rest()):
            self.namespace.collations[made.name.rpartition(".")[2].lower()] = "nondeterministic"
        self.skipped.add(made.kind, made.name)

    def _refuse_elements(self, cursor: Cursor, statement: Statement) -> None:
        """CREATE SCHEMA may hold other statements."""
        while not cursor.at_end:
            if cursor.word in ("CREATE", "GRANT"):
                reason = "statements within CREATE SCHEMA are not read"
                raise statement.script.unsupported(statement.start, reason, hint=_SCHEMA_HINT)
            cursor.take()

    def _note_collation(self, database: str, cursor: Cursor) -> None:
        """The collation that a database of MySQL gives to its tables."""
        while not cursor.at_end:
            if cursor.accept("COLLATE", "CHARACTER SET", "CHARSET"):
                cursor.accept("=")
                self.namespace.collations[fold_identifier(database)] = cursor.take().meaning.lower()
            else:
                cursor.take()

    def _add_index(self, cursor: Cursor) -> None:
        """A unique index of whole columns is a key; any other one only says which rows were refused."""
        cursor.accept("CONCURRENTLY")
        cursor.accept("IF NOT EXISTS")
        name = "" if cursor.word == "ON" else cursor.name()
        cursor.accept("USING BTREE", "USING HASH")
        cursor.expect("ON")
        cursor.accept("ONLY")
        table = self.namespace.table(cursor.table_name(""))
        if cursor.accept("USING"):
            cursor.name()
        at = cursor.at
        columns = key_columns(cursor) if cursor.word == "(" else None
        is_partial = any(token.word == "WHERE" for token in cursor.rest())
        if table is None or columns is None or is_partial:
            self.skipped.add("index", name)
            if table is not None:
                table.constraints.append(Constraint(Rule.PARTIAL, name, script=cursor.script, at=at))
        else:
            add_constraint(table, Constraint(Rule.UNIQUE, name, columns, script=cursor.script, at=at))

    def _alter(self, cursor: Cursor, statement: Statement) -> None:
        cursor.expect("ALTER")
        if cursor.accept("TABLE", "FOREIGN TABLE"):
            self._alter_table(cursor, statement)
        elif cursor.accept("SEQUENCE"):
            self.events += alter_sequence(cursor, self.namespace)
            self.skipped.add("alter")
        else:
            altered = named_object(cursor)
            if altered is None:
                raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)
            if altered.kind == "database":
                self._note_collation(altered.name or self.session.schema, cursor)
            self.skipped.add("alter")

    def _alter_table(self, cursor: Cursor, statement: Statement) -> None:
        if_exists = cursor.accept("IF EXISTS")
        cursor.accept("ONLY")
        name = cursor.table_name("")
        table = self.namespace.table(name)
        if table is not None:
            alteration = TableAlteration(table, self.namespace)
            alteration.read(cursor)
            self.events += alteration.changes
        elif if_exists or changes_only_what_was(cursor):
            self.skipped.add("ALTER TABLE of something else", self.namespace.made(name).label)
        else:
            label = self.namespace.made(name).label
            raise statement.script.invalid(statement.start, f"there is no table {label}")

    def _drop(self, cursor: Cursor, statement: Statement) -> None:
        cursor.expect("DROP")
        if cursor.accept("TABLE"):
            cursor.accept("IF EXISTS")
            for part in cursor.elements(cursor.rest()):
                self._remove(self.namespace.made(part.table_name("")), statement)
                self.skipped.add("DROP TABLE")
        elif cursor.accept("SCHEMA", "DATABASE"):
            self._drop_schema(cursor, statement)
        else:
            dropped = named_object(cursor)
            if dropped is None:
                raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)
            if dropped.kind in ("trigger", "rule"):
                drop_triggers(dropped.name, self.namespace)
            self.skipped.add("drop")

    def _drop_schema(self, cursor: Cursor, statement: Statement) -> None:
        """A schema, or database, goes with all that it holds so far."""
        cursor.accept("IF EXISTS")
        schemas = {fold_identifier(part.name()) for part in cursor.elements(cursor.rest())}
        for table in [each for each in self.tables.values() if each.name.key[0] in schemas]:
            self._remove(table.name, statement)
        self.skipped.add("drop")

    def _remove(self, name: TableName, statement: Statement) -> None:
        """A table that goes before it has rows was a place holder, its partitions too; one with rows must stay."""
        table = self.tables.get(name.key)
        if table is None:
            return
        gone = [table]
        for whole in gone:
            gone += [each for each in self.tables.values() if each.partition_of is whole]
        if any(each.has_rows for each in gone):
            raise statement.script.unsupported(statement.start, f"table {name.label} is dropped with its rows")
        for each in gone:
            del self.tables[each.name.key]

    def _describe(self, cursor: Cursor, _: Statement) -> None:
        cursor.expect("COMMENT ON")
        attempt = cursor.copy()
        if not attempt.accept("TABLE", "COLUMN"):
            described = described_object(cursor)
            self.skipped.add(described.kind, described.name)
            return
        is_table = attempt.peek(-1).word == "TABLE"
        parts = attempt.dotted_name()
        column = "" if is_table else parts.pop()
        attempt.expect("IS")
        table = self.namespace.table(TableName(parts[-2] if len(parts) > 1 else "", parts[-1])) if parts else None
        if table is None:
            self.skipped.add("comment on something else", ".".join(parts))
        elif attempt.token.kind is TokenKind.TEXT:
            table.comments[column] = attempt.token.meaning

    def _set(self, cursor: Cursor, statement: Statement) -> None:
        cursor.expect("SET")
        self.session.read_set(cursor)
        encoding = self.session.settings.encoding
        if not is_read(encoding) and not statement.script.text[statement.after :].isascii():
            reason = f"the text that follows is in the encoding {encoding.rstrip('!')}, which is not read"
            raise statement.script.unsupported(statement.start, reason, hint="Dump the database in UTF-8.")
        self.skipped.add("set")

    def _reset(self, cursor: Cursor, _: Statement) -> None:
        cursor.expect("RESET")
        self.session.reset(cursor)
        self.skipped.add("reset")

    def _use(self, cursor: Cursor, _: Statement) -> None:
        cursor.expect("USE")
        self.session.use(cursor.name())
        cursor.expect_end()
        self.skipped.add("use")

    def _select(self, cursor: Cursor, statement: Statement) -> None:
        """A query changes no row; setval and set_config change what comes after them."""
        cursor.expect("SELECT")
        attempt = cursor.copy()
        attempt.accept("PG_CATALOG .")
        if attempt.accept("SETVAL"):
            self._set_value(attempt)
        elif attempt.accept("SET_CONFIG"):
            arguments = list(attempt.elements_of_group())
            self.session.set_config(attempt, arguments[0].text(), arguments[1].text())
            self.skipped.add("set_config")
        else:
            query = harmless_query(cursor)
            if query is None:
                raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)
            self.skipped.add(query.kind, query.name)

    def _refuse_copy(self, _: Cursor, statement: Statement) -> None:
        raise statement.script.unsupported(statement.start, COPY_ONLY)

    def _do(self, cursor: Cursor, statement: Statement) -> None:
        """DO SETVAL of MariaDB; any other DO is a program."""
        cursor.expect("DO")
        if not cursor.accept("SETVAL"):
            raise statement.script.unsupported(statement.start, _NOT_ACCEPTED)
        self._set_value(cursor)

    def _set_value(self, cursor: Cursor) -> None:
        self.events.append(read_setval(cursor, self.namespace))
        self.skipped.add("setval")
