"""Tables and the SQLite image of a SQL script, read cell by cell, for tests that need no loader."""

from collections.abc import Mapping
from dataclasses import dataclass

import apsw

from app.sources.sqlite.schema import quoted, read_catalogue
from app.tables.column import column_of
from app.tables.schema import RelationalSchema, TableSchema
from app.tables.table import Table, TableSet


@dataclass(frozen=True)
class SqlTables:
    """What a SQL script makes: `image` is the database, `tables` its rows in order of storage."""

    schema: RelationalSchema
    tables: Mapping[str, Table]
    image: bytes | TableSet


def sql_tables(sql: str) -> SqlTables:
    """Run a script in memory and read it back."""
    connection = apsw.Connection(":memory:")
    connection.execute(sql).fetchall()
    schema = read_catalogue(connection).schema
    tables = {table.name: _read(connection, table) for table in schema}
    return SqlTables(schema, tables, connection.serialize("main"))


def _read(connection: apsw.Connection, schema: TableSchema) -> Table:
    rows = connection.execute(f"SELECT * FROM {quoted(schema.name)}").fetchall()
    cells = list(zip(*rows, strict=True)) or [()] * len(schema.columns)
    columns = {name: column_of(list(values)) for name, values in zip(schema.column_names, cells, strict=True)}
    return Table(schema, columns, len(rows))
