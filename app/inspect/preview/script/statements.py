"""Splits a script into statements as its client does: semicolons, DELIMITER, psql's commands, and lines of COPY."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.budget import check_deadline
from app.inspect.preview.script.tokens import Lexis
from app.sources.dumps.modes import SqlMode
from app.sources.sql.dialect import Dialect

_HEAD = 600
"""Characters of a statement in which settings are looked for."""

_SET = re.compile(r"(?:/\*M?!\d*+\s*+)?SET\b", re.IGNORECASE)
_DELIMITER = re.compile(r"DELIMITER[ \t]++(\S++)[^\n]*+", re.IGNORECASE)
_COPY = re.compile(r"COPY\b[^;]*\bFROM\s+stdin\b", re.IGNORECASE)
_LAST_LINE = re.compile(r"^\\\.\r?$", re.MULTILINE)
_CONFORMING = re.compile(r"SET\s+standard_conforming_strings\s*(?:=|TO)\s*'?(on|off)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement at `start` to `end` of the text; `lines` are the bounds of what follows a COPY."""

    lexis: Lexis
    start: int
    end: int
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Unclosed:
    """A quote at `start` that is never closed: what follows cannot be told apart."""

    start: int


def statements(text: str, dialect: Dialect) -> Iterator[Statement | Unclosed]:
    """All statements in order, up to the end or to a quote that is never closed."""
    settings, delimiter, start = _Settings(dialect), ";", 0
    while (start := _after_space(settings.lexis, text, start)) < len(text):
        check_deadline()
        command = _DELIMITER.match(text, start) if dialect is Dialect.MYSQL else None
        if command:
            delimiter, start = command[1], command.end()
            continue
        if dialect is Dialect.POSTGRES and text[start] == "\\":
            start = _line_end(text, start)
            continue
        end = _end(settings.lexis, text, start, delimiter)
        if end < len(text) and not text.startswith(delimiter, end):
            yield Unclosed(end)
            return
        statement = _with_lines(Statement(settings.lexis, start, end), text)
        if end > start:
            yield statement
        settings.note(text[start : min(end, start + _HEAD)])
        start = statement.lines[1] if statement.lines else end + len(delimiter)


def _after_space(lexis: Lexis, text: str, start: int) -> int:
    space = lexis.space.match(text, start)
    assert space is not None, "the pattern matches nothing at all as well"
    return space.end()


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _end(lexis: Lexis, text: str, start: int, delimiter: str) -> int:
    if delimiter != ";":
        end = text.find(delimiter, start)
        return len(text) if end < 0 else end
    rest = lexis.rest.match(text, start)
    assert rest is not None, "the pattern matches nothing at all as well"
    return rest.end()


def _with_lines(statement: Statement, text: str) -> Statement:
    """The statement, with the lines that follow a COPY of PostgreSQL."""
    if statement.lexis.dialect is not Dialect.POSTGRES:
        return statement
    if not _COPY.match(text, statement.start, min(statement.end, statement.start + 20_000)):
        return statement
    first = min(len(text), _line_end(text, statement.end) + 1)
    last = _LAST_LINE.search(text, first)
    return Statement(statement.lexis, statement.start, statement.end, (first, last.start() if last else len(text)))


class _Settings:
    """What quotes and backslashes mean, as far as a script has set it."""

    def __init__(self, dialect: Dialect) -> None:
        self._mode = SqlMode()
        self.lexis = Lexis(dialect, escapes=dialect is Dialect.MYSQL)

    def note(self, head: str) -> None:
        """Follow a statement, given by its beginning."""
        dialect = self.lexis.dialect
        conforming = _CONFORMING.match(head) if dialect is Dialect.POSTGRES else None
        if conforming:
            self.lexis = Lexis(dialect, escapes=conforming[1].lower() == "off")
        elif dialect is Dialect.MYSQL and _SET.match(head):
            self._mode.note(head)
            lexicon = self._mode.lexicon
            self.lexis = Lexis(dialect, lexicon.escapes, lexicon.ansi_quotes)
