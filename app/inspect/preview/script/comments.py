"""Which column a comment in CREATE TABLE is about: by the lines that they stand on."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from app.sources.sql.definitions.model import SqlColumn
from app.sources.sql.lexing.tokens import Token, TokenBudget, TokenKind, TokensExhaustedError, tokens_of
from app.sources.sql.statements.splitter import Statement
from app.values import fold_identifier


def comments_beside(statement: Statement, columns: Sequence[SqlColumn], budget: TokenBudget) -> dict[str, str]:
    """Comments of the columns that a statement declares, by their folded names; none once the budget is used up.

    A comment is about the column before it on its line, else about the one after it on its line, else, alone on lines
    directly above a column, about that one.
    """
    text = statement.script.text
    if not any(sign in statement.text for sign in ("--", "/*", "#")):
        return {}
    try:
        tokens = list(tokens_of(text, statement.start, statement.end, statement.settings.syntax, budget))
    except TokensExhaustedError:
        return {}
    own = sorted((each for each in columns if statement.start <= each.at < statement.end), key=lambda each: each.at)
    lines = _Lines(tokens, own, text)
    beside: dict[str, list[str]] = {}
    for comment in reversed([token for token in tokens if token.kind is TokenKind.COMMENT]):
        owner, words = lines.owner(comment), _words(comment.written)
        if owner is not None and words:
            beside.setdefault(fold_identifier(owner.name), []).append(words)
    return {name: " ".join(reversed(found)) for name, found in beside.items()}


class _Lines:
    """On which lines things stand in one statement; comments are asked for from the last to the first."""

    def __init__(self, tokens: Sequence[Token], columns: Sequence[SqlColumn], text: str) -> None:
        first, last = tokens[0].start, tokens[-1].end
        self._line_ends = [found.start() for found in re.compile("\n").finditer(text, first, last)]
        self._columns = columns
        self._starts = [column.at for column in columns]
        self._plain = [token.start for token in tokens if token.kind is not TokenKind.COMMENT]
        self._above: dict[int, int] = {}
        """The first line of what is known to be about a column and stands above it, by the column's offset."""

    def owner(self, comment: Token) -> SqlColumn | None:
        """The column that the comment is about."""
        after = bisect_left(self._starts, comment.start)
        if after and self._line(self._columns[after - 1].end) >= self._line(comment.start):
            return self._columns[after - 1]
        below = self._columns[after] if after < len(self._columns) else None
        return below if below is not None and self._is_above(comment, below.at) else None

    def _is_above(self, comment: Token, column: int) -> bool:
        """Whether a comment stands on the line of a column, or alone on the line above what is about it."""
        distance = self._above.get(column, self._line(column)) - self._line(comment.end)
        if distance > 1 or (distance == 1 and not self._is_alone(comment)):
            return False
        self._above[column] = self._line(comment.start)
        return True

    def _is_alone(self, comment: Token) -> bool:
        """Whether nothing but comments begins on its line before it."""
        before = bisect_left(self._plain, comment.start) - 1
        return before < 0 or self._line(self._plain[before]) < self._line(comment.start)

    def _line(self, offset: int) -> int:
        return bisect_left(self._line_ends, offset)


def _words(comment: str) -> str:
    if comment.startswith("/*"):
        inner = comment[2:].removesuffix("*/")
        return " ".join(part.strip(" \t*") for part in inner.splitlines()).strip()
    return comment.lstrip("-#").strip()
