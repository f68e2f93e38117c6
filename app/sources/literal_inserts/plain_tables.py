"""Tells whether SQLite keeps the rows of a table as they are, once its keys and NOT NULL hold."""

import re

import apsw

from app.sources.literal_inserts.groups import UnusualScriptError
from app.sources.sqlite_schema import TableLayout, quoted
from app.tables.schema import ColumnSchema
from app.values import affinity_of, fold_identifier

_CHECK = re.compile(r"\bCHECK\b", re.IGNORECASE)


def declared_columns(connection: apsw.Connection, table: str) -> tuple[list[ColumnSchema], frozenset[str]]:
    """The columns of a table with their affinities, and the folded names of those with a default.

    Raises `UnusualScriptError` where there is no such table.
    """
    columns = connection.execute(f"PRAGMA table_xinfo({quoted(table)})").fetchall()
    if not columns:
        raise UnusualScriptError
    defaults = (fold_identifier(str(name)) for _, name, _, _, default, *_ in columns if default is not None)
    schemas = [ColumnSchema(str(name), str(declared), affinity_of(str(declared))) for _, name, declared, *_ in columns]
    return schemas, frozenset(defaults)


def refuse_unusual_table(connection: apsw.Connection, layout: TableLayout, sql: str) -> None:
    """Raise `UnusualScriptError` for a table with no row ids, with strict types, or with rules of other kinds.

    `sql` is what made the table; one that speaks of a CHECK is taken to have one.
    """
    if layout.rowid is None or layout.is_strict or _CHECK.search(sql):
        raise UnusualScriptError
    name = layout.schema.name
    for _, index, is_unique, _, is_partial in connection.execute(f"PRAGMA index_list({quoted(name)})"):
        if is_partial:
            raise UnusualScriptError
        _refuse_unusual_index(connection, layout, str(index), is_unique=bool(is_unique))


def _refuse_unusual_index(connection: apsw.Connection, layout: TableLayout, index: str, *, is_unique: bool) -> None:
    """An index over expressions, or one that is unique under other collations than the columns'."""
    for _, place, column, _, collation, is_key in connection.execute(f"PRAGMA index_xinfo({quoted(index)})"):
        if is_key and int(place) < 0:
            raise UnusualScriptError
        if is_key and is_unique and str(collation).upper() != layout.schema.column(str(column)).collation:
            raise UnusualScriptError
