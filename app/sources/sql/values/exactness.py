"""Numbers that SQLite would keep as something else than the dump says: they are found before anybody counts on them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from app.errors import CellInvalidError
from app.sources.foreign_keys import counted
from app.sources.relational_source import SourceWarning, WarningCode
from app.sources.sql.definitions.model import SqlColumn, SqlType, Storage
from app.sources.sql.lexing.script import Script
from app.sources.sql.rows.batches import Cell
from app.tables.column import Column, Kind
from app.tables.dictionary import IntArray
from app.tables.table import Table

_WHOLE_LIMIT = 2**63
_MOST_DIGITS = 19
_REAL_DIGITS = 15
"""A REAL keeps any decimal number of 15 digits."""

SHORT = _REAL_DIGITS + 1
"""Characters of a text that has no more digits than a REAL keeps, or is a whole number without a point."""

_NOT_WHOLE = "is not a whole number of 64 bits"
TOO_LONG = "has more digits than SQLite keeps of a number"
NOT_FINITE = "is not a finite number"
NUMBER_HINT = (
    "Correct the value, or declare the column as text in the dump, for example varchar(40): its digits stay then."
)
_NUMBER = re.compile(r"[+-]?+(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?+\d{1,5})?", re.ASCII)
_BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "integer": 32, "oid": 32}


@dataclass(frozen=True, slots=True)
class OddNumber:
    """A cell, by column and row offset, that a numeric column cannot have held.

    `cell` is what SQLite made of it, and `what` says why it cannot stay.
    """

    column: SqlColumn
    row: int
    cell: object
    what: str


def may_round(declared: SqlType) -> bool:
    """Whether the declared type holds decimal numbers with more digits than a REAL keeps."""
    if declared.storage is Storage.INTEGER:
        return declared.name == "bigint"
    if declared.storage is not Storage.NUMERIC:
        return False
    return not declared.numbers or declared.numbers[0] > _REAL_DIGITS


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


def complaint(declared: SqlType, cell: Cell) -> str | None:
    """What keeps a cell out of a column of numbers; None if nothing does."""
    storage = declared.storage
    if cell is None or not storage.is_numeric:
        return None
    if storage.is_whole:
        return None if as_whole(cell) is not None else _NOT_WHOLE
    number = _decimal(cell)
    return None if number is not None and abs(float(number)) < float("inf") else NOT_FINITE


def odd_cell(
    script: Script, at: int, table: str, column: SqlColumn, cell: object, what: str, row: int
) -> CellInvalidError:
    """The error for a number that cannot be kept, as the row at `at` has it."""
    shown = f"holds {str(cell)[:60]!r}, which {what}; the column is declared {column.declared}"
    return script.bad_cell(at, shown, hint=NUMBER_HINT, table=table, column=column.name, row=row)


def rounded_numbers(table: str, column: str, rows: IntArray) -> SourceWarning:
    """The warning for fractions of one column that lost digits; `rows` are offsets, at least one."""
    message = f"Table {table}, column {column}: {counted(len(rows), 'fraction')} rounded to the digits of a REAL."
    where = {"table": table, "column": column, "cells": len(rows), "first_row": int(rows[0])}
    return SourceWarning(WarningCode.NUMBERS_ROUNDED, message, where)


def odd_number(columns: Sequence[SqlColumn], table: Table) -> OddNumber | None:
    """The first text in a numeric column, or anything that a column of whole numbers does not hold."""
    numeric = (column for column in columns if column.type.storage.is_numeric)
    found = (_odd(column, table.columns[column.name]) for column in numeric)
    return next((each for each in found if each is not None), None)


def _odd(declared: SqlColumn, column: Column) -> OddNumber | None:
    whole = declared.type.storage.is_whole
    if column.kind is Kind.INT64:
        return _out_of_range(declared, column)
    if (column.kind is Kind.FLOAT64 and not whole) or column.null_count() == len(column):
        return None
    for row, cell in enumerate(column.to_list()):
        if isinstance(cell, str) or (whole and isinstance(cell, float)):
            return OddNumber(declared, row, cell, _NOT_WHOLE if whole else NOT_FINITE)
    return None


def _out_of_range(declared: SqlColumn, column: Column) -> OddNumber | None:
    """The first number that its declared type has no room for."""
    bits = _BITS.get(declared.type.name)
    if bits is None or not len(column):
        return None
    unsigned = declared.type.is_unsigned or declared.type.name == "oid"
    least, greatest = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    beyond = (column.values < least) | (column.values > greatest)
    if not beyond.any():
        return None
    row = int(beyond.argmax())
    return OddNumber(declared, row, int(column.values[row]), f"is outside {least} to {greatest}")
