"""Numbers of a declared precision: rounded to their scale as the database does it, or refused if they do not fit."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

import numpy as np

from app.sources.sql.definitions.model import SqlType
from app.sources.sql.lexing.patterns import compile_pattern
from app.sources.sql.rows.batches import Cell
from app.sources.sql.values.bad_value import BadValueError

_FLAGS = int(re.ASCII)
_MYSQL_DEFAULT = (10, 0)
_MYSQL_FLOAT_DIGITS = 6
_FLOAT_DIGITS = 6
"""A real of 4 bytes keeps any decimal number of 6 digits."""

_BITS = 64


def scaled_decimals(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Decimals with no more digits after the point than declared, half away from zero, and no more in all."""
    numbers = declared.numbers or (_MYSQL_DEFAULT if declared.name == "decimal" else ())
    if not numbers:
        return list(cells)
    precision, scale = numbers[0], numbers[1] if len(numbers) > 1 else 0
    sign = r"\+?+" if declared.is_unsigned else "[+-]?+"
    whole = max(0, precision - scale)
    one = rf"{sign}0*+\d{{0,{whole}}}+(?:\.\d{{0,{scale}}}+0*+)?+"
    if compile_pattern(rf"(?:{one}\n)*+", _FLAGS).fullmatch(
        "\n".join([*(cell for cell in cells if isinstance(cell, str)), ""])
    ):
        return list(cells)
    fits = compile_pattern(one, _FLAGS)
    return [
        cell
        if not isinstance(cell, str) or fits.fullmatch(cell)
        else _scaled(place, cell, declared, (precision, scale))
        for place, cell in enumerate(cells)
    ]


def printed_decimal(declared: SqlType) -> re.Pattern[str]:
    """How a decimal of PostgreSQL with a declared scale is printed within other values."""
    digits = declared.numbers[1] if len(declared.numbers) > 1 else 0
    fraction = rf"\.\d{{{digits}}}" if digits > 0 else ""
    return re.compile(rf"-?(?:0|[1-9]\d*){fraction}", re.ASCII)


def _scaled(place: int, written: str, declared: SqlType, limits: tuple[int, int]) -> str:
    precision, scale = limits
    try:
        number = Decimal(written.strip())
        rounded = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    except (InvalidOperation, ValueError):
        return written  # what is not a decimal number, or too large for one, is named once it is loaded
    if declared.is_unsigned and rounded < 0:
        raise BadValueError(place, f"holds {written[:40]!r}, which is below 0")
    if number.is_finite() and rounded.adjusted() >= precision - scale and rounded:
        raise BadValueError(place, f"holds {written[:40]!r}, which has more digits than ({precision},{scale})")
    return format(rounded, "f")


def single_reals(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Reals of 4 bytes: the number that is printed for what 4 bytes keep; MySQL prints 6 digits of it."""
    if len(declared.numbers) > 1:
        return rounded_reals(declared, cells)
    return [
        cell if not isinstance(cell, str) or len(cell) <= _FLOAT_DIGITS else _single(declared, place, cell)
        for place, cell in enumerate(cells)
    ]


def _single(declared: SqlType, place: int, written: str) -> str:
    try:
        number = Decimal(written.strip())
    except InvalidOperation:
        return written
    if not number.is_finite() or len(number.normalize().as_tuple().digits) <= _FLOAT_DIGITS:
        return written
    if declared.name == "float":
        reason = f"holds {written[:40]}, of which a float of its database prints {_MYSQL_FLOAT_DIGITS} digits"
        raise BadValueError(place, reason, is_refusal=True)
    with np.errstate(over="ignore"):
        return str(np.float32(written))


def rounded_reals(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Reals of MySQL with a declared number of digits after the point, which its server rounds to."""
    if len(declared.numbers) < 2:
        return list(cells)
    fits = re.compile(rf"[+-]?\d+(?:\.\d{{0,{declared.numbers[1]}}}0*)?", re.ASCII)
    for place, cell in enumerate(cells):
        if isinstance(cell, str) and not fits.fullmatch(cell):
            raise BadValueError(place, f"holds {cell[:40]}, which is rounded in {declared.name}{declared.numbers}")
    return list(cells)


def bits(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Bits of MySQL, as the number they are, with no more of them than declared."""
    width = declared.numbers[0] if declared.numbers else 1
    for place, cell in enumerate(cells):
        if isinstance(cell, str) and cell.isdecimal() and int(cell).bit_length() > min(width, _BITS):
            raise BadValueError(place, f"holds {cell[:40]}, which has more than {width} bits")
    return list(cells)
