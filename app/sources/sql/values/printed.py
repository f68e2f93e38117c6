"""Types whose texts have one printed form each: what is not written so already is refused, since only their database
knows how it would print it.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from ipaddress import IPv6Address
from typing import Any

from app.sources.patterns import compile_pattern
from app.sources.sql.definitions.model import SqlType
from app.sources.sql.rows.batches import Cell
from app.sources.sql.values.bad_value import BadValueError
from app.sources.sql.values.dates import INTERVAL

_FLAGS = int(re.ASCII)
_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?(?:e[+-]\d\d+)?"
_PAIR = rf"\({_NUMBER},{_NUMBER}\)"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_V4 = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_BOUND = r"(?:\"[^\"\\]*\"|[^\s,\"\\()\[\]]*)"
_DISCRETE = rf"(?:\[{_BOUND},{_BOUND}\)|\({_BOUND},{_BOUND}\)|empty)"
_CONTINUOUS = rf"(?:[\[(]{_BOUND},{_BOUND}[\])]|empty)"
_LEXEME = r"'(?:[^'\\]|''|\\\\)+'(?::\d+[ABC]?(?:,\d+[ABC]?)*)?"
_HSTORE = r'"(?:[^"\\]|\\.)*"=>(?:"(?:[^"\\]|\\.)*"|NULL)'

PRINTED: dict[str, str] = {
    "interval": rf"(?=.){INTERVAL}",
    "money": r"-?\$\d{1,3}(?:,\d{3})*\.\d\d",
    "cidr": rf"{_V4}/(?:[12]?\d|3[0-2])|[0-9a-f:]+/\d+",
    "macaddr": r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}",
    "macaddr8": r"[0-9a-f]{2}(?::[0-9a-f]{2}){7}",
    "varbit": r"[01]*",
    "pg_lsn": r"(?:0|[1-9A-F][0-9A-F]*)/(?:0|[1-9A-F][0-9A-F]*)",
    "point": _PAIR,
    "lseg": rf"\[{_PAIR},{_PAIR}\]",
    "box": rf"{_PAIR},{_PAIR}",
    "path": rf"[\[(]{_PAIR}(?:,{_PAIR})*[\])]",
    "polygon": rf"\({_PAIR}(?:,{_PAIR})*\)",
    "line": rf"\{{{_NUMBER},{_NUMBER},{_NUMBER}\}}",
    "circle": rf"<{_PAIR},{_NUMBER}>",
    "hstore": rf"(?:{_HSTORE}(?:, {_HSTORE})*)?",
    "ltree": r"(?:[\w-]+(?:\.[\w-]+)*)?",
    "geometry": r"[0-9A-F]+",
    "geography": r"[0-9A-F]+",
    "vector": rf"\[(?:{_NUMBER}(?:,{_NUMBER})*)?\]",
    "int4range": _DISCRETE,
    "int8range": _DISCRETE,
    "daterange": _DISCRETE,
    "numrange": _CONTINUOUS,
    "tsrange": _CONTINUOUS,
    "tstzrange": _CONTINUOUS,
    "int4multirange": rf"\{{(?:{_DISCRETE}(?:,{_DISCRETE})*)?\}}",
    "int8multirange": rf"\{{(?:{_DISCRETE}(?:,{_DISCRETE})*)?\}}",
    "datemultirange": rf"\{{(?:{_DISCRETE}(?:,{_DISCRETE})*)?\}}",
    "nummultirange": rf"\{{(?:{_CONTINUOUS}(?:,{_CONTINUOUS})*)?\}}",
    "tsmultirange": rf"\{{(?:{_CONTINUOUS}(?:,{_CONTINUOUS})*)?\}}",
    "tstzmultirange": rf"\{{(?:{_CONTINUOUS}(?:,{_CONTINUOUS})*)?\}}",
    "tsvector": rf"(?:{_LEXEME}(?: {_LEXEME})*)?",
    "inet4": _V4,
}
"""How the values of a type are printed."""

UNREAD = frozenset({"range", "composite", "base", "tsquery", "interval of some fields"})
"""Types whose printed form is not known here; their columns may hold NULL only."""

_UNQUOTED = re.compile(r"[^\s{},\"\\]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_NEEDS_QUOTES = re.compile(r'[\s{},"\\]|\A\Z|\A(?i:null)\Z')


def printed_forms(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """The cells, of which each has the printed form of its type."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    pattern = compile_pattern(PRINTED[declared.name], _FLAGS)
    if any("\n" in text for text in texts) or not all(map(pattern.fullmatch, texts)):
        _refuse_first(cells, declared, lambda text: pattern.fullmatch(text) is not None)
    return list(cells)


def unread_values(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Cells of a type whose printed form is not known."""
    _refuse_first(cells, declared, lambda _: False)
    return list(cells)


def bit_strings(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Bits of PostgreSQL, as many as are declared."""
    width = declared.numbers[0] if declared.numbers else 1
    _refuse_first(cells, declared, lambda text: len(text) == width and not text.strip("01"))
    return list(cells)


def addresses(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Addresses of PostgreSQL's inet and MariaDB's inet6."""
    _refuse_first(cells, declared, lambda text: _is_printed_address(text, declared.name))
    return list(cells)


def _is_printed_address(text: str, name: str) -> bool:
    address, slash, bits = text.partition("/")
    if slash and (not bits.isdecimal() or str(int(bits)) != bits or name == "inet6"):
        return False
    if name == "inet" and compile_pattern(_V4, _FLAGS).fullmatch(address):
        return bits != "32"
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


def array_texts(
    convert: Callable[[SqlType, Sequence[Cell]], Sequence[Cell]], declared: SqlType, cells: Sequence[Cell]
) -> list[Cell]:
    """Arrays of PostgreSQL, whose elements have the printed form of their own type, which `convert` tells."""
    assert declared.element is not None, "arrays have elements"
    for place, cell in enumerate(cells):
        if isinstance(cell, str) and not _is_printed_array(cell, declared.element, convert):
            raise _otherwise(place, cell, declared)
    return list(cells)


def _is_printed_array(
    text: str, element: SqlType, convert: Callable[[SqlType, Sequence[Cell]], Sequence[Cell]]
) -> bool:
    elements: list[Cell] = []
    try:
        end = _array_end(text, 0, elements)
        given = [each for each in elements if each is not None]
        return end == len(text) and list(convert(element, given)) == given
    except (ValueError, BadValueError):
        return False


def _array_end(text: str, at: int, elements: list[Cell]) -> int:
    """The offset after the array at `at`, whose elements are appended; `ValueError` if it is written otherwise."""
    if not text.startswith("{", at):
        raise ValueError(text)
    at += 1
    while not text.startswith("}", at):
        read = _array_end if text.startswith("{", at) else _element_end
        at = read(text, at, elements)
        if text.startswith(",", at):
            at += 1
            if text.startswith("}", at):
                raise ValueError(text)
        elif not text.startswith("}", at):
            raise ValueError(text)
    return at + 1


def _element_end(text: str, at: int, elements: list[Cell]) -> int:
    quoted = _QUOTED.match(text, at)
    if quoted:
        content = re.sub(r"\\(.)", r"\1", quoted[1])
        if not _NEEDS_QUOTES.search(content):
            raise ValueError(text)
        elements.append(content)
        return quoted.end()
    plain = _UNQUOTED.match(text, at)
    if plain is None or (plain[0].upper() == "NULL" and plain[0] != "NULL"):
        raise ValueError(text)
    elements.append(None if plain[0] == "NULL" else plain[0])
    return plain.end()


def _refuse_first(cells: Sequence[Cell], declared: SqlType, is_printed: Callable[[str], bool]) -> None:
    for place, text in _texts(cells):
        if not is_printed(text):
            raise _otherwise(place, text, declared)


def _texts(cells: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    return ((place, cell) for place, cell in enumerate(cells) if isinstance(cell, str))


def _otherwise(place: int, text: str, declared: SqlType) -> BadValueError:
    complaint = f"holds {text[:40]!r}, which its database may print otherwise as {declared.name}"
    return BadValueError(place, complaint, is_refusal=True)
