"""Dates and times as their database would print them: a script may write 2021/1/9 where a dump says 2021-01-09."""

import re
from collections.abc import Sequence

from app.sources.dumps.literals import Cell
from app.sources.dumps.model import Storage
from app.sources.patterns import compile_pattern

_FLAGS = int(re.ASCII)
_PRINTED = r"(?:\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d++)?+(?:[+-]\d\d(?::\d\d)?+)?+)?+\n)*+"
_PRINTED_MOMENT = r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d++)?+(?:[+-]\d\d(?::\d\d)?+)?+\n)*+"
_WRITTEN = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2}))?(\.\d+)?(Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


def as_stored(cells: Sequence[Cell], storage: Storage) -> list[Cell]:
    """Year, month and day with dashes and leading zeros, and with a time where the type has one.

    Anything else, such as infinity or a date without a month, stays as it is written.
    """
    texts = [cell for cell in cells if isinstance(cell, str)]
    printed = _PRINTED if storage is Storage.DATE else _PRINTED_MOMENT
    if compile_pattern(printed, _FLAGS).fullmatch("\n".join([*texts, ""])):
        return list(cells)
    return [_printed(cell, storage) if isinstance(cell, str) else cell for cell in cells]


def _printed(text: str, storage: Storage) -> str:
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return text
    year, month, day, hour, minute, second, fraction, zone = found.groups(default="")
    date = f"{year}-{month:0>2}-{day:0>2}"
    if not hour and storage is Storage.DATE:
        return date
    return f"{date} {hour or '0':0>2}:{minute or '0':0>2}:{second or '0':0>2}{fraction}{zone}"
