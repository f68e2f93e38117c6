"""Reads one CREATE TABLE: columns, constraints and the options that matter."""

from collections.abc import Mapping
from dataclasses import replace

from app.sources.dialect import Dialect
from app.sources.dumps.columns import ColumnContext, read_column
from app.sources.dumps.keys import read_constraint
from app.sources.dumps.model import MOST_COLUMNS, DumpTable, StoredType, TableName
from app.sources.dumps.tokens import Cursor, TokenKind

_MYSQL_INDEXES = frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL", "PERIOD"})
_CONSTRAINTS = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK"})


def read_table(
    cursor: Cursor,
    table: DumpTable,
    domains: Mapping[str, StoredType],
    schema: str,
    known: Mapping[tuple[str, str], DumpTable],
) -> None:
    """Read everything after the table's name into `table`; `known` are the tables before it."""
    if cursor.accept("PARTITION OF"):
        table.partition_of = cursor.table_name(schema)
        return
    if cursor.token.word != "(":
        raise cursor.complaint(f"table {table.name.label} is not defined by its columns")
    body = cursor.group()
    options = cursor.rest()
    collation, parents = _read_options(cursor.within(options), table, schema)
    for parent in parents:
        _inherit(cursor, table, known.get(parent.key), parent)
    inherited = frozenset(column.name for column in table.columns)
    context = ColumnContext(domains, collation, schema, inherited)
    for element in cursor.elements(body):
        _read_element(element, table, context)
    _check_columns(cursor, table)


def _read_options(cursor: Cursor, table: DumpTable, schema: str) -> tuple[str, list[TableName]]:
    """The collation in force for texts, and the tables whose columns are inherited."""
    collation, charset = "", ""
    parents: list[TableName] = []
    while not cursor.at_end:
        if cursor.accept("INHERITS"):
            parents = [each.table_name(schema) for each in cursor.elements(cursor.group())]
        elif cursor.accept("COLLATE"):
            collation = _value(cursor).lower()
        elif cursor.accept("CHARSET") or cursor.accept("CHARACTER SET"):
            charset = _value(cursor).lower()
        elif cursor.accept("COMMENT"):
            table.comments[""] = _value(cursor)
        elif cursor.token.word in ("AS", "SELECT", "LIKE", "OF") and not parents:
            raise cursor.complaint(f"table {table.name.label} takes its columns from elsewhere")
        elif cursor.accept("PARTITION BY"):
            break
        else:
            cursor.take()
    return collation or charset, parents


def _value(cursor: Cursor) -> str:
    cursor.accept("=")
    return cursor.take().text


def _inherit(cursor: Cursor, table: DumpTable, parent: DumpTable | None, name: TableName) -> None:
    if parent is None:
        raise cursor.complaint(f"table {table.name.label} inherits from {name.label}, which is not defined before it")
    for column in parent.columns:
        if table.column(column.name) is None:
            table.put(replace(column))


def _read_element(cursor: Cursor, table: DumpTable, context: ColumnContext) -> None:
    if _is_constraint(cursor):
        read_constraint(cursor, table, context.schema)
        return
    if cursor.token.word in _MYSQL_INDEXES and cursor.dialect is Dialect.MYSQL:
        return
    if cursor.token.word == "EXCLUDE" and cursor.peek().word in ("USING", "("):
        return
    if cursor.token.word == "LIKE":
        raise cursor.complaint(f"table {table.name.label} takes its columns from elsewhere")
    column = read_column(cursor, table, context)
    if table.column(column.name) is not None and column.name not in context.inherited:
        raise cursor.complaint(f"table {table.name.label} has two columns {column.name}")
    table.put(column)


def _is_constraint(cursor: Cursor) -> bool:
    return cursor.token.kind is TokenKind.WORD and cursor.token.word in _CONSTRAINTS


def _check_columns(cursor: Cursor, table: DumpTable) -> None:
    if not table.columns:
        raise cursor.complaint(f"table {table.name.label} has no columns")
    if len(table.columns) > MOST_COLUMNS:
        raise cursor.complaint(f"table {table.name.label} has more than {MOST_COLUMNS:,} columns")
