"""What `unsupported=skip` leaves out of a database: views and triggers by name, BLOBs as NULL."""

import re
from collections.abc import Callable, Sequence

import apsw
import numpy as np

from app.budget import checked
from app.sources.foreign_keys import DeclaredReference, counted
from app.sources.options import Unsupported
from app.sources.relational_source import SourceWarning, WarningCode
from app.sources.sqlite.plain_ddl import PlainColumn, PlainTable
from app.sources.sqlite.schema import TableLayout, declared_references, quoted, read_catalogue
from app.tables.dictionary import IntArray
from app.tables.schema import ColumnSchema
from app.values import affinity_of

_TYPE = re.compile(r"[\w (),.+-]*", re.ASCII)


def skipped_bytes(table: str, column: str, rows: IntArray) -> SourceWarning:
    """The warning for cells of one column that hold bytes and are read as NULL; `rows` are offsets, at least one."""
    message = f"Table {table}, column {column}: {counted(len(rows), 'cell')} with binary data read as NULL."
    where = {"table": table, "column": column, "cells": len(rows), "first_row": int(rows[0])}
    return SourceWarning(WarningCode.UNSUPPORTED_SKIPPED, message, where)


def without_bytes(
    connection: apsw.Connection, new_database: Callable[[], apsw.Connection]
) -> tuple[apsw.Connection, tuple[SourceWarning, ...]]:
    """A copy of the database with NULL for each BLOB, still writable, and one warning a column.

    Without a BLOB it is the database itself. The copy is made in a new empty database; it has the same tables, columns,
    keys and references, and its rows in the same order.
    """
    layouts = read_catalogue(connection, Unsupported.SKIP).layouts
    held = {layout.schema.name: _columns_with_bytes(connection, layout) for layout in layouts}
    if not any(held.values()):
        return connection, ()
    copy = new_database()
    warnings: list[SourceWarning] = []
    with copy:
        for layout in layouts:
            columns = held[layout.schema.name]
            plain = _plain_table(layout, declared_references(connection, layout.schema.name), columns)
            copy.execute(plain.create_sql())
            _copy_rows(connection, copy, layout, plain, columns)
            warnings += [_warning(connection, layout, column) for column in columns]
    return copy, tuple(warnings)


def _columns_with_bytes(connection: apsw.Connection, layout: TableLayout) -> list[str]:
    names = layout.schema.column_names
    tests = ", ".join(f"max(typeof({quoted(name)}) = 'blob')" for name in names)
    found = connection.execute(f"SELECT {tests} FROM {quoted(layout.schema.name)}").fetchall()[0]  # noqa: S608
    return [name for name, has_bytes in zip(names, found, strict=True) if has_bytes]


def _plain_table(layout: TableLayout, references: Sequence[DeclaredReference], with_bytes: Sequence[str]) -> PlainTable:
    schema = layout.schema
    columns = tuple(_plain_column(column, column.name in with_bytes) for column in schema.columns)
    return PlainTable(schema.name, columns, schema.primary_key, schema.unique_keys, tuple(references))


def _plain_column(column: ColumnSchema, holds_bytes: bool) -> PlainColumn:
    declared = column.declared_type
    is_usable = _TYPE.fullmatch(declared) and affinity_of(declared) is column.affinity
    return PlainColumn(
        column.name,
        declared if is_usable else column.affinity.value.upper(),
        column.collation,
        column.not_null and not holds_bytes,
    )


def _copy_rows(
    connection: apsw.Connection,
    copy: apsw.Connection,
    layout: TableLayout,
    plain: PlainTable,
    with_bytes: Sequence[str],
) -> None:
    cells = (
        f"CASE typeof({name}) WHEN 'blob' THEN NULL ELSE {name} END" if column.name in with_bytes else name
        for column in plain.columns
        for name in [quoted(column.name)]
    )
    rows = connection.execute(f"SELECT {', '.join(cells)} {layout.rows()}")
    copy.executemany(plain.insert_sql(), checked(rows))


def _warning(connection: apsw.Connection, layout: TableLayout, column: str) -> SourceWarning:
    flags = connection.execute(f"SELECT typeof({quoted(column)}) = 'blob' {layout.rows()}")
    return skipped_bytes(layout.schema.name, column, np.flatnonzero(np.fromiter((flag for (flag,) in flags), np.bool_)))
