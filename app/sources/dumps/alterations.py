"""Reads one ALTER TABLE: keys are added, partitions attached; whatever changes rows or columns is refused."""

from collections.abc import Mapping

from app.sources.dialect import Dialect
from app.sources.dumps.columns import ColumnContext, read_column, set_default
from app.sources.dumps.keys import read_constraint
from app.sources.dumps.model import Default, DumpTable, StoredType, TableName
from app.sources.dumps.tokens import Cursor

_HARMLESS = [
    "OWNER TO",
    "ENABLE",
    "DISABLE",
    "CLUSTER",
    "SET",
    "RESET",
    "REPLICA IDENTITY",
    "VALIDATE CONSTRAINT",
    "NO FORCE",
    "FORCE",
    "AUTO_INCREMENT",
    "COMMENT",
    "INHERIT",
    "NO INHERIT",
    "ENGINE",
    "ORDER BY",
    "DEFAULT CHARSET",
    "CONVERT TO",
    "COLLATE",
    "ROW_FORMAT",
    "IMPORT",
    "DISCARD",
    "ALTER INDEX",
    "DROP CONSTRAINT",
    "DROP PRIMARY KEY",
    "DROP FOREIGN KEY",
    "DROP INDEX",
    "DROP KEY",
    "DETACH PARTITION",
]
_MYSQL_INDEXES = ("KEY", "INDEX", "FULLTEXT", "SPATIAL")


def changes_only_what_was(cursor: Cursor) -> bool:
    """Whether the actions after the table's name neither add nor define anything, as those before a dump's DROP TABLE.

    Such an ALTER may name a table that is still to come, or a view or sequence.
    """
    return all(_removes_or_sets(action) for action in cursor.elements(cursor.rest()))


def _removes_or_sets(action: Cursor) -> bool:
    if action.accept("ALTER COLUMN") or action.accept("ALTER"):
        action.name()
        return action.accept("DROP")
    return _is_harmless(action)


def _is_harmless(action: Cursor) -> bool:
    return any(action.accept(words) for words in _HARMLESS)


def read_alteration(
    cursor: Cursor, table: DumpTable, domains: Mapping[str, StoredType], schema: str
) -> list[TableName]:
    """Read all actions after the table's name into `table`, and return the tables that become its partitions."""
    attached: list[TableName] = []
    for action in cursor.elements(cursor.rest()):
        if action.accept("ATTACH PARTITION"):
            attached.append(action.table_name(schema))
        else:
            _read_action(action, table, ColumnContext(domains, "", schema))
    return attached


def _read_action(cursor: Cursor, table: DumpTable, context: ColumnContext) -> None:
    if cursor.accept("ADD"):
        _read_addition(cursor, table, context.schema)
    elif cursor.accept("ALTER COLUMN") or cursor.accept("ALTER"):
        _read_column_change(cursor, table)
    elif cursor.accept("MODIFY COLUMN") or cursor.accept("MODIFY"):
        _redefine(cursor, table, context)
    elif cursor.accept("DETACH PARTITION") or not _is_harmless(cursor):
        raise cursor.complaint("this change of a table is not accepted")


def _read_addition(cursor: Cursor, table: DumpTable, schema: str) -> None:
    if cursor.dialect is Dialect.MYSQL and cursor.token.word in _MYSQL_INDEXES:
        return
    if cursor.token.word == "EXCLUDE":
        return
    if not read_constraint(cursor, table, schema):
        raise cursor.complaint("only keys and constraints can be added to a table")


def _read_column_change(cursor: Cursor, table: DumpTable) -> None:
    name = cursor.name()
    column = table.column(name)
    if column is None:
        raise cursor.complaint(f"table {table.name.label} has no column {name}")
    if cursor.accept("SET DEFAULT"):
        set_default(column, cursor.rest())
    elif cursor.accept("DROP DEFAULT"):
        column.default, column.default_text = Default.LITERAL, None
    elif cursor.accept("ADD GENERATED"):
        column.default = Default.COUNTER
    elif cursor.accept("SET NOT NULL"):
        column.not_null = True
    elif cursor.accept("TYPE") or cursor.accept("SET DATA TYPE"):
        raise cursor.complaint("this change of a column is not accepted")


def _redefine(cursor: Cursor, table: DumpTable, context: ColumnContext) -> None:
    """MySQL's MODIFY, by which dump tools declare AUTO_INCREMENT once the keys are there."""
    column = read_column(cursor, table, context)
    known = table.column(column.name)
    if known is None or known.stored.storage is not column.stored.storage:
        raise cursor.complaint("this change of a column is not accepted")
    table.put(column)
