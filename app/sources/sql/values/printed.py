"""Types whose texts have one printed form each: what is not written so already is refused, since only their database
knows how it would print it.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from ipaddress import IPv6Address
from itertools import pairwise
from typing import Any

import numpy as np

from app.sources.sql.definitions.model import SqlType
from app.sources.sql.lexing.patterns import compile_pattern
from app.sources.sql.rows.batches import Cell
from app.sources.sql.values.bad_value import BadValueError
from app.sources.sql.values.dates import INTERVAL

_FLAGS = int(re.ASCII)
_SINGLE_DIGITS, _DOUBLE_DIGITS = 6, 15
_MOST_PLACES = 16384
_MOST_FRACTION = 6
_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?(?:e[+-]\d\d+)?"
_PAIR = rf"\({_NUMBER},{_NUMBER}\)"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_V4 = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_LEXEME = r"'((?:[^'\\]|''|\\\\)+)'(?::(\d+[ABC]?(?:,\d+[ABC]?)*))?"
_OPERAND = r"!*'(?:[^'\\]|''|\\\\)+'(?::\*)?"
_HSTORE = r'"((?:[^"\\]|\\.)*)"=>(?:"(?:[^"\\]|\\.)*"|NULL)'

PRINTED: dict[str, str] = {
    "money": r"-?\$\d{1,3}(?:,\d{3})*\.\d\d",
    "cidr": rf"{_V4}/(?:[12]?\d|3[0-2])|[0-9a-f:]+/\d+",
    "macaddr": r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}",
    "macaddr8": r"[0-9a-f]{2}(?::[0-9a-f]{2}){7}",
    "varbit": r"[01]*",
    "jsonpath": r'(?:strict )?\$(?:\."[^"\\]+"|\[\*\])*',
    **dict.fromkeys(("txid_snapshot", "pg_snapshot"), r"[1-9]\d*:[1-9]\d*:(?:[1-9]\d*(?:,[1-9]\d*)*)?"),
    "pg_lsn": r"(?:0|[1-9A-F][0-9A-F]*)/(?:0|[1-9A-F][0-9A-F]*)",
    "point": _PAIR,
    "lseg": rf"\[{_PAIR},{_PAIR}\]",
    "path": rf"[\[(]{_PAIR}(?:,{_PAIR})*[\])]",
    "polygon": rf"\({_PAIR}(?:,{_PAIR})*\)",
    "line": rf"\{{{_NUMBER},{_NUMBER},{_NUMBER}\}}",
    "circle": rf"<{_PAIR},{_NUMBER}>",
    "ltree": r"(?:[\w-]+(?:\.[\w-]+)*)?",
    "geometry": r"[0-9A-F]+",
    "geography": r"[0-9A-F]+",
    "vector": rf"\[(?:{_NUMBER}(?:,{_NUMBER})*)?\]",
    "tsquery": rf"(?:{_OPERAND}(?: (?:&|\||<->) {_OPERAND})*)?",
}
"""How the values of a type of PostgreSQL are printed."""

SHAPES = frozenset({"point", "lseg", "path", "polygon", "line", "circle"})
"""Those whose numbers have a printed form of their own."""

UNREAD = frozenset({"range", "base", "interval of some fields"})
"""Types whose printed form is not known here; their columns may hold NULL only."""


def printed_forms(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """The cells, of which each has the printed form of its type."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    pattern = compile_pattern(PRINTED[declared.name], _FLAGS)
    if any("\n" in text for text in texts) or not all(map(pattern.fullmatch, texts)):
        _refuse_first(cells, declared, lambda text: pattern.fullmatch(text) is not None)
    return list(cells)


def shapes(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Points and what is drawn with them, whose numbers are printed as those of double precision."""
    printed_forms(declared, cells)
    _refuse_first(cells, declared, lambda text: all(map(is_printed_real, re.findall(_NUMBER, text))))
    return list(cells)


def is_printed_real(text: str, *, is_single: bool = False) -> bool:
    """Whether PostgreSQL prints a real so: its shortest digits, with an exponent where its type has fewer."""
    if not re.fullmatch(_NUMBER, text, _FLAGS):
        return False
    with np.errstate(over="ignore"):
        number = Decimal(str(np.float32(text) if is_single else float(text))).normalize()
    if not number or -4 <= number.adjusted() < (_SINGLE_DIGITS if is_single else _DOUBLE_DIGITS):
        return text.removeprefix("-") == format(abs(number), "f")
    if not number.is_finite():
        return False
    sign, digits, _ = number.as_tuple()
    first, *others = map(str, digits)
    point = "." if others else ""
    return text == f"{'-' * sign}{first}{point}{''.join(others)}e{number.adjusted():+03d}"


def lexemes(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Texts to be searched, of which each lexeme stands once, in order, with its places in order."""
    _refuse_first(cells, declared, _are_printed_lexemes)
    return list(cells)


def _are_printed_lexemes(text: str) -> bool:
    if not compile_pattern(rf"(?:{_LEXEME}(?: {_LEXEME})*)?", _FLAGS).fullmatch(text):
        return False
    found = compile_pattern(_LEXEME, _FLAGS).findall(text)
    words = [word.replace("''", "'").replace("\\\\", "\\").encode() for word, _ in found]
    places = [[int(place.rstrip("ABC")) for place in listed.split(",")] for _, listed in found if listed]
    return _ascend(words) and all(_ascend(each) and each[0] > 0 and each[-1] < _MOST_PLACES for each in places)


def pairs(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Keys and values of hstore, short keys first."""
    _refuse_first(cells, declared, _are_printed_pairs)
    return list(cells)


def _are_printed_pairs(text: str) -> bool:
    if not re.fullmatch(rf"(?:{_HSTORE}(?:, {_HSTORE})*)?", text):
        return False
    keys = [re.sub(r"\\(.)", r"\1", key).encode() for key in re.findall(_HSTORE, text)]
    return _ascend([(len(key), key) for key in keys])


def _ascend(values: Sequence[Any]) -> bool:
    return all(before < after for before, after in pairwise(values))


def boxes(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Boxes of PostgreSQL, of which the upper right corner is printed first."""
    _refuse_first(cells, declared, _is_printed_box)
    return list(cells)


def _is_printed_box(text: str) -> bool:
    if not compile_pattern(rf"{_PAIR},{_PAIR}", _FLAGS).fullmatch(text):
        return False
    numbers = re.findall(_NUMBER, text)
    right, upper, left, lower = map(float, numbers)
    return left <= right and lower <= upper and all(map(is_printed_real, numbers))


def unread_values(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Cells of a type whose printed form is not known."""
    _refuse_first(cells, declared, lambda _: False)
    return list(cells)


def intervals(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Intervals of PostgreSQL, whose seconds have no more digits than declared."""
    pattern = compile_pattern(rf"(?=.){INTERVAL}", _FLAGS)
    digits = declared.numbers[0] if declared.numbers else _MOST_FRACTION
    _refuse_first(cells, declared, lambda text: bool(pattern.fullmatch(text)) and len(text.partition(".")[2]) <= digits)
    return list(cells)


def bit_strings(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Bits of PostgreSQL, as many as are declared."""
    width = declared.numbers[0] if declared.numbers else 1
    _refuse_first(cells, declared, lambda text: len(text) == width and not text.strip("01"))
    return list(cells)


def addresses(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Addresses of PostgreSQL's inet, and MariaDB's inet4 and inet6."""
    _refuse_first(cells, declared, lambda text: _is_printed_address(text, declared.name))
    return list(cells)


def _is_printed_address(text: str, name: str) -> bool:
    address, slash, bits = text.partition("/")
    if slash and (not bits.isdecimal() or str(int(bits)) != bits or name != "inet"):
        return False
    if name != "inet6" and compile_pattern(_V4, _FLAGS).fullmatch(address):
        return bits != "32"
    if name == "inet4":
        return False
    mapped = address.removeprefix("::ffff:")
    if mapped != address and compile_pattern(_V4, _FLAGS).fullmatch(mapped):
        return bits != "128"
    try:
        return str(IPv6Address(address)) == address and "." not in address and bits != "128"
    except ValueError:
        return False


def json_texts(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Binary JSON, whose keys and blanks its database puts in order; the rest of JSON stays as it is written.

    MySQL does so for its type json, which for MariaDB is another name of text: only what both print alike is read.
    """
    _refuse_first(cells, declared, _is_printed_json)
    return list(cells)


def _is_printed_json(text: str) -> bool:
    try:
        return _json_text(json.loads(text, object_pairs_hook=_Pairs, parse_int=_Raw, parse_float=_Raw)) == text
    except (ValueError, RecursionError):
        return False


class _Raw(str):
    """A number as it is written."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """An object with its keys in the order in which they are written."""


def _json_text(value: Any) -> str:
    if isinstance(value, _Raw):
        return str(value) if "e" not in value.lower() else ""
    if isinstance(value, _Pairs):
        keys = [key.encode() for key, _ in value]
        if keys != sorted(set(keys), key=lambda key: (len(key), key)):
            return ""
        return "{" + ", ".join(f"{_json_text(key)}: {_json_text(item)}" for key, item in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _refuse_first(cells: Sequence[Cell], declared: SqlType, is_printed: Callable[[str], bool]) -> None:
    for place, text in _texts(cells):
        if not is_printed(text):
            raise _otherwise(place, text, declared)


def _texts(cells: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    return ((place, cell) for place, cell in enumerate(cells) if isinstance(cell, str))


def _otherwise(place: int, text: str, declared: SqlType) -> BadValueError:
    complaint = f"holds {text[:40]!r}, which its database may print otherwise as {declared.name}"
    return BadValueError(place, complaint, is_refusal=True)
