"""Numbers that SQLite would keep as something else than the dump says: they are found before anybody counts on them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from app.errors import CellInvalidError
from app.sources.dumps.catalogue import FinalTable
from app.sources.dumps.literals import Cell
from app.sources.dumps.model import DumpColumn, Storage
from app.sources.dumps.script import Script
from app.sources.foreign_keys import counted
from app.sources.relational_source import SourceWarning, WarningCode
from app.tables.column import Column, Kind
from app.tables.dictionary import IntArray
from app.tables.table import Table

_WHOLE = frozenset({Storage.INTEGER, Storage.BOOLEAN, Storage.BITS})
_NUMERIC = _WHOLE | {Storage.NUMERIC, Storage.REAL}
_WHOLE_LIMIT = 2**63
_MOST_DIGITS = 19
_REAL_DIGITS = 15
"""A REAL keeps any decimal number of so many digits."""

SHORT = _REAL_DIGITS + 1
"""Characters of a text that has no more digits than a REAL keeps, or is a whole number without a point."""

_NOT_WHOLE = "is no whole number of 64 bits"
TOO_LONG = "has more digits than SQLite keeps of a number"
_NOT_FINITE = "is no finite number"
_HINT = "Correct the value, or declare the column as text in the dump, for example varchar(40): its digits stay then."
_NUMBER = re.compile(r"[+-]?+(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?+\d{1,5})?", re.ASCII)
_LONG = ("bigint", "bigserial", "int8", "serial8")
_PRECISION = re.compile(r"\(\s*(\d{1,9})")


@dataclass(frozen=True, slots=True)
class OddNumber:
    """A cell, by column and row offset, that a numeric column cannot have held.

    `cell` is what SQLite made of it, and `what` says why it cannot stay.
    """

    column: DumpColumn
    row: int
    cell: object
    what: str


def may_round(column: DumpColumn) -> bool:
    """Whether the declared type holds decimal numbers with more digits than a REAL keeps."""
    if column.stored.storage is Storage.INTEGER:
        return column.declared.lower().startswith(_LONG)
    if column.stored.storage is not Storage.NUMERIC:
        return False
    precision = _PRECISION.search(column.declared)
    return precision is None or int(precision[1]) > _REAL_DIGITS


def are_short(cells: Sequence[Cell]) -> bool:
    """Whether no cell is long enough to be rounded."""
    return max(map(len, filter(None, cells)), default=0) <= SHORT


def is_rounded(cell: Cell) -> bool:
    """Whether SQLite would keep another number than the decimal one that the cell is.

    Above 64 bits, and with a fraction, it keeps a REAL, which says the number whose shortest text is the same.
    """
    number = _decimal(cell)
    if number is None or as_whole(cell) is not None:
        return False
    return Decimal(repr(float(number))) != number


def as_whole(cell: Cell) -> str | None:
    """A whole number of 64 bits by its digits alone, which SQLite keeps exactly; None for any other cell."""
    number = _decimal(cell)
    if number is None or not is_whole(cell) or number.adjusted() >= _MOST_DIGITS:
        return None
    return str(int(number)) if -_WHOLE_LIMIT <= int(number) < _WHOLE_LIMIT else None


def is_whole(cell: Cell) -> bool:
    """Whether the cell is a decimal number without a fraction."""
    number = _decimal(cell)
    if number is None:
        return False
    _, digits, exponent = number.as_tuple()
    return isinstance(exponent, int) and (exponent >= 0 or not any(digits[exponent:]))


def _decimal(cell: Cell) -> Decimal | None:
    if not isinstance(cell, str) or not _NUMBER.fullmatch(cell.strip()):
        return None
    return Decimal(cell.strip())


def complaint(column: DumpColumn, cell: Cell) -> str | None:
    """What keeps a cell out of a column of numbers; None if nothing does."""
    storage = column.stored.storage
    if cell is None or storage not in _NUMERIC:
        return None
    if storage in _WHOLE:
        return None if as_whole(cell) is not None else _NOT_WHOLE
    number = _decimal(cell)
    return None if number is not None and abs(float(number)) < float("inf") else _NOT_FINITE


def odd_cell(
    script: Script, at: int, table: str, column: DumpColumn, cell: object, what: str, row: int
) -> CellInvalidError:
    """The error for a number that cannot be kept, as the row at `at` has it."""
    shown = f"holds {str(cell)[:60]!r}, which {what}; the column is declared {column.declared}"
    return script.bad_cell(at, shown, hint=_HINT, table=table, column=column.name, row=row)


def rounded_numbers(table: str, column: str, rows: IntArray) -> SourceWarning:
    """The warning for fractions of one column that lost digits; `rows` are offsets, at least one."""
    message = f"Table {table}, column {column}: {counted(len(rows), 'fraction')} rounded to the digits of a REAL."
    where = {"table": table, "column": column, "cells": len(rows), "first_row": int(rows[0])}
    return SourceWarning(WarningCode.NUMBERS_ROUNDED, message, where)


def odd_number(final: FinalTable, table: Table) -> OddNumber | None:
    """The first text in a numeric column, or anything but a 64-bit integer in one of integers."""
    for column in final.columns:
        if column.stored.storage in _NUMERIC:
            found = _odd(column, table.columns[column.name])
            if found is not None:
                return found
    return None


def _odd(declared: DumpColumn, column: Column) -> OddNumber | None:
    whole = declared.stored.storage in _WHOLE
    if column.kind is Kind.INT64 or (column.kind is Kind.FLOAT64 and not whole) or column.null_count() == len(column):
        return None
    for row, cell in enumerate(column.to_list()):
        if isinstance(cell, str) or (whole and isinstance(cell, float)):
            return OddNumber(declared, row, cell, _NOT_WHOLE if whole else _NOT_FINITE)
    return None
