"""Finds and names the first cell of a column that cannot be kept: a BLOB, an infinite number, or broken text."""

import math
from dataclasses import dataclass

import apsw

from app.errors import CellInvalidError
from app.sources.sqlite_schema import quoted


@dataclass(frozen=True, slots=True)
class RowRange:
    """Rows of a table in storage order: all, or those whose row id lies between two bounds, both included.

    `rowid` is the name that reaches the row id; None where the table has none that can be reached.
    """

    table: str
    rowid: str | None = None
    bounds: tuple[int, int] | None = None

    @property
    def clause(self) -> str:
        """The FROM and WHERE of a SELECT over these rows; NOT INDEXED keeps them in storage order."""
        source = f"FROM {quoted(self.table)} NOT INDEXED"
        return source if self.bounds is None else f"{source} WHERE {self.rowid} BETWEEN ? AND ?"

    @property
    def bindings(self) -> tuple[int, ...]:
        """The values for the clause's placeholders."""
        return () if self.bounds is None else self.bounds


def refuse_bad_cell(connection: apsw.Connection, rows: RowRange, column: str) -> None:
    """Raise `CellInvalidError` for the first cell in `rows` that cannot be kept; return if there is none."""
    cell, row = quoted(column), rows.rowid or "NULL"
    text, size = f"CAST({cell} AS BLOB)", f"length({cell})"
    content = f"CASE typeof({cell}) WHEN 'blob' THEN {size} WHEN 'text' THEN {text} ELSE {cell} END"
    query = f"SELECT {row}, typeof({cell}), {content} {rows.clause}"
    for position, (rowid, kind, value) in enumerate(connection.execute(query, rows.bindings)):
        complaint = _complaint(kind, value)
        if complaint:
            raise _invalid(rows.table, column, rowid, position, complaint)


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
