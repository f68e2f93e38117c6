"""Reads the rows of INSERT … VALUES, some at a time, as columns of literals as they are written.

Rows are matched whole by one expression of a group a cell, which never backtracks: a fifth of the time of a token
a cell.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice

from app.budget import CHECK_EVERY, check_deadline
from app.sources.dialect import Dialect
from app.sources.foreign_keys import counted
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.syntax import Syntax, compiled
from app.sources.sql.rows.batches import RowBatch, Signs

_ROWS_AT_ONCE = 500
_WIDE = 64
ROWS_ONLY = "INSERT is read as VALUES with literal rows, and nothing else"
_DO_NOTHING = (
    r"(?i:ON)\s++(?i:CONFLICT)\s*+(?:\([^()']*+\)\s*+|(?i:ON\s++CONSTRAINT)\s++[^\s']++\s++)?+(?i:DO\s++NOTHING)\s*+"
)


def inserted_rows(
    script: Script, syntax: Syntax, start: int, end: int, columns: Sequence[str], head: str = ""
) -> Iterator[RowBatch]:
    """The rows after VALUES at `start` to `end`, a cell a column; `head` may begin further statements there.

    Raises `SqlUnsupportedError` or `SqlInvalidError` at the first cell or row that is not literal or not as wide.
    """
    width = len(columns)
    cell = syntax.cell_among_marks if script.text.find("/*", start, end) >= 0 else syntax.cell
    pattern = (_row if width <= _WIDE else _wide_row)(syntax, cell, width, head)
    found = pattern.scanner(script.text, start, end)  # type: ignore[attr-defined]
    at, goes_on, begins = start, True, True
    while goes_on:
        matches = list(islice(iter(found.match, None), _ROWS_AT_ONCE))
        following = [match["next"] for match in matches]
        if not matches or None in following[:-1]:
            raise misfit(script, syntax, _first_fault(matches, at), end, columns)
        at, goes_on = matches[-1].end(), following[-1] is not None
        cells = [match.groups()[:-1] for match in matches] if width <= _WIDE else _wide_cells(script, cell, matches)
        starts = [match.start() for match in matches]
        each_begins = [begins, *(not each.startswith(",") for each in following[:-1])]
        signs = Signs.of(script.text[starts[0] : at], syntax)
        yield RowBatch(list(zip(*cells, strict=True)), starts, each_begins, signs, syntax)
        begins = goes_on and not following[-1].startswith(",")
    if at < end:
        raise misfit(script, syntax, at, end, columns)


def inserted_row_count(script: Script, syntax: Syntax, start: int, end: int, columns: Sequence[str], head: str) -> int:
    """How many rows `inserted_rows` would give; raises what it raises."""
    cell = syntax.cell_among_marks if script.text.find("/*", start, end) >= 0 else syntax.cell
    found = _wide_row(syntax, cell, len(columns), head).scanner(script.text, start, end)  # type: ignore[attr-defined]
    at, rows, leads_on = start, 0, True
    for match in iter(found.match, None):
        if not leads_on:
            break
        at, leads_on, rows = match.end(), match["next"] is not None, rows + 1
        if rows % CHECK_EVERY == 0:
            check_deadline()
    if leads_on or at < end:
        raise misfit(script, syntax, at, end, columns)
    return rows


def end_of_rows(script: Script, start: int, end: int) -> int:
    """Where the rows of an INSERT end: before ON CONFLICT DO NOTHING, which means nothing while all keys differ."""
    tail_start = max(start, end - 400)
    found = compiled(rf"{_DO_NOTHING}\Z").search(script.text, tail_start, end)
    return end if found is None else found.start()


@lru_cache(maxsize=1_000)
def _row(syntax: Syntax, cell: str, width: int, head: str) -> re.Pattern[str]:
    """A row of exactly `width` literals, each a group, and in the last group, `next`, what leads to the next row."""
    return compiled(rf"\({','.join([cell] * width)}\){_next_row(syntax, head)}")


@lru_cache(maxsize=1_000)
def _wide_row(syntax: Syntax, cell: str, width: int, head: str) -> re.Pattern[str]:
    """The same for many columns, for which a group each would take long to compile: `next` is the only group."""
    cell = cell.replace(f"({syntax.literal}", f"(?:{syntax.literal}", 1)
    return compiled(rf"\({cell}(?:,{cell}){{{width - 1}}}+\){_next_row(syntax, head)}")


def _next_row(syntax: Syntax, head: str) -> str:
    """A comma, or a semicolon and the same `head` of a statement again."""
    nothing = rf"(?:{_DO_NOTHING})?+" if syntax.dialect is Dialect.POSTGRES else ""
    again = rf"{nothing};{syntax.blank}{re.escape(head)}"
    return rf"{syntax.space}(?P<next>,{syntax.space}|{again})?+"


@cache
def _cells(cell: str) -> re.Pattern[str]:
    """A literal after a bracket or comma, as the only group."""
    return compiled(rf"[(,]{cell}")


def _wide_cells(script: Script, cell: str, matches: Sequence[re.Match[str]]) -> list[list[str]]:
    return [_cells(cell).findall(script.text, match.start(), match.end(0)) for match in matches]


def _first_fault(matches: Sequence[re.Match[str]], at: int) -> int:
    """Where a row ends with nothing that leads on although another follows, or where there is no row at all."""
    return next((match.end() for match in matches if match["next"] is None), at)


def misfit(script: Script, syntax: Syntax, at: int, end: int, columns: Sequence[str]) -> Exception:
    """Why there is no row of a literal a column at an offset."""
    width = len(columns)
    if not script.text.startswith("(", at):
        return script.unsupported(at, ROWS_ONLY)
    position, given = at, 0
    cell = compiled(syntax.cell_among_marks)
    while (found := cell.match(script.text, position + 1, end)) is not None:
        position, given = found.end(), given + 1
        if not script.text.startswith(",", position):
            break
    if given == width and script.text.startswith(")", position):
        return script.unsupported(at, ROWS_ONLY)
    if given and script.text.startswith(")", position):
        return script.invalid(at, f"the row has {counted(given, 'value')}, {width} are wanted")
    beyond = position + 1 if script.text[position : position + 1] in ("(", ",") else position
    beyond += len(script.text[beyond:end]) - len(script.text[beyond:end].lstrip())
    return script.unsupported(beyond, "a literal value is wanted", column=columns[given] if given < width else None)
