"""The oracle's own database of a source that no SQLite read: made from its tables, without converting a value.

A column declares no type if it has no affinity, so that SQLite keeps each value as it is; only booleans become 1
and 0. No key is declared: integer keys would turn into row ids, and what keys mean is the joins' business.
"""

from collections.abc import Iterator

import apsw
import numpy as np

from app.budget import check_deadline
from app.oracle.compile_sql import quoted
from app.oracle.connection import empty_database
from app.tables.schema import ColumnSchema
from app.tables.table import Table, TableSet
from app.values import Affinity, Scalar

_CHUNK_ROWS = 16_384
_TYPE_OF_AFFINITY = {
    Affinity.BLOB: "",
    Affinity.TEXT: "TEXT",
    Affinity.NUMERIC: "NUMERIC",
    Affinity.INTEGER: "INT",
    Affinity.REAL: "REAL",
}


def database_of_tables(source: TableSet) -> apsw.Connection:
    """An in-memory database with these tables and rows; the oracle may add indexes to it."""
    connection = empty_database()
    with connection:
        for schema in source.schema:
            columns = ", ".join(map(_definition, schema.columns))
            connection.execute(f"CREATE TABLE {quoted(schema.name)} ({columns})")
            _fill(connection, source.tables[schema.name])
    return connection


def _definition(column: ColumnSchema) -> str:
    return f"{quoted(column.name)} {_TYPE_OF_AFFINITY[column.affinity]} COLLATE {column.collation}"


def _fill(connection: apsw.Connection, table: Table) -> None:
    names = table.schema.column_names
    placeholders = ", ".join("?" * len(names))
    insert = f"INSERT INTO {quoted(table.schema.name)} VALUES ({placeholders})"  # noqa: S608
    connection.executemany(insert, _rows(table))


def _rows(table: Table) -> Iterator[tuple[Scalar, ...]]:
    columns = [table.columns[name] for name in table.schema.column_names]
    for start in range(0, table.row_count, _CHUNK_ROWS):
        check_deadline()
        rows = np.arange(start, min(start + _CHUNK_ROWS, table.row_count))
        yield from zip(*(column.take(rows).to_list() for column in columns), strict=True)
