"""CREATE, ALTER, DROP and COMMENT: tables take shape, and what changes no row is left out by name."""

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
    Rule,
    SqlTable,
)
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.definitions.sequences import alter_sequence, create_sequence
from app.sources.sql.definitions.tables import read_table
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import TableName
from app.sources.sql.lexing.tokens import TokenKind
from app.sources.sql.reading.objects import NOT_ACCEPTED, described_object, named_object
from app.sources.sql.reading.skipped import SkippedStatements
from app.sources.sql.reading.triggers import drop_triggers, note_trigger
from app.sources.sql.statements.splitter import Statement
from app.values import fold_identifier

_SCHEMA_HINT = "Put them after it as statements of their own, with the schema before each name."


class SchemaStatements:
    """Reads statements about tables and other objects into a namespace; what takes effect among rows is an event."""

    def __init__(self, namespace: Namespace, events: list[Event], skipped: SkippedStatements) -> None:
        self.namespace = namespace
        self.events = events
        self.skipped = skipped
        self._column_count = 0

    @property
    def tables(self) -> dict[tuple[str, str], SqlTable]:
        """All tables by the key of their name."""
        return self.namespace.tables

    def create(self, cursor: Cursor, statement: Statement) -> None:
        """A table, sequence, type or unique index is taken in; anything else is left out, or refused."""
        cursor.expect("CREATE")
        attempt = cursor.copy()
        attempt.accept("UNLOGGED")
        if attempt.accept("TABLE"):
            self._define(attempt, statement)
        elif cursor.word in ("GLOBAL", "LOCAL", "TEMP", "TEMPORARY") and cursor.peek().word in ("TABLE", "TEMP"):
            raise statement.script.unsupported(statement.start, NOT_ACCEPTED)
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
            raise statement.script.unsupported(statement.start, NOT_ACCEPTED)
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

    def alter(self, cursor: Cursor, statement: Statement) -> None:
        """Tables and sequences are changed; what is altered beside them is left out."""
        cursor.expect("ALTER")
        if cursor.accept("TABLE", "FOREIGN TABLE"):
            self._alter_table(cursor, statement)
        elif cursor.accept("SEQUENCE"):
            self.events += alter_sequence(cursor, self.namespace)
            self.skipped.add("alter")
        else:
            altered = named_object(cursor)
            if altered is None:
                raise statement.script.unsupported(statement.start, NOT_ACCEPTED)
            if altered.kind == "database":
                self._note_collation(altered.name or self.namespace.session.schema, cursor)
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

    def drop(self, cursor: Cursor, statement: Statement) -> None:
        """Tables go if they have no rows; triggers and rules are forgotten."""
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
                raise statement.script.unsupported(statement.start, NOT_ACCEPTED)
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

    def describe(self, cursor: Cursor, _: Statement) -> None:
        """COMMENT ON a table or column is kept."""
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
