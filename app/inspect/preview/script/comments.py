"""Which column a comment in CREATE TABLE is about: by the lines that they stand on."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from app.inspect.preview.script.tokens import Token, TokenKind


def comments_beside(tokens: Sequence[Token], columns: Sequence[Sequence[Token]], text: str) -> dict[int, str]:
    """Comments of columns by the offset of a column's name; `tokens` are those of the whole statement in `text`.

    A comment is about the column before it on its line, else about the one after it on its line, else, alone on lines
    directly above a column, about that one.
    """
    comments = [token for token in tokens if token.kind is TokenKind.COMMENT]
    if not comments:
        return {}
    places = _Places(tokens, columns, text)
    beside: dict[int, list[str]] = {}
    for comment in reversed(comments):
        owner, words = places.owner(comment), _words(comment.text)
        if owner is not None and words:
            beside.setdefault(owner, []).append(words)
    return {start: " ".join(reversed(parts)) for start, parts in beside.items()}


class _Places:
    """Where things stand in one statement; comments are asked for from the last to the first."""

    def __init__(self, tokens: Sequence[Token], columns: Sequence[Sequence[Token]], text: str) -> None:
        first, last = tokens[0].start, tokens[-1].end
        self._line_ends = [found.start() for found in re.compile("\n").finditer(text, first, last)]
        self._starts = [part[0].start for part in columns]
        self._ends = [part[-1].end for part in columns]
        self._plain = [token.start for token in tokens if token.kind is not TokenKind.COMMENT]
        self._above: dict[int, int] = {}
        """The first line of what is known to be about a column and stands above it, by the column's offset."""

    def owner(self, comment: Token) -> int | None:
        """The offset of the column that the comment is about."""
        after = bisect_left(self._starts, comment.start)
        if after and self._line(self._ends[after - 1]) >= self._line(comment.start):
            return self._starts[after - 1]
        return self._below(comment, self._starts[after]) if after < len(self._starts) else None

    def _below(self, comment: Token, column: int) -> int | None:
        distance = self._above.get(column, self._line(column)) - self._line(comment.end)
        if distance > 1 or (distance == 1 and not self._is_alone(comment)):
            return None
        self._above[column] = self._line(comment.start)
        return column

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
