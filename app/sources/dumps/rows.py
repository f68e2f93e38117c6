"""Reads the rows of a dump, some at a time, as columns of cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from app.sources.dumps.lexicon import Lexicon, cell_pattern, compiled, row_pattern, wide_row_pattern
from app.sources.dumps.literals import Cell, Reading, copy_text
from app.sources.dumps.script import Script
from app.sources.foreign_keys import counted

_ROWS_AT_ONCE = 500
_CHARACTERS_AT_ONCE = 256 * 1024
_WIDE = 64
_ROWS_ONLY = "INSERT is read as VALUES with literal rows, and nothing else"
_NULL = "\\N"
_COPY_ESCAPES = re.compile(r"\\(?!N[\t\r\n])")


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Some consecutive rows as columns of cells, and where each row begins in the script."""

    columns: Sequence[list[Cell]]
    starts: Sequence[int]


def insert_rows(
    script: Script, lexicon: Lexicon, start: int, end: int, columns: Sequence[str], head: str = ""
) -> Iterator[RowBatch]:
    """The rows after VALUES at `start` to `end`, a cell a column; `head` may begin further statements there.

    Raises `SqlUnsupportedError` or `SqlInvalidError` at the first cell or row that is not literal or not as wide.
    """
    width = len(columns)
    pattern = (row_pattern if width <= _WIDE else wide_row_pattern)(lexicon, width, head)
    found = pattern.scanner(script.text, start, end)  # type: ignore[attr-defined]
    at, goes_on = start, True
    while goes_on:
        matches = list(islice(iter(found.match, None), _ROWS_AT_ONCE))
        if not matches or any(match["next"] is None for match in matches[:-1]):
            raise _misfit(script, lexicon, _first_fault(matches, at), end, columns)
        at, goes_on = matches[-1].end(), matches[-1]["next"] is not None
        reading = Reading.of(script.text[matches[0].start() : at], lexicon)
        tokens = (
            [match.groups()[:-1] for match in matches] if width <= _WIDE else _wide_tokens(script, lexicon, matches)
        )
        cells = [reading.cells(column) for column in zip(*tokens, strict=True)]
        yield RowBatch(cells, [match.start() for match in matches])
    if at < end:
        raise _misfit(script, lexicon, at, end, columns)


def _first_fault(matches: Sequence[re.Match[str]], at: int) -> int:
    """Where a row ends with nothing that leads on although another follows, or where there is no row at all."""
    return next((match.end() for match in matches if match["next"] is None), at)


def _wide_tokens(script: Script, lexicon: Lexicon, matches: Sequence[re.Match[str]]) -> list[list[str]]:
    return [cell_pattern(lexicon).findall(script.text, match.start(), match.end()) for match in matches]


def _misfit(script: Script, lexicon: Lexicon, at: int, end: int, columns: Sequence[str]) -> Exception:
    """Why there is no row of a literal a column at an offset."""
    width = len(columns)
    if not script.text.startswith("(", at):
        return script.unsupported(at, _ROWS_ONLY)
    position, given = at, 0
    cell = compiled(rf"{lexicon.blank}{lexicon.literal}{lexicon.cast}{lexicon.blank}")
    while (found := cell.match(script.text, position + 1, end)) is not None:
        position, given = found.end(), given + 1
        if not script.text.startswith(",", position):
            break
    if given == width and script.text.startswith(")", position):
        return script.unsupported(at, _ROWS_ONLY)
    if given and script.text.startswith(")", position):
        return script.invalid(at, f"the row has {counted(given, 'value')}, {width} are wanted")
    beyond = position + 1 if script.text[position : position + 1] in ("(", ",") else position
    beyond += len(script.text[beyond:end]) - len(script.text[beyond:end].lstrip())
    return script.unsupported(beyond, "a literal value is wanted", column=columns[given] if given < width else None)


def copy_rows(script: Script, start: int, end: int, width: int) -> Iterator[RowBatch]:
    """The lines of a COPY at `start` to `end`, `width` fields each; `SqlInvalidError` for a line with others."""
    at = start
    while at < end:
        stop = script.text.find("\n", min(at + _CHARACTERS_AT_ONCE, end - 1), end)
        stop = end if stop < 0 else stop + 1
        yield _lines(script, at, stop, width)
        at = stop


def _lines(script: Script, at: int, stop: int, width: int) -> RowBatch:
    text = script.text[at:stop].removesuffix("\n")
    lines = text.split("\n")
    starts = _starts(lines, at)
    if lines[0].endswith("\r"):
        lines = [line.removesuffix("\r") for line in lines]
    _check_widths(script, lines, starts, width)
    fields = "\t".join(lines).split("\t")
    has_escapes = _COPY_ESCAPES.search(text + "\n") is not None
    columns = [_fields(fields[place::width], has_escapes) for place in range(width)]
    return RowBatch(columns, starts)


def _starts(lines: Sequence[str], at: int) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines[:-1]), initial=at))


def _check_widths(script: Script, lines: Sequence[str], starts: Sequence[int], width: int) -> None:
    tabs = [line.count("\t") for line in lines]
    if set(tabs) == {width - 1}:
        return
    for line, start in zip(lines, starts, strict=True):
        if line.count("\t") != width - 1:
            given = counted(line.count("\t") + 1, "field")
            raise script.invalid(start, f"the line of COPY has {given}, {width} are wanted")


def _fields(fields: list[str], has_escapes: bool) -> list[Cell]:
    if has_escapes:
        return [
            field if "\\" not in field else None if field == _NULL else copy_text(field) for field in fields
        ]  # fmt: skip
    return [None if field == _NULL else field for field in fields]
