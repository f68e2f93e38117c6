"""The tokens of a statement, within a budget."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from app.budget import CHECK_EVERY, check_deadline
from app.sources.dialect import Dialect
from app.sources.sql.lexing.comments import after_block_comment
from app.sources.sql.lexing.syntax import Syntax
from app.sources.sql.lexing.texts import escaped_text, name_of, text_of

MOST_TOKENS = 1_000_000


class TokenKind(Enum):
    """What a token is, by the group of `Syntax.token` that matches it."""

    COMMENT = "comment"
    BITS = "bits"
    BYTES = "bytes"
    TEXT = "text"
    NATIONAL = "national"
    NAME = "name"
    NUMBER = "number"
    WORD = "word"
    SIGN = "sign"


_KINDS = {kind.value: kind for kind in TokenKind} | {
    "tag": TokenKind.TEXT,
    "escaped": TokenKind.TEXT,
    "unclosed": TokenKind.SIGN,
}


@dataclass(frozen=True, slots=True)
class Token:
    """A token at `start` to `end` of a text: as it is written, and what it means without quotes and escapes."""

    kind: TokenKind
    written: str
    meaning: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The keyword in upper case, or the sign itself; "" for anything in quotes, and for numbers."""
        return self.written.upper() if self.kind in (TokenKind.WORD, TokenKind.SIGN) else ""


class TokensExhaustedError(Exception):
    """More tokens than a script may have outside of its rows; whoever counts them says so in its own words."""


class TokenBudget:
    """Counts all tokens of one source."""

    def __init__(self, limit: int = MOST_TOKENS) -> None:
        self._left = limit

    def take(self) -> None:
        """Count one token; `TokensExhaustedError` when there are no more."""
        self._left -= 1
        if self._left < 0:
            raise TokensExhaustedError
        if self._left % CHECK_EVERY == 0:
            check_deadline()


def tokens_of(text: str, start: int, end: int, syntax: Syntax, budget: TokenBudget) -> Iterator[Token]:
    """The tokens of a part of `text`, comments included."""
    place = start
    while place < end and (found := syntax.token.match(text, place, end)):
        place = found.end()
        kind = _KINDS.get(found.lastgroup or "")
        if kind is None:
            continue
        if kind is TokenKind.COMMENT and found[0] == "/*" and syntax.dialect is Dialect.POSTGRES:
            place = min(end, after_block_comment(text, found.start()))
        budget.take()
        written = text[found.start() : place]
        yield Token(kind, written, _meaning(kind, written, syntax), found.start(), place)


def _text(written: str, syntax: Syntax) -> str:
    """The text of '…', or in PostgreSQL of E'…' and $tag$…$tag$ too."""
    if written[0] == "$":
        tag = written.index("$", 1) + 1
        return written[tag:-tag]
    return escaped_text(written[2:-1]) if written[0] in "eE" else text_of(written, syntax)


def _meaning(kind: TokenKind, written: str, syntax: Syntax) -> str:
    match kind:
        case TokenKind.NAME:
            return name_of(written)
        case TokenKind.NATIONAL:
            return text_of(written[1:], syntax)
        case TokenKind.TEXT:
            return _text(written, syntax)
        case TokenKind.BITS | TokenKind.BYTES:
            return written[2:].rstrip("'")
    return written
