"""Reads a whole table into columns, in storage order, some ten thousand rows at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import apsw

from app.budget import check_deadline
from app.sources.cells import RowRange
from app.sources.chunk import Chunk, add_cells
from app.sources.column_reader import ColumnReader, finish
from app.sources.parallel import run_together
from app.sources.sqlite_schema import TableLayout, quoted
from app.tables.table import Table
from app.values import INT64_MAX, INT64_MIN

_ROWS_AT_ONCE = 65_536
_BYTES_AT_ONCE = 32 * 1024 * 1024
_CHUNKS_A_LANE = 2


def rows_at_once(source_bytes: int, source_rows: int) -> int:
    """How many rows of average size to read at a time."""
    average = max(1, source_bytes // max(1, source_rows))
    return max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE // average))


def read_table(connections: Sequence[apsw.Connection], layout: TableLayout, chunk_rows: int) -> Table:
    """All rows of a table by row id, or in the order of the primary key where there is no row id.

    `connections` lead to the same database; a large table is read in as many lanes, side by side.
    Raises `CellInvalidError` for the first cell that is not a finite scalar.
    """
    name, rowid = layout.schema.name, layout.rowid
    if rowid is None:
        lanes = [_Lane(connections[0], RowRange(name), _readers(layout))]
    else:
        ranges = _lane_ranges(connections[0], RowRange(name, rowid), len(connections), chunk_rows)
        pairs = zip(connections, ranges, strict=False)
        lanes = [_Lane(connection, rows, _readers(layout)) for connection, rows in pairs]
    rows = sum(run_together([partial(lane.read, chunk_rows) for lane in lanes], len(lanes)))
    columns = zip(*(lane.readers for lane in lanes), strict=True)
    finished = run_together([partial(finish, readers) for readers in columns], len(connections))
    return Table(layout.schema, dict(zip(layout.schema.column_names, finished, strict=True)), rows)


def _readers(layout: TableLayout) -> list[ColumnReader]:
    return [ColumnReader(column) for column in layout.schema.columns]


def _lane_ranges(connection: apsw.Connection, table: RowRange, lanes: int, chunk_rows: int) -> list[RowRange]:
    """All row ids in consecutive ranges of about as many rows; one range for a table of few chunks."""
    rows = count_rows(connection, table.table)
    starts = [INT64_MIN]
    if rows >= _CHUNKS_A_LANE * lanes * chunk_rows:
        starts += [_rowid_at(connection, table, rows * lane // lanes) for lane in range(1, lanes)]
    ends = [start - 1 for start in starts[1:]] + [INT64_MAX]
    return [replace(table, bounds=bounds) for bounds in zip(starts, ends, strict=True)]


def _rowid_at(connection: apsw.Connection, table: RowRange, place: int) -> int:
    ids = f"SELECT {table.rowid} {table.clause} ORDER BY {table.rowid} LIMIT 1 OFFSET ?"
    return int(_one_row(connection, ids, (place,))[0])


@dataclass(frozen=True, slots=True)
class _Lane:
    """A connection, and the consecutive rows of a table that it reads."""

    connection: apsw.Connection
    rows: RowRange
    readers: Sequence[ColumnReader]

    def read(self, chunk_rows: int) -> int:
        """Read all rows of the lane and return how many there were."""
        if self.rows.bounds is None:
            return self._read_in_order(chunk_rows)
        return self._read_by_rowid(*self.rows.bounds, chunk_rows)

    def _read_in_order(self, chunk_rows: int) -> int:
        """Read cell by cell in one pass; a BLOB comes empty, since it is refused whatever it holds."""
        cells = (f"CASE typeof({name}) WHEN 'blob' THEN x'' ELSE {name} END" for name in self._names())
        cursor = self.connection.execute(f"SELECT {', '.join(cells)} {self.rows.clause}")
        rows = 0
        while added := add_cells(self.connection, self.rows, self.readers, lambda: list(islice(cursor, chunk_rows))):
            rows += added
            check_deadline()
        return rows

    def _names(self) -> list[str]:
        return [reader.name for reader in self.readers]

    def _read_by_rowid(self, low: int, high: int, chunk_rows: int) -> int:
        read = 0
        while chunk := self._next_chunk(low, high, chunk_rows):
            check_deadline()
            try:
                chunk.read()
            except apsw.TooBigError:
                if chunk.count == 1:
                    raise
                chunk_rows = max(1, chunk.count // 4)
                continue
            read += chunk.count
            if chunk.last == high:
                break
            low = chunk.last + 1
        return read

    def _next_chunk(self, low: int, high: int, limit: int) -> Chunk | None:
        """The next `limit` rows from row id `low` to `high`, or None if there are none."""
        row_id, table = self.rows.rowid, quoted(self.rows.table)
        ids = f"SELECT {row_id} AS id FROM {table} NOT INDEXED WHERE {row_id} BETWEEN ? AND ? ORDER BY 1 LIMIT ?"  # noqa: S608
        last, count = _one_row(self.connection, f"SELECT max(id), count(*) FROM ({ids})", (low, high, limit))  # noqa: S608
        return Chunk(self.connection, replace(self.rows, bounds=(low, last)), self.readers, count) if count else None


def count_rows(connection: apsw.Connection, table: str) -> int:
    """The number of rows of a table."""
    return int(_one_row(connection, f"SELECT count(*) FROM {quoted(table)}")[0])  # noqa: S608


def _one_row(connection: apsw.Connection, query: str, bindings: tuple[int, ...] = ()) -> Any:
    return connection.execute(query, bindings).fetchall()[0]
