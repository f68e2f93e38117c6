"""Splits SQL text into accepted statements, and refuses the first one that the subset does not have.

Nothing is run here: a statement is checked before SQLite sees it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import groupby, islice
from operator import itemgetter

from app.budget import check_deadline
from app.sources import sql_lexicon as lexicon
from app.sources.options import Unsupported
from app.sources.sql_lexicon import as_written, compiled, unquoted, word
from app.sources.sql_refusals import ColumnsOf, refusal, too_long, unclosed_quote
from app.values import fold_identifier

MOST_CHARACTERS = 1024 * 1024
"""The most characters of a statement other than an INSERT; SQLite takes a hundred times as many bytes to parse it."""


class StatementKind(Enum):
    """What becomes of a statement."""

    TABLE = "CREATE TABLE"
    INDEX = "CREATE INDEX"
    ROWS = "INSERT"
    VIEW = "view"
    TRIGGER = "trigger"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, or a run of INSERTs, at `start` to `end` of the text; `name` is what it makes or what it is.

    `table` is the table that it makes, indexes or fills, as it is written. `sql` is what SQLite is given to run: of
    a run the rows of all its INSERTs in one.
    """

    kind: StatementKind
    start: int
    end: int
    name: str = ""
    table: str = ""
    sql: str = ""


_TABLE = (
    rf"{word('CREATE TABLE')}(?:{word('IF NOT EXISTS')})?+"
    rf"{lexicon.MAIN}(?P<name>{lexicon.NAME}){lexicon.SPACE}(?P<body>\()?+"
)
_INDEX = (
    rf"{word('CREATE')}(?:{word('UNIQUE')})?+{word('INDEX')}"
    rf"(?:(?:{word('IF NOT EXISTS')})?+{lexicon.MAIN}(?P<name>{lexicon.NAME}){lexicon.SPACE}"
    rf"{word('ON')}(?P<table>{lexicon.NAME}))?+"
)
_DROP = (
    rf"{word('DROP')}(?P<kind>TABLE|INDEX|VIEW|TRIGGER){lexicon.END_OF_WORD}{lexicon.SPACE}{word('IF EXISTS')}"
    rf"{lexicon.MAIN}(?P<name>{lexicon.NAME}){lexicon.SPACE}{lexicon.STOP}"
)
_OBJECT = (
    rf"{word('CREATE')}(?:(?:TEMPORARY|TEMP){lexicon.END_OF_WORD}{lexicon.SPACE})?+(?P<kind>VIEW|TRIGGER){lexicon.END_OF_WORD}"
    rf"{lexicon.SPACE}(?:{word('IF NOT EXISTS')})?+{lexicon.MAIN}(?P<name>{lexicon.NAME})"
)
_SELECT = word("SELECT")
_END_OF_TRIGGER = rf"{lexicon.SPACE}{word('END')}{lexicon.STOP}"
_OWN_ROWS = "rows of SQLite's own tables"
_SKIPPED = {
    "BEGIN": {
        "BEGIN": rf"{word('BEGIN')}(?:(?:DEFERRED|IMMEDIATE|EXCLUSIVE){lexicon.END_OF_WORD}{lexicon.SPACE})?+"
        rf"(?:{word('TRANSACTION')})?+",
    },
    "COMMIT": {"COMMIT": rf"{word('COMMIT')}(?:{word('TRANSACTION')})?+"},
    "END": {"COMMIT": rf"{word('END')}(?:{word('TRANSACTION')})?+"},
    "PRAGMA": {
        "PRAGMA foreign_keys": rf"{word('PRAGMA foreign_keys')}"
        rf"(?:[=(]{lexicon.SPACE}[A-Za-z0-9]++{lexicon.SPACE}\)?+)?+",
        "PRAGMA encoding": rf"{word('PRAGMA encoding')}[=(]{lexicon.SPACE}['\"]?+UTF-?8['\"]?+{lexicon.SPACE}\)?+",
    },
    "ANALYZE": {"ANALYZE": rf"{word('ANALYZE')}(?:{lexicon.MAIN}{lexicon.NAME}{lexicon.SPACE})?+"},
    "DELETE": {_OWN_ROWS: rf"{word('DELETE FROM')}{lexicon.MAIN}{lexicon.OWN_TABLE}{lexicon.SPACE}"},
    "INSERT": {
        _OWN_ROWS: rf"{word('INSERT INTO')}{lexicon.MAIN}{lexicon.OWN_TABLE}{lexicon.SPACE}"
        rf"(?:{lexicon.COLUMN_LIST})?+{lexicon.VALUES}{lexicon.ROWS}",
    },
}
"""What is skipped, by its first word: how notes call it, and its pattern up to its end."""

_FIRST_WORD = r"[A-Za-z]++"
_MOST_INSERTS = 1_000


class StatementSplitter:
    """Walks over one text; under `unsupported=skip` it passes over views and triggers.

    `columns_of` gives the columns of tables that were made so far, which errors then name; `made` are the folded names
    of what earlier texts of the same script have made.
    """

    def __init__(
        self,
        text: str,
        policy: Unsupported = Unsupported.ERROR,
        columns_of: ColumnsOf = lambda _: (),
        made: set[str] | None = None,
    ) -> None:
        self._text = text
        self._skips_objects = policy is Unsupported.SKIP
        self._columns_of = columns_of
        self._made = set() if made is None else made

    def statements(self) -> Iterator[Statement]:
        """All statements in order, up to `SqlUnsupportedError` or `SqlInvalidError` for one that is not accepted."""
        start = self.after_blank(0)
        while start < len(self._text):
            check_deadline()
            statement = self.statement_at(start)
            yield statement
            start = self.after_blank(statement.end)

    def statement_at(self, start: int) -> Statement:
        """The statement, or the run of INSERTs, that begins at an offset; raises as `statements` does."""
        first = compiled(_FIRST_WORD).match(self._text, start)
        statement = self._beginning_with(first[0].upper(), start) if first else None
        if statement is None:
            raise refusal(self._text, start, self._columns_of)
        return statement

    def _beginning_with(self, first_word: str, start: int) -> Statement | None:
        if first_word == "CREATE":
            return self._definition(start) or self._object(start)
        if first_word in ("INSERT", "REPLACE"):
            return self._inserts(start) or self._bookkeeping(first_word, start)
        return self._bookkeeping(first_word, start) or self._object(start)

    def after_blank(self, start: int) -> int:
        """The offset after empty statements, space and comments."""
        return _matched(lexicon.BLANK, self._text, start).end()

    def _inserts(self, start: int) -> Statement | None:
        """A run of INSERTs that differ in nothing but their rows, which SQLite takes sooner as one."""
        first = insert_at(self._text, start)
        if first is None:
            return None
        run = [first]
        if first["simple"] and not first["tail"]:
            scanner = compiled(lexicon.PLAIN_INSERT).scanner(self._text, first.end())  # type: ignore[attr-defined]
            following = islice(iter(scanner.match, None), _MOST_INSERTS)
            head, inserts = next(groupby(following, itemgetter("head")), ("", ()))
            run += inserts if head == first["head"] else ()
        sql = first["head"] + ",".join(map(itemgetter("rows"), run)) + first["tail"]
        return Statement(StatementKind.ROWS, start, run[-1].end(), table=as_written(first["table"]), sql=sql)

    def _bookkeeping(self, first_word: str, start: int) -> Statement | None:
        for name, pattern in _SKIPPED.get(first_word, {}).items():
            match = compiled(rf"(?:{pattern}){lexicon.STOP}").match(self._text, start)
            if match:
                return Statement(StatementKind.SKIPPED, start, match.end(), name)
        drop = compiled(_DROP).match(self._text, start) if first_word == "DROP" else None
        if drop and unquoted(drop["name"]) not in self._made:
            return Statement(StatementKind.SKIPPED, start, drop.end(), f"DROP {drop['kind'].upper()} IF EXISTS")
        return None

    def _definition(self, start: int) -> Statement | None:
        table = compiled(_TABLE).match(self._text, start)
        if table and table["body"]:
            name = as_written(table["name"])
            self._made.add(fold_identifier(name))
            end = self._end(start, table=name)
            return Statement(StatementKind.TABLE, start, end, name, name, self._text[start:end])
        index = compiled(_INDEX).match(self._text, start)
        if index:
            return self._index(start, index)
        return None

    def _index(self, start: int, index: re.Match[str]) -> Statement:
        if index["table"] is None:
            return Statement(StatementKind.INDEX, start, self._end(start))
        self._made.add(unquoted(index["name"]))
        table = as_written(index["table"])
        return Statement(StatementKind.INDEX, start, self._end(start, table=table), table=table)

    def _object(self, start: int) -> Statement | None:
        """A view or trigger to be left out; a query changes no row and is bookkeeping."""
        if not self._skips_objects:
            return None
        if compiled(_SELECT).match(self._text, start):
            return Statement(StatementKind.SKIPPED, start, self._end(start), "SELECT")
        found = compiled(_OBJECT).match(self._text, start)
        if found is None:
            return None
        kind = StatementKind(found["kind"].lower())
        end = self._end(start) if kind is StatementKind.VIEW else self._end_of_trigger(start)
        return Statement(kind, start, end, as_written(found["name"]))

    def _end_of_trigger(self, start: int) -> int:
        """Past the END that comes right after one of the semicolons inside."""
        end = self._end(start)
        while end < len(self._text):
            last = compiled(_END_OF_TRIGGER).match(self._text, end)
            if last:
                return last.end()
            end = self._end(end)
        return end

    def _end(self, start: int, **where: object) -> int:
        end = _matched(lexicon.TOKENS, self._text, start).end()
        if end < len(self._text) and self._text[end] != ";":
            raise unclosed_quote(self._text, end, **where)
        if end - start > MOST_CHARACTERS:
            raise too_long(self._text, start, MOST_CHARACTERS, **where)
        return min(end + 1, len(self._text))


def insert_at(text: str, start: int) -> re.Match[str] | None:
    """The INSERT at an offset and the space after it, in the groups of `lexicon.INSERT`, if it is accepted."""
    return compiled(lexicon.PLAIN_INSERT).match(text, start) or compiled(lexicon.INSERT).match(text, start)


def inserts_within(text: str, run: Statement) -> Iterator[re.Match[str]]:
    """Each INSERT of a run, as `insert_at` matches it."""
    at = run.start
    while at < run.end and (insert := insert_at(text, at)):
        yield insert
        at = insert.end()


def _matched(pattern: str, text: str, start: int) -> re.Match[str]:
    match = compiled(pattern).match(text, start)
    assert match is not None, "the pattern matches nothing at all as well"
    return match
