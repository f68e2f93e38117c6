"""Casts of PostgreSQL behind a literal: taken if they change nothing, and refused if they would."""

import re

from app.sources.sql.definitions.model import SqlType
from app.sources.sql.definitions.types import POSTGRES_NAMES
from app.sources.sql.rows.batches import Cell
from app.sources.sql.values.bad_value import BadValueError

_CAST = re.compile(
    r"::(?:\w+\.|\"[^\"]*\"\.)?(?P<name>\"[^\"]*\"|\w+(?: varying| precision)?)(?:\((?P<numbers>[\d, ]+)\))?"
    r"(?P<zone> with time zone| without time zone)?(?P<array>(?:\[\d*\])*)",
    re.IGNORECASE,
)
_TEXTS = frozenset({"text", "varchar", "bpchar", "name", "citext"})


def check_cast(casts: str, cell: Cell, declared: SqlType) -> None:
    """Raise `BadValueError` if one of the casts could make another value of a cell of the declared type."""
    for cast in _CAST.finditer(casts):
        if not (cell is None or _keeps(cast, cell, declared)):
            raise BadValueError(0, f"is cast by {cast[0]}, which may change it", is_refusal=True)


def _keeps(cast: re.Match[str], cell: Cell, declared: SqlType) -> bool:
    name = cast["name"].strip('"').lower()
    name = POSTGRES_NAMES.get(name, name)
    if cast["array"]:
        return declared.name == "array" or declared.name in _TEXTS
    if (cast["zone"] or "").startswith(" with ") and cast["zone"].lower() == " with time zone":
        name += "tz"
    numbers = tuple(int(number) for number in (cast["numbers"] or "").split(",") if number.strip())
    if name in _TEXTS:
        fits = not numbers or len(str(cell)) <= numbers[0]
        return fits and declared.name != "array"
    if name == declared.name or name not in POSTGRES_NAMES.values():
        return numbers in ((), declared.numbers)
    return False
