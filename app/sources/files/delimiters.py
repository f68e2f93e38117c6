"""Delimiters that a file seems to have in place of its own; they are named, and never used unasked."""

import re
from collections.abc import Iterable

_USUAL = (";", "\t", "|", ",")
_QUOTED = re.compile(rb'"[^"]*+"?+')
_FIRST_LINE = 64 * 1024


def other_delimiter(content: bytes, start: int, delimiter: str) -> str | None:
    """A usual delimiter outside the quotes of the first line of a text that has none of its own there.

    >>> other_delimiter(b'"Name, first";City', 0, ",")
    ';'
    """
    first = content[start : start + _FIRST_LINE].split(b"\n", 1)[0]
    bare = _QUOTED.sub(b"", first)
    return None if delimiter.encode() in bare else _usual(bare.decode(errors="ignore"), delimiter)


def likely_delimiter(header: str, cells: Iterable[str], delimiter: str) -> str | None:
    """The usual delimiter that stands as often in each cell of the only column as in its name.

    >>> likely_delimiter("id;name", ["1;Ann", "2;Bob"], ",")
    ';'
    """
    other = _usual(header, delimiter)
    return other if other and all(cell.count(other) == header.count(other) for cell in cells) else None


def _usual(line: str, delimiter: str) -> str | None:
    return next((sign for sign in _USUAL if sign != delimiter and sign in line), None)


def advice(delimiter: str) -> str:
    """What to do if this one separates the fields."""
    named = "tabs separate" if delimiter == "\t" else f'"{delimiter}" separates'
    value = "\\t" if delimiter == "\t" else delimiter
    return f'If {named} the fields, set the option delimiter to "{value}".'
