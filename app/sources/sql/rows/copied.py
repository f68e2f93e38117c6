"""Reads the lines of COPY … FROM stdin, some at a time, as columns of texts and NULLs."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from app.sources.foreign_keys import counted
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.texts import copied_text
from app.sources.sql.rows.batches import RowBatch, Signs

_CHARACTERS_AT_ONCE = 256 * 1024
_SIGNS = Signs(quotes=False, casts=False, bases=False, defaults=False)
_NULL = "\\N"
_ESCAPES = re.compile(r"\\(?!N[\t\r\n])")


def copied_rows(script: Script, start: int, end: int, width: int) -> Iterator[RowBatch]:
    """The lines at `start` to `end`, `width` fields each; `SqlInvalidError` for a line with others."""
    at = start
    while at < end:
        stop = script.text.find("\n", min(at + _CHARACTERS_AT_ONCE, end - 1), end)
        stop = end if stop < 0 else stop + 1
        yield _batch(script, at, stop, width)
        at = stop


def _batch(script: Script, at: int, stop: int, width: int) -> RowBatch:
    text = script.text[at:stop].removesuffix("\n")
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines[:-1]), initial=at))
    if lines[0].endswith("\r"):
        lines = [line.removesuffix("\r") for line in lines]
    _check_widths(script, lines, starts, width)
    fields = "\t".join(lines).split("\t")
    has_escapes = _ESCAPES.search(text + "\n") is not None
    columns = [_values(fields[place::width], has_escapes) for place in range(width)]
    return RowBatch(columns, starts, [False] * len(starts), _SIGNS)


def _check_widths(script: Script, lines: Sequence[str], starts: Sequence[int], width: int) -> None:
    if {line.count("\t") for line in lines} == {width - 1}:
        return
    for line, start in zip(lines, starts, strict=True):
        if line.count("\t") != width - 1:
            given = counted(line.count("\t") + 1, "field")
            raise script.invalid(start, f"the line of COPY has {given}, {width} are wanted")


def _values(fields: list[str], has_escapes: bool) -> list[str | None]:
    if has_escapes:
        return [
            field if "\\" not in field else None if field == _NULL else copied_text(field) for field in fields
        ]  # fmt: skip
    return [None if field == _NULL else field for field in fields]
