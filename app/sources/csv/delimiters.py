"""Delimiters that a file of one column seems to have in place of its own; they are named, and never used unasked."""

from collections.abc import Iterable

_USUAL = (";", "\t", "|", ",")


def other_delimiter(header: str, delimiter: str) -> str | None:
    """Another usual delimiter that stands in a header, if there is one."""
    return next((sign for sign in _USUAL if sign != delimiter and sign in header), None)


def likely_delimiter(header: str, cells: Iterable[str], delimiter: str) -> str | None:
    """The usual delimiter that stands as often in each cell of the only column as in its name.

    >>> likely_delimiter("id;name", ["1;Ann", "2;Bob"], ",")
    ';'
    """
    other = other_delimiter(header, delimiter)
    return other if other and all(cell.count(other) == header.count(other) for cell in cells) else None


def doubt_of(table: str, header: str, delimiter: str) -> str:
    """The warning about a table whose only column is likely to hold more."""
    return f"Table {table} has one column, {header}. {advice(delimiter)}"


def advice(delimiter: str) -> str:
    """What to do where this one separates the fields."""
    named = "tabs separate" if delimiter == "\t" else f'"{delimiter}" separates'
    value = "\\t" if delimiter == "\t" else delimiter
    return f'If {named} the fields, set the option delimiter to "{value}".'
