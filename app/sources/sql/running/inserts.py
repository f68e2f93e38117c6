"""INSERTs of literal rows, each found and checked by one expression that never backtracks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter

from app.budget import check_deadline
from app.sources.dialect import Dialect
from app.sources.sql.lexing.line_ends import TEXT_WITH_LINE_ENDS
from app.sources.sql.lexing.syntax import END_OF_WORD, Syntax, compiled
from app.sources.sql.lexing.texts import name_of
from app.sources.sql.statements.splitter import Statement

SQLITE = Syntax(Dialect.SQLITE)

_MOST_INSERTS = 1_000
_SPACE, _NAME = SQLITE.space, SQLITE.name
_GAP = r"[\ \t\n\f\r]*+"
"""Space without comments."""


def words(text: str) -> str:
    """Keywords in a row and the space after them, as a pattern."""
    return "".join(rf"(?i:{word}){END_OF_WORD}{_SPACE}" for word in text.split())


LITERAL = rf"""(?:[+-]{_SPACE}(?=[.0-9]))?+(?:{SQLITE.literal}|"(?:[^"]++|"")*+"|{TEXT_WITH_LINE_ENDS})"""
"""What may be a cell. A text in double quotes is one in VALUES, where SQLite has no column that it could name."""

ROW = rf"\({_SPACE}{LITERAL}{_SPACE}(?:,{_SPACE}{LITERAL}{_SPACE})*+\)"
_PLAIN_ROW = rf"""\((?:[0-9.,\ \t\n\f\r]++ | '[^']*+' | (?i:NULL) | (?:(?<=[(,])|(?<=[(,][\ \t\n]))-(?=[0-9.])
                  | (?<=[0-9.])[eE][+-]?+[0-9] | (?<=0)[xX][0-9a-fA-F]++ | [xX]'[^']*+' | "[^"]*+" | (?i:TRUE|FALSE)
                  | {TEXT_WITH_LINE_ENDS})++\)"""
"""A row that holds nothing but literals, if SQLite takes it at all.

Matching each literal would take twice as long. So commas and numbers are matched together, and what no grammar
allows, `1,,2` or `NULL5`, passes here and is refused by SQLite. Nothing passes that means something and is not a
literal: names, calls and brackets have no alternative, and a sign has one only before a number that begins a cell.
"""

COLUMN_LIST = rf"\({_SPACE}{_NAME}{_SPACE}(?:,{_SPACE}{_NAME}{_SPACE})*+\){_SPACE}"
_MAIN = rf"(?:(?i:main|\"main\"|`main`|\[main\]|'main'){_SPACE}\.{_SPACE})?+"
_ON_CONFLICT = rf"{words('INSERT OR')}(?i:ROLLBACK|ABORT|FAIL|IGNORE|REPLACE){END_OF_WORD}{_SPACE}{words('INTO')}"
TARGET = (
    rf"(?:(?P<simple>{words('INSERT INTO')})|{_ON_CONFLICT}|{words('REPLACE INTO')})"
    rf"{_MAIN}(?P<table>{_NAME}){_SPACE}(?:{COLUMN_LIST})?+"
)
"""What stands before VALUES."""

VALUES = words("VALUES")
_DO_NOTHING = rf"(?:{words('ON CONFLICT')}(?:{COLUMN_LIST})?+{words('DO NOTHING')})?+"
_ROWS = rf"{ROW}{_SPACE}(?:,{_SPACE}{ROW}{_SPACE})*+"
_PLAIN_ROWS = rf"{_PLAIN_ROW}{_GAP}(?:,{_GAP}{_PLAIN_ROW}{_GAP})*+"

INSERT = rf"(?P<head>{TARGET}{VALUES})(?P<rows>{_ROWS})(?P<tail>{_DO_NOTHING})(?:;|\Z){_SPACE}"
"""One complete literal INSERT and the space after it."""

PLAIN_INSERT = rf"(?P<head>{TARGET}{VALUES})(?P<rows>{_PLAIN_ROWS})(?P<tail>);{_SPACE}".replace(_SPACE, _GAP)
"""The same without comments, as nearly all of them are written."""

_NEXT = rf"{_SPACE},?+{_SPACE}"
_GROUP = rf"{_NEXT}({ROW}(?:{_SPACE},{_SPACE}{ROW}){{0,499}}+)"
_SINGLE = rf"{_NEXT}({ROW})"


@dataclass(frozen=True, slots=True)
class InsertRun(Statement):
    """INSERTs, `count` of them, into `table`; `sql` is what SQLite is given to run: the rows of all in one INSERT."""

    table: str = ""
    sql: str = ""
    count: int = 0

    def inserts(self) -> Iterator[re.Match[str]]:
        """Each of them, in the groups of `INSERT`."""
        at = self.start
        while at < self.end and (insert := _insert_at(self.script.text, at)):
            yield insert
            at = insert.end()


def run_at(statement: Statement) -> InsertRun | None:
    """The INSERTs from the beginning of a statement on that differ in nothing but their rows; None for other ones.

    Together SQLite takes them in half the time. One with a clause for conflicts stays alone.
    """
    text, start = statement.script.text, statement.start
    first = _insert_at(text, start)
    if first is None:
        return None
    run = [first]
    if first["simple"] and not first["tail"]:
        scanner = compiled(PLAIN_INSERT).scanner(text, first.end())  # type: ignore[attr-defined]
        following = islice(iter(scanner.match, None), _MOST_INSERTS)
        head, inserts = next(groupby(following, itemgetter("head")), ("", ()))
        run += inserts if head == first["head"] else ()
    sql, end = first["head"] + ",".join(map(itemgetter("rows"), run)) + first["tail"], run[-1].end()
    table, count = written_name(first["table"]), len(run)
    return InsertRun(statement.script, statement.settings, start, end, end, table=table, sql=sql, count=count)


def written_name(written: str) -> str:
    """The name that SQL text writes so, in quotes or without."""
    return name_of(written) if written[0] in "\"'`[" else written


def _insert_at(text: str, start: int) -> re.Match[str] | None:
    return compiled(PLAIN_INSERT).match(text, start) or compiled(INSERT).match(text, start)


@dataclass(frozen=True, slots=True)
class InsertedRows:
    """Some rows of an INSERT, as they are written, where they start in the text, and what stands around all of them."""

    head: str
    rows: str
    tail: str
    start: int

    @property
    def statement(self) -> str:
        """The INSERT of these rows alone."""
        return self.head + self.rows + self.tail

    def singly(self) -> Iterator["InsertedRows"]:
        """Each row of them."""
        for row in _matches(_SINGLE, self.rows, 0):
            yield InsertedRows(self.head, row[1], self.tail, self.start + row.start(1))


def groups_of_rows(insert: re.Match[str]) -> Iterator[InsertedRows]:
    """The rows of an INSERT in order, hundreds at once, which SQLite takes sooner than single ones."""
    for group in _matches(_GROUP, insert.string, insert.start("rows")):
        yield InsertedRows(insert["head"], group[1], insert["tail"], group.start(1))


def _matches(pattern: str, text: str, at: int) -> Iterator[re.Match[str]]:
    while match := compiled(pattern).match(text, at):
        check_deadline()
        yield match
        at = match.end()
