"""What SQLite says of a statement that it refuses: in words that people use, and the columns that it names."""

import re
from collections.abc import Sequence

import apsw

from app.sources.foreign_keys import counted

_TABLE_WIDTH = re.compile(r"table (.*) has (\d+) columns but (\d+) values were supplied")
_LIST_WIDTH = re.compile(r"(\d+) values for (\d+) columns")
_UNEVEN_ROWS = "all VALUES must have the same number of terms"
_BEFORE_COLUMNS = re.compile(r"(?:constraint failed: |cannot store \w+ value in \w+ column )")


def is_about_a_row(error: apsw.Error) -> bool:
    """Whether one row of an INSERT is at fault: its values, or how many there are."""
    if isinstance(error, apsw.ConstraintError | apsw.MismatchError):
        return True
    message = str(error)
    return _UNEVEN_ROWS in message or any(width.search(message) for width in (_TABLE_WIDTH, _LIST_WIDTH))


def worded(error: apsw.Error) -> str:
    """SQLite's message without its class, and with counts put as people put them."""
    message = str(error).removeprefix("SQLError: ")
    widths = _TABLE_WIDTH.search(message)
    if widths:
        table, columns, given = widths.groups()
        return f"table {table} has {counted(int(columns), 'column')}, {counted(int(given), 'value')} given"
    widths = _LIST_WIDTH.search(message)
    if widths:
        given, columns = widths.groups()
        return f"the column list has {counted(int(columns), 'column')}, {counted(int(given), 'value')} given"
    return message


def named_columns(error: apsw.Error, table: str, columns: Sequence[str]) -> list[str]:
    """Those of a table's columns that the message of a failed rule names."""
    before = _BEFORE_COLUMNS.search(str(error))
    named = str(error)[before.end() :].split(", ") if before else ()
    return [column for column in columns if f"{table}.{column}" in named]
