"""Reads a whole table into columns, in storage order, some ten thousand rows at a time."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import apsw

from app.budget import check_deadline
from app.sources.cells import RowRange
from app.sources.chunk import Chunk, add_cells
from app.sources.column_reader import ColumnReader
from app.sources.sqlite_connection import texts_are_utf8
from app.sources.sqlite_schema import TableLayout, quoted
from app.tables.table import Table
from app.values import INT64_MAX, INT64_MIN

_ROWS_AT_ONCE = 65_536
_BYTES_AT_ONCE = 32 * 1024 * 1024


def rows_at_once(source_bytes: int, source_rows: int) -> int:
    """How many rows of average size to read at a time."""
    average = max(1, source_bytes // max(1, source_rows))
    return max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE // average))


def read_table(connection: apsw.Connection, layout: TableLayout, chunk_rows: int) -> Table:
    """All rows of a table by row id, or in the order of the primary key where there is no row id.

    Raises `CellInvalidError` for the first cell that is not a finite scalar.
    """
    is_utf8 = texts_are_utf8(connection)
    readers = [ColumnReader(column, texts_are_utf8=is_utf8) for column in layout.schema.columns]
    if layout.rowid is None:
        rows = _read_in_order(connection, layout.schema.name, readers, chunk_rows)
    else:
        rows = _read_by_rowid(connection, RowRange(layout.schema.name, layout.rowid), readers, chunk_rows)
    return Table(layout.schema, {reader.schema.name: reader.finish() for reader in readers}, rows)


def _read_in_order(connection: apsw.Connection, table: str, readers: Sequence[ColumnReader], chunk_rows: int) -> int:
    """Read cell by cell in one pass; a BLOB comes empty, since it is refused whatever it holds."""
    everything = RowRange(table)
    cells = ", ".join(f"CASE typeof({reader.name}) WHEN 'blob' THEN x'' ELSE {reader.name} END" for reader in readers)
    cursor = connection.execute(f"SELECT {cells} {everything.clause}")
    rows = 0
    while added := add_cells(connection, everything, readers, lambda: list(islice(cursor, chunk_rows))):
        rows += added
        check_deadline()
    return rows


def _read_by_rowid(
    connection: apsw.Connection, rows: RowRange, readers: Sequence[ColumnReader], chunk_rows: int
) -> int:
    read, low = 0, INT64_MIN
    while bounds := _next_bounds(connection, rows, low, chunk_rows):
        check_deadline()
        last, count = bounds
        chunk = Chunk(connection, RowRange(rows.table, rows.rowid, (low, last)), readers, count)
        try:
            chunk.read()
        except apsw.TooBigError:
            if count == 1:
                raise
            chunk_rows = max(1, count // 4)
            continue
        read += count
        if last == INT64_MAX:
            break
        low = last + 1
    return read


def _next_bounds(connection: apsw.Connection, rows: RowRange, low: int, limit: int) -> tuple[int, int] | None:
    """The last row id and the number of the next `limit` rows from row id `low` on, or None if there are none."""
    row_id, table = rows.rowid, quoted(rows.table)
    ids = f"SELECT {row_id} AS id FROM {table} NOT INDEXED WHERE {row_id} >= ? ORDER BY {row_id} LIMIT ?"  # noqa: S608
    last, count = _one_row(connection, f"SELECT max(id), count(*) FROM ({ids})", (low, limit))  # noqa: S608
    return (last, count) if count else None


def count_rows(connection: apsw.Connection, table: str) -> int:
    """The number of rows of a table."""
    return int(_one_row(connection, f"SELECT count(*) FROM {quoted(table)}")[0])  # noqa: S608


def _one_row(connection: apsw.Connection, query: str, bindings: tuple[int, ...] = ()) -> Any:
    return connection.execute(query, bindings).fetchall()[0]
