"""Goes through all statements of a dump once: tables take shape, blocks of rows are noted, the rest is named."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.budget import checked
from app.sources.dialect import Dialect
from app.sources.dumps.alterations import changes_only_what_was, read_alteration
from app.sources.dumps.columns import type_of
from app.sources.dumps.keys import key_columns
from app.sources.dumps.lexicon import compiled
from app.sources.dumps.model import MOST_TABLES, DumpTable, StoredType, TableName
from app.sources.dumps.skipped import SkippedStatements
from app.sources.dumps.statements import Statement, StatementKind
from app.sources.dumps.tables import read_table
from app.sources.dumps.tokens import Cursor, TokenKind, tokens_of
from app.values import fold_identifier

_USE = re.compile(r"USE\s+[`\"]?([^`\";\s]+)", re.IGNORECASE)
_SEARCH_PATH = re.compile(r"search_path\s*(?:=|TO)\s*([^;]*)", re.IGNORECASE)
_COMPUTED_MODE = "an sql_mode that changes what quotes or backslashes mean is read as a text only, such as 'ANSI'"
_UNQUALIFIED_SCHEMA = {Dialect.MYSQL: "", Dialect.POSTGRES: "public"}


@dataclass(frozen=True, slots=True)
class RowBlock:
    """A statement with rows, the table as named there, and the offset after the name."""

    statement: Statement
    table: TableName
    after_name: int


class Definitions:
    """The tables of a dump in order of definition, its blocks of rows, and what was left out."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.tables: dict[tuple[str, str], DumpTable] = {}
        self.blocks: list[RowBlock] = []
        self.skipped = SkippedStatements()
        self._domains: dict[str, StoredType] = {}
        self._schema = _UNQUALIFIED_SCHEMA[dialect]
        self._filled: set[tuple[str, str]] = set()
        self._readers = {
            StatementKind.TABLE: self._define,
            StatementKind.ALTER: self._alter,
            StatementKind.DROP: self._drop,
            StatementKind.DROP_SCHEMA: self._drop_schema,
        }
        self._plain_readers = {
            StatementKind.INDEX: self._add_index,
            StatementKind.COMMENT: self._describe,
            StatementKind.DOMAIN: self._name_type,
        }

    def read(self, statements: Iterable[Statement]) -> None:
        """Read statements in order; `SqlUnsupportedError` or `SqlInvalidError` for the first that cannot be."""
        for statement in checked(statements):
            if statement.kind in (StatementKind.INSERT, StatementKind.COPY):
                self._note_rows(statement)
            elif statement.kind is StatementKind.SCHEMA:
                self._change_schema(statement)
            elif statement.kind is StatementKind.SKIPPED:
                self.skipped.add(statement.subject, statement.name)
            elif statement.kind is StatementKind.REFUSED:
                raise statement.script.unsupported(statement.start, "this statement is not accepted")
            elif statement.kind is StatementKind.COMPUTED_MODE:
                raise statement.script.unsupported(statement.start, _COMPUTED_MODE)
            elif statement.kind in self._plain_readers:
                self._plain_readers[statement.kind](self._cursor(statement))
            else:
                self._readers[statement.kind](self._cursor(statement), statement)

    def resolve(self, name: TableName) -> DumpTable | None:
        """The table of that name, or the only one that has it in any schema."""
        found = self.tables.get(name.key)
        if found is None:
            same = [table for key, table in self.tables.items() if key[1] == name.key[1]]
            found = same[0] if len(same) == 1 else None
        return found

    def _cursor(self, statement: Statement) -> Cursor:
        tokens = tokens_of(statement.script, statement.start, statement.end, statement.lexicon)
        return Cursor(statement.script, self.dialect, tokens, statement.start)

    def _note_rows(self, statement: Statement) -> None:
        lexicon, script = statement.lexicon, statement.script
        verb = r"(?i:INSERT|REPLACE|COPY)\b" + lexicon.space
        modifiers = rf"(?:(?i:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|INTO|ONLY)\b{lexicon.space})*+"
        head = compiled(
            rf"{verb}{modifiers}(?P<name>{lexicon.name}(?:{lexicon.space}\.{lexicon.space}{lexicon.name})?+)"
        )
        found = head.match(script.text, statement.start)
        if found is None:
            raise script.unsupported(statement.start, "the rows have no table")
        tokens = tokens_of(script, found.start("name"), found.end("name"), lexicon)
        table = Cursor(script, self.dialect, tokens, statement.start).table_name(self._schema)
        self._filled.add(table.key)
        self.blocks.append(RowBlock(statement, table, found.end()))

    def _change_schema(self, statement: Statement) -> None:
        used = _USE.match(statement.text)
        path = _SEARCH_PATH.search(statement.text)
        if used:
            self._schema = used[1]
        elif path:
            names = [name.strip().strip("'\"") for name in path[1].split(",")]
            self._schema = next((name for name in names if name not in ("", "pg_catalog", "$user")), self._schema)
        self.skipped.add("use" if used else "set")

    def _define(self, cursor: Cursor, statement: Statement) -> None:
        cursor.expect("CREATE")
        cursor.accept("UNLOGGED")
        cursor.expect("TABLE")
        if_new = cursor.accept("IF NOT EXISTS")
        table = DumpTable(cursor.table_name(self._schema), statement.script, statement.start)
        if table.name.key in self.tables:
            if not if_new:
                raise statement.script.invalid(statement.start, f"table {table.name.label} is defined twice")
            self.skipped.add("definition of a table that exists", table.name.label)
            return
        read_table(cursor, table, self._domains, self._schema, self.tables)
        self.tables[table.name.key] = table
        if len(self.tables) > MOST_TABLES:
            raise statement.script.unsupported(statement.start, f"there are more than {MOST_TABLES:,} tables")

    def _alter(self, cursor: Cursor, statement: Statement) -> None:
        cursor.expect("ALTER TABLE")
        if_exists = cursor.accept("IF EXISTS")
        cursor.accept("ONLY")
        name = cursor.table_name(self._schema)
        table = self.tables.get(name.key) or self.resolve(name)
        if table is None:
            if if_exists or changes_only_what_was(cursor):
                self.skipped.add("ALTER TABLE of something else", name.label)
                return
            raise statement.script.invalid(statement.start, f"there is no table {name.label}")
        for partition in read_alteration(cursor, table, self._domains, self._schema):
            attached = self.resolve(partition)
            if attached is None:
                raise statement.script.invalid(statement.start, f"there is no table {partition.label}")
            attached.partition_of = table.name

    def _add_index(self, cursor: Cursor) -> None:
        """A unique index of whole columns is a key; any other says nothing about what rows mean."""
        name = ""
        while not cursor.at_end and not cursor.accept("ON"):
            name = cursor.take().text
        cursor.accept("ONLY")
        table = self.resolve(cursor.table_name(self._schema))
        while not cursor.at_end and cursor.token.word != "(":
            cursor.take()
        columns = key_columns(cursor) if table and not cursor.at_end else None
        partial = any(token.word == "WHERE" for token in cursor.rest())
        if table and columns and not partial:
            table.unique_keys.append(columns)
        else:
            self.skipped.add("index", name)

    def _describe(self, cursor: Cursor) -> None:
        cursor.expect("COMMENT ON")
        is_table = cursor.take().word == "TABLE"
        parts = [cursor.name()]
        while cursor.accept("."):
            parts.append(cursor.name())
        column = "" if is_table else parts.pop()
        cursor.expect("IS")
        name = TableName(parts[-2] if len(parts) > 1 else self._schema, parts[-1]) if parts else None
        table = self.resolve(name) if name else None
        if table is not None and cursor.token.kind is TokenKind.TEXT:
            table.comments[column] = cursor.token.text
        elif table is None:
            self.skipped.add("comment on something else", ".".join(parts))

    def _name_type(self, cursor: Cursor) -> None:
        cursor.expect("CREATE DOMAIN")
        name = cursor.table_name(self._schema)
        cursor.accept("AS")
        self._domains[name.name.lower()] = type_of(cursor, self._domains)
        self.skipped.add("domain", name.label)

    def _drop(self, cursor: Cursor, statement: Statement) -> None:
        """A table that goes before it has rows was a place holder; a table with rows must stay."""
        cursor.expect("DROP TABLE")
        cursor.accept("IF EXISTS")
        for part in cursor.elements(cursor.rest()):
            name = part.table_name(self._schema)
            self._remove(name, statement)
            self.skipped.add("DROP TABLE")

    def _drop_schema(self, cursor: Cursor, statement: Statement) -> None:
        """A schema, or database, goes with all that it holds so far."""
        cursor.expect("DROP")
        cursor.take()
        cursor.accept("IF EXISTS")
        schemas = {fold_identifier(part.name()) for part in cursor.elements(cursor.rest())}
        for table in [each for each in self.tables.values() if each.name.key[0] in schemas]:
            self._remove(table.name, statement)
        self.skipped.add("drop")

    def _remove(self, name: TableName, statement: Statement) -> None:
        if name.key in self._filled:
            raise statement.script.unsupported(statement.start, f"table {name.label} is dropped with its rows")
        self.tables.pop(name.key, None)
