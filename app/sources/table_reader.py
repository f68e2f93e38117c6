"""Reads a whole table into columns, in storage order: from its pages where it can, else through SQLite."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import apsw
import numpy as np

from app.sources.cells import RowRange
from app.sources.column_reader import ColumnReader, finish
from app.sources.lane import Lane, one_row
from app.sources.pages.page_file import CountedPages, PagesUnreadableError
from app.sources.pages.page_lane import PageLane
from app.sources.pages.table_tree import leaf_pages
from app.sources.parallel import run_together
from app.sources.sqlite_schema import TableLayout, quoted
from app.tables.table import Table
from app.values import INT64_MAX, INT64_MIN

_ROWS_AT_ONCE = 65_536
_BYTES_AT_ONCE = 32 * 1024 * 1024
_CHUNKS_A_LANE = 2
_LEAVES_A_LANE = 256


def rows_at_once(source_bytes: int, source_rows: int) -> int:
    """How many rows of average size to read at a time."""
    average = max(1, source_bytes // max(1, source_rows))
    return max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE // average))


def read_table(
    connections: Sequence[apsw.Connection], layout: TableLayout, chunk_rows: int, pages: CountedPages | None = None
) -> Table:
    """All rows of a table by row id, or in the order of the primary key where there is no row id.

    `connections` lead to the same database, and `pages` are its own; a large table is read in as many lanes, side by
    side. Raises `CellInvalidError` for the first cell that is not a finite scalar.
    """
    if pages is not None and layout.rowid is not None:
        try:
            return _read(connections, layout, chunk_rows, _page_lanes(connections, layout, pages))
        except PagesUnreadableError:
            pass
    return _read(connections, layout, chunk_rows, _sql_lanes(connections, layout, chunk_rows))


def _read(
    connections: Sequence[apsw.Connection], layout: TableLayout, chunk_rows: int, lanes: Sequence[Lane | PageLane]
) -> Table:
    rows = sum(run_together([partial(lane.read, chunk_rows) for lane in lanes], len(lanes)))
    columns = zip(*(lane.readers for lane in lanes), strict=True)
    finished = run_together([partial(finish, readers) for readers in columns], len(connections))
    return Table(layout.schema, dict(zip(layout.schema.column_names, finished, strict=True)), rows)


def _page_lanes(connections: Sequence[apsw.Connection], layout: TableLayout, pages: CountedPages) -> list[PageLane]:
    """Lanes of about as many leaf pages; one for a table of few."""
    name = layout.schema.name
    root = one_row(connections[0], "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))[0]
    leaves = leaf_pages(pages.file, int(root))
    lanes = len(connections) if len(leaves) >= _LEAVES_A_LANE * len(connections) else 1
    return [
        PageLane(Lane(connection, RowRange(name, layout.rowid), _readers(layout)), pages, numbers, layout.alias)
        for connection, numbers in zip(connections, np.array_split(leaves, lanes), strict=False)
    ]


def _sql_lanes(connections: Sequence[apsw.Connection], layout: TableLayout, chunk_rows: int) -> list[Lane]:
    name, rowid = layout.schema.name, layout.rowid
    if rowid is None:
        return [Lane(connections[0], RowRange(name), _readers(layout))]
    ranges = _lane_ranges(connections[0], RowRange(name, rowid), len(connections), chunk_rows)
    pairs = zip(connections, ranges, strict=False)
    return [Lane(connection, rows, _readers(layout)) for connection, rows in pairs]


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
    return int(one_row(connection, ids, (place,))[0])


def count_rows(connection: apsw.Connection, table: str) -> int:
    """The number of rows of a table."""
    return int(one_row(connection, f"SELECT count(*) FROM {quoted(table)}")[0])  # noqa: S608
