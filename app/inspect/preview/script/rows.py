"""The rows of INSERT … VALUES and of COPY: the first few are shown, all are counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.budget import CHECK_EVERY, check_deadline
from app.inspect.preview.limits import COLUMNS
from app.inspect.preview.script.definitions import Reader, items
from app.inspect.preview.script.literals import Value, cell_value, copied_cell
from app.inspect.preview.script.statements import Statement
from app.inspect.preview.script.tokens import Token, TokenBudget
from app.sources.dumps.model import TableName

_HEAD_TOKENS = 4 * COLUMNS


@dataclass(frozen=True, slots=True)
class RowsHead:
    """What stands before the rows: `text` as it is written up to and with VALUES, the table, and the columns named.

    Without `columns` the rows are in the table's order; without `has_values` they are not written out.
    """

    text: str
    table: TableName
    columns: tuple[str, ...]
    has_values: bool = True


@dataclass(frozen=True, slots=True)
class Rows:
    """The first rows of a statement, and how many there are in all."""

    first: tuple[tuple[Value, ...], ...]
    count: int


def insert_head(text: str, statement: Statement, budget: TokenBudget, schema: str) -> RowsHead | None:
    """The head of an INSERT or REPLACE, or None if it is not understood."""
    head: list[Token] = []
    values_end = None
    for token in statement.lexis.tokens(text, statement.start, statement.end, budget):
        if token.is_word("VALUES", "VALUE"):
            values_end = token.end
        if values_end or len(head) > _HEAD_TOKENS or token.is_word("SELECT", "WITH"):
            break
        head.append(token)
    reader = Reader(head, schema)
    reader.skip_words("INSERT", "REPLACE", "LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE", "OR", "ABORT", "INTO")
    table = reader.table_name()
    head_text = text[statement.start : values_end or statement.start]
    return RowsHead(head_text, table, reader.names(), values_end is not None) if table is not None else None


def inserted_rows(text: str, statement: Statement, head: RowsHead, budget: TokenBudget, wanted: int) -> Rows:
    """The rows of an INSERT … VALUES, the first `wanted` of them with their cells."""
    return _Scan(text, statement, budget).rows(statement.start + len(head.text), wanted)


class _Scan:
    """Walks over the rows of one INSERT."""

    def __init__(self, text: str, statement: Statement, budget: TokenBudget) -> None:
        self._text, self._statement, self._budget = text, statement, budget

    def rows(self, start: int, wanted: int) -> Rows:
        """All rows from `start` on."""
        first: list[tuple[Value, ...]] = []
        number = 0
        for row_start, row_end in self._rows(start):
            if number < wanted:
                first.append(self._cells(row_start, row_end))
            number += 1
        return Rows(tuple(first), number)

    def _rows(self, start: int) -> Iterator[tuple[int, int]]:
        lexis, text, end = self._statement.lexis, self._text, self._statement.end
        place, number = self._after_space(start), 0
        while place < end and text[place] == "(":
            literal_row = lexis.row.match(text, place, end)
            row_end = literal_row.end() if literal_row else self._group_end(place)
            yield place, row_end
            place = row_end if literal_row else self._after_comma(row_end)
            number += 1
            if number % CHECK_EVERY == 0:
                check_deadline()

    def _after_space(self, start: int) -> int:
        space = self._statement.lexis.space.match(self._text, start, self._statement.end)
        assert space is not None, "the pattern matches nothing at all as well"
        return space.end()

    def _after_comma(self, start: int) -> int:
        place = self._after_space(start)
        return self._after_space(place + 1) if self._text.startswith(",", place) else self._statement.end

    def _group_end(self, start: int) -> int:
        """The end of a row with more than literals in it."""
        depth = 0
        for token in self._statement.lexis.tokens(self._text, start, self._statement.end, self._budget):
            depth += token.nesting
            if depth == 0:
                return token.end
        return self._statement.end

    def _cells(self, start: int, end: int) -> tuple[Value, ...]:
        lexis = self._statement.lexis
        tokens = Reader(list(lexis.tokens(self._text, start, end, self._budget))).group()
        return tuple(cell_value(cell, lexis) for cell in items(tokens))


def copy_head(tokens: Sequence[Token], schema: str) -> RowsHead | None:
    """The head of a COPY, or None if it names no table."""
    reader = Reader(tokens, schema)
    reader.skip_words("COPY")
    table, columns = reader.table_name(), reader.names()
    return RowsHead("", table, columns) if table is not None else None


def copied_rows(text: str, lines: tuple[int, int], wanted: int) -> Rows:
    """The rows in the lines of a COPY … FROM stdin, the first `wanted` of them with their cells."""
    place, last = lines
    count = text.count("\n", place, last) + (last > place and text[last - 1] != "\n")
    shown: list[tuple[Value, ...]] = []
    while len(shown) < wanted and place < last:
        line_end = text.find("\n", place, last)
        line = text[place : last if line_end < 0 else line_end]
        shown.append(tuple(copied_cell(field) for field in line.removesuffix("\r").split("\t")))
        place += len(line) + 1
    return Rows(tuple(shown), count)
