"""Reads a whole table into columns, in the order of storage: from its pages where it can, else through SQLite."""

from collections.abc import Sequence
from functools import partial

import apsw
import numpy as np

from app.sources.sqlite.pages.page_file import PagesUnreadableError
from app.sources.sqlite.pages.table_tree import leaf_pages
from app.sources.sqlite.reading.column_builder import ColumnBuilder, finished
from app.sources.sqlite.reading.leaf_rows import CountedPages, LeafRows
from app.sources.sqlite.reading.rows import RowRange, read_rows
from app.sources.sqlite.schema import TableLayout, quoted
from app.sources.sqlite.threads import run_together, thread_count
from app.tables.table import Table

_ROWS_AT_ONCE = 65_536
_BYTES_AT_ONCE = 32 * 1024 * 1024
_LEAVES_WORTH_A_THREAD = 256
_ROWS_WORTH_A_THREAD = 16_384


def rows_at_once(source_bytes: int, source_rows: int) -> int:
    """How many rows of average size to fetch at a time."""
    average = max(1, source_bytes // max(1, source_rows))
    return max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE // average))


def read_table(
    connection: apsw.Connection, layout: TableLayout, at_once: int, pages: CountedPages | None = None
) -> Table:
    """All rows of a table by row id, or in the order of the primary key if there is no row id.

    `pages` are those of the connection's database; several threads share the pages of a large table. Raises
    `CellInvalidError` for the first cell that is not a finite scalar.
    """
    rows = RowRange(connection, layout)
    if pages is not None and layout.rowid is not None:
        try:
            return _from_pages(rows, at_once, pages)
        except PagesUnreadableError:
            pass
    builders = _builders(layout)
    return _table(layout, read_rows(rows, builders, at_once), [builders])


def _from_pages(rows: RowRange, at_once: int, pages: CountedPages) -> Table:
    query = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?"
    leaves = leaf_pages(pages.file, _single_integer(rows.connection, query, rows.layout.schema.name))
    threads = min(thread_count(), max(1, len(leaves) // _LEAVES_WORTH_A_THREAD))
    shares = [LeafRows(rows, pages, share, _builders(rows.layout)) for share in np.array_split(leaves, threads)]
    count = sum(run_together([partial(share.read, at_once) for share in shares]))
    return _table(rows.layout, count, [share.builders for share in shares])


def _builders(layout: TableLayout) -> list[ColumnBuilder]:
    return [ColumnBuilder(column) for column in layout.schema.columns]


def _table(layout: TableLayout, rows: int, shares: Sequence[Sequence[ColumnBuilder]]) -> Table:
    """The table whose rows stand in several shares of builders, one after the other."""
    tasks = [partial(finished, builders) for builders in zip(*shares, strict=True)]
    columns = run_together(tasks) if rows >= _ROWS_WORTH_A_THREAD else [task() for task in tasks]
    return Table(layout.schema, dict(zip(layout.schema.column_names, columns, strict=True)), rows)


def count_rows(connection: apsw.Connection, table: str) -> int:
    """The number of rows of a table."""
    return _single_integer(connection, f"SELECT count(*) FROM {quoted(table)}")  # noqa: S608


def _single_integer(connection: apsw.Connection, query: str, *bindings: str) -> int:
    value = connection.execute(query, bindings).fetchall()[0][0]
    return int(str(value))
