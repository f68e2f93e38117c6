"""Values of PostgreSQL that are made of others: arrays, composite values and ranges.

Each is taken apart and put together again as the server prints it, with its elements as their own types print them;
what the server would order, merge or count anew is refused.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import pairwise

from app.sources.sql.definitions.model import SqlType, Storage
from app.sources.sql.rows.batches import Cell
from app.sources.sql.values.bad_value import BadValueError

Convert = Callable[[SqlType, Sequence[Cell]], Sequence[Cell]]
"""The printed forms of elements of a type; `BadValueError` or `ValueError` for one without."""

_Node = list["_Node"] | str | None

_RANGES = {
    "int4range": SqlType("integer", Storage.INTEGER),
    "int8range": SqlType("bigint", Storage.INTEGER),
    "numrange": SqlType("numeric", Storage.NUMERIC),
    "daterange": SqlType("date", Storage.TEXT),
    "tsrange": SqlType("timestamp", Storage.TEXT),
    "tstzrange": SqlType("timestamptz", Storage.TEXT),
}
_MULTIRANGES = {name.replace("range", "multirange"): name for name in _RANGES}
_DISCRETE = frozenset({"int4range", "int8range", "daterange"})
NESTED = frozenset({"array", "composite", *_RANGES, *_MULTIRANGES})
"""The names of types that are read here."""

_BLANKS = r" \t\n\r\v\f"
_LOWER_BOUNDS = re.compile(r"((?:\[-?\d+:-?\d+\])+)=", re.ASCII)
_QUOTED_ELEMENT = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_PLAIN_ELEMENT = re.compile(rf"[^{_BLANKS}{{}},\"\\]+")
_NEEDS_QUOTES = re.compile(rf'[{_BLANKS}{{}},"\\]|\A\Z|\A(?i:null)\Z')
_FIELD = rf"(?:\"(?:[^\"\\]|\"\"|\\\\)*\"|[^\"\\(),{_BLANKS}]*)"
_FIELD_NEEDS_QUOTES = re.compile(rf'[{_BLANKS}(),"\\]|\A\Z')
_BOUND = rf"(?:\"(?:[^\"\\]|\"\"|\\\\)+\"|[^\"\\()\[\],{_BLANKS}]*)"
_BOUND_NEEDS_QUOTES = re.compile(rf'[{_BLANKS}()\[\],"\\]|\A\Z')
_RANGE = re.compile(rf"([\[(])({_BOUND}),({_BOUND})([\])])")
_FOUR_DIGITS = re.compile(r"\d{4}-[^B]*", re.ASCII)


def nested_texts(convert: Convert, declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Cells of one of the types of `NESTED` as they are printed."""
    if declared.name == "array":
        printed = partial(_array, convert, declared)
    elif declared.name == "composite":
        printed = partial(_composite, convert, declared)
    elif declared.name in _MULTIRANGES:
        printed = partial(_multirange, convert, _MULTIRANGES[declared.name])
    else:
        printed = partial(_range, convert, declared.name)
    return [_printed(printed, declared, place, cell) for place, cell in enumerate(cells)]


def _printed(printed: Callable[[str], str], declared: SqlType, place: int, cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    try:
        return printed(cell)
    except (ValueError, BadValueError):
        complaint = f"holds {cell[:40]!r}, which its database may print otherwise as {declared.name}"
        raise BadValueError(place, complaint, is_refusal=True) from None


def _array(convert: Convert, declared: SqlType, text: str) -> str:
    assert declared.element is not None, "arrays have elements"
    if declared.element.name == "box":
        raise ValueError(text)  # of boxes alone a semicolon stands between elements
    bounds = _LOWER_BOUNDS.match(text)
    start = bounds.end() if bounds else 0
    root: list[_Node] = []
    if _read_array(text, start, root) != len(text):
        raise ValueError(text)
    leaves = [leaf for leaf in _leaves(root) if leaf is not None]
    elements = iter(convert(declared.element, leaves))
    if bounds:
        _check_bounds(bounds[1], root)
    return text[:start] + _array_text(root, elements)


def _read_array(text: str, at: int, into: list[_Node]) -> int:
    """Append the elements of the array at `at`; returns the offset after it."""
    if not text.startswith("{", at):
        raise ValueError(text)
    at += 1
    while not text.startswith("}", at):
        if text.startswith("{", at):
            inner: list[_Node] = []
            at = _read_array(text, at, inner)
            into.append(inner)
        else:
            at = _read_element(text, at, into)
        if text.startswith(",", at) and not text.startswith("}", at + 1):
            at += 1
        elif not text.startswith("}", at):
            raise ValueError(text)
    return at + 1


def _read_element(text: str, at: int, into: list[_Node]) -> int:
    found = _QUOTED_ELEMENT.match(text, at)
    if found:
        into.append(re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL))
        return found.end()
    found = _PLAIN_ELEMENT.match(text, at)
    if found is None:
        raise ValueError(text)
    into.append(None if found[0].upper() == "NULL" else found[0])
    return found.end()


def _leaves(node: _Node) -> Iterator[str | None]:
    if isinstance(node, list):
        for each in node:
            yield from _leaves(each)
    else:
        yield node


def _check_bounds(written: str, root: list[_Node]) -> None:
    """Bounds are printed if one of the lower ones is not 1; `ValueError` if the server would leave them out."""
    pairs = re.findall(r"\[(-?\d+):(-?\d+)\]", written)
    level: _Node = root
    for low, high in pairs:
        if not isinstance(level, list) or len(level) != int(high) - int(low) + 1 or str(int(low)) != low:
            raise ValueError(written)
        level = level[0] if level else None
    if isinstance(level, list) or all(low == "1" for low, _ in pairs):
        raise ValueError(written)


def _array_text(node: _Node, elements: Iterator[Cell]) -> str:
    if isinstance(node, list):
        if any(each == [] for each in node):
            raise ValueError("an array of empty arrays")
        return "{" + ",".join(_array_text(each, elements) for each in node) + "}"
    if node is None:
        return "NULL"
    text = str(next(elements))
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"' if _NEEDS_QUOTES.search(text) else text


def _composite(convert: Convert, declared: SqlType, text: str) -> str:
    if not re.fullmatch(rf"\({_FIELD}(?:,{_FIELD})*\)", text):
        raise ValueError(text)
    fields = re.findall(rf"(?:\(|,)({_FIELD})", text)
    return "(" + ",".join(_field(convert, *pair) for pair in zip(declared.attributes, fields, strict=True)) + ")"


def _field(convert: Convert, declared: SqlType, written: str) -> str:
    if written == "":
        return ""
    return _in_quotes(str(convert(declared, [_unquoted(written)])[0]), _FIELD_NEEDS_QUOTES)


def _unquoted(written: str) -> str:
    if not written.startswith('"'):
        return written
    return written[1:-1].replace('""', '"').replace("\\\\", "\\")


def _in_quotes(text: str, needed: re.Pattern[str]) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '""') + '"' if needed.search(text) else text


def _range(convert: Convert, name: str, text: str) -> str:
    if text == "empty":
        return text
    found = _RANGE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    opening, low, high, closing = found.groups()
    low, high = _bound(convert, name, low), _bound(convert, name, high)
    starts_well = opening == ("[" if low and name in _DISCRETE else "(" if not low else opening)
    ends_well = closing == ")" or (high and name not in _DISCRETE)
    is_closed = opening == "[" and closing == "]"
    if not (starts_well and ends_well and (not low or not high or _is_before(low, high, name, or_same=is_closed))):
        raise ValueError(text)
    return f"{opening}{_in_bound(low)},{_in_bound(high)}{closing}"


def _bound(convert: Convert, name: str, written: str) -> str:
    return str(convert(_RANGES[name], [_unquoted(written)])[0]) if written else ""


def _in_bound(text: str) -> str:
    return _in_quotes(text, _BOUND_NEEDS_QUOTES) if text else ""


def _is_before(low: str, high: str, name: str, *, or_same: bool) -> bool:
    """Whether one bound is less than another, or the same; of dates, only if their texts tell."""
    if name in ("int4range", "int8range", "numrange"):
        return Decimal(low) < Decimal(high) or (or_same and Decimal(low) == Decimal(high))
    if low == "-infinity" or high == "infinity":
        return low != high
    are_plain = _FOUR_DIGITS.fullmatch(low) and _FOUR_DIGITS.fullmatch(high)
    return bool(are_plain) and (low < high or (or_same and low == high))


def _multirange(convert: Convert, name: str, text: str) -> str:
    """Ranges in order, of which none is empty, and none touches the next one."""
    if not re.fullmatch(rf"\{{(?:{_RANGE.pattern}(?:,{_RANGE.pattern})*)?\}}", text):
        raise ValueError(text)
    ranges = [found.groups() for found in _RANGE.finditer(text)]
    for (*_, high, closing), (opening, low, *_) in pairwise(ranges):
        end, start = _bound(convert, name, high), _bound(convert, name, low)
        touches = (closing, opening) == (")", "(")
        if not end or not start or not _is_before(end, start, name, or_same=touches):
            raise ValueError(text)
    return "{" + ",".join(_range(convert, name, f"{a}{low},{high}{b}") for a, low, high, b in ranges) + "}"
