"""Rows of a table through SQLite, in the order of storage, and the name of a cell that cannot be kept."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Any

import apsw
import numpy as np

from app.budget import check_deadline
from app.errors import CellInvalidError
from app.sources.sqlite.reading.column_builder import ColumnBuilder
from app.sources.sqlite.schema import TableLayout, quoted
from app.tables.column import Column, Kind, column_of
from app.values import is_finite_scalar

_READING = Lock()
"""Held while rows are read: a connection serves one thread at a time, and as Python's lock is free at each row, two
threads would pass it to and fro.
"""


@dataclass(frozen=True, slots=True)
class RowRange:
    """Rows of a table in the order of storage: all, or those whose row id lies between two bounds, both included."""

    connection: apsw.Connection
    layout: TableLayout
    bounds: tuple[int, int] | None = None

    def select(self, expressions: Iterable[str]) -> apsw.Cursor:
        """A cursor over these rows."""
        where = "" if self.bounds is None else f"WHERE {self.layout.rowid} BETWEEN ? AND ?"
        return self.connection.execute(f"SELECT {', '.join(expressions)} {self.layout.rows(where)}", self.bounds or ())


def read_rows(rows: RowRange, builders: Sequence[ColumnBuilder], rows_at_once: int) -> int:
    """Append the columns that `builders` name, some rows at a time, and return how many rows there were.

    Raises `CellInvalidError` for the first cell that is not a finite scalar.
    """
    names = [quoted(builder.schema.name) for builder in builders]
    count = 0
    with _READING:
        # A BLOB comes empty, since it is refused whatever it holds.
        cursor = rows.select(f"CASE typeof({name}) WHEN 'blob' THEN x'' ELSE {name} END" for name in names)
        while fetched := _fetched(cursor, rows_at_once, rows, builders):
            check_deadline()
            count += len(fetched)
            for builder, cells in zip(builders, zip(*fetched, strict=True), strict=True):
                builder.add(_block(rows, builder.schema.name, cells))
    return count


def _fetched(
    cursor: apsw.Cursor, limit: int, rows: RowRange, builders: Sequence[ColumnBuilder]
) -> list[tuple[Any, ...]]:
    try:
        return list(islice(cursor, limit))
    except UnicodeDecodeError:
        for builder in builders:
            _refuse_bad_cell(rows, builder.schema.name)
        raise


def _block(rows: RowRange, column: str, cells: Sequence[Any]) -> Column:
    block = column_of(cells)
    if not _all_finite(block):
        _refuse_bad_cell(rows, column)
    return block


def _all_finite(block: Column) -> bool:
    if block.kind is Kind.MIXED:
        return all(map(is_finite_scalar, block.values))
    return block.kind is not Kind.FLOAT64 or bool(np.isfinite(block.values).all())


def _refuse_bad_cell(rows: RowRange, column: str) -> None:
    """Raise `CellInvalidError` for the first cell of a column that cannot be kept; return if there is none."""
    cell = quoted(column)
    text, size = f"CAST({cell} AS BLOB)", f"length({cell})"
    content = f"CASE typeof({cell}) WHEN 'blob' THEN {size} WHEN 'text' THEN {text} ELSE {cell} END"
    cells = rows.select([rows.layout.rowid or "NULL", f"typeof({cell})", content])
    for position, (rowid, kind, value) in enumerate(cells):
        complaint = _complaint(kind, value)
        if complaint:
            raise _invalid(rows.layout.schema.name, column, rowid, position, complaint)


def _complaint(kind: object, value: object) -> str | None:
    if kind == "blob":
        return f"a BLOB ({value} bytes)"
    if isinstance(value, float) and math.isinf(value):
        return "-Infinity" if value < 0 else "Infinity"
    if isinstance(value, bytes) and not _is_utf8(value):
        return "text that is not valid UTF-8"
    return None


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _invalid(table: str, column: str, rowid: object, position: int, complaint: str) -> CellInvalidError:
    named = f"row {position} (counted from 0)" if rowid is None else f"row id {rowid}"
    return CellInvalidError(
        f"Table {table}, column {column}, {named} holds {complaint}.",
        hint="Cells are finite numbers, text and NULL. Convert or empty the cell in the source and load it again; "
        "unsupported=skip reads BLOBs as NULL.",
        table=table,
        column=column,
        row=position if rowid is None else rowid,
    )
