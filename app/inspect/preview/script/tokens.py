"""Splits SQL of SQLite, MySQL and PostgreSQL into tokens and statements, within a budget; nothing is run.

Every pattern is possessive, and a quote that is never closed is looked for once and takes in all that follows, so that
splitting takes time proportional to the text, whatever is in it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from app.budget import CHECK_EVERY, check_deadline
from app.inspect.preview.limits import TOKENS
from app.sources.patterns import WORD_START, compile_pattern
from app.sources.sql.dialect import Dialect
from app.sources.sql.lexing.line_ends import TEXT_WITH_LINE_ENDS
from app.sources.sql.lexing.syntax import END_OF_WORD, WORD

_FLAGS = int(re.VERBOSE | re.IGNORECASE | re.ASCII)
_NUMBER = r"""(?: 0[xX][0-9a-fA-F]++ | [0-9](?:[0-9]|_(?=[0-9]))*+(?:\.[0-9]*+)?+(?:[eE][+-]?+[0-9]++)?+
                | \.[0-9]++(?:[eE][+-]?+[0-9]++)?+ )"""
_DOUBLED = r"'(?:[^']++|'')*+'"
_ESCAPED = r"'(?:[^'\\]++|\\[\s\S]|'')*+'"
_QUOTED = r'"(?:[^"]++|"")*+"'
_QUOTED_TEXT = r'"(?:[^"\\]++|\\[\s\S]|"")*+"'
_BACKTICKS = r"`(?:[^`]++|``)*+`"
_BRACKETS = r"\[[^\]]*+\]"
_BLOCK = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
_PLAIN_BLOCK = r"/\*(?!M?!)(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
_TAG = rf"(?:{WORD_START}[^\x00-/:-@\[-\^`{{-\x7f]*+)?+"
"""What stands between the dollars of PostgreSQL: as a name, without dollars."""

_DOLLAR_QUOTE = rf"\${_TAG}\$"


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern ready for use, in which case and white space mean nothing."""
    return compile_pattern(pattern, _FLAGS)


class TokenKind(Enum):
    """What a token is."""

    COMMENT = "comment"
    BYTES = "bytes"
    ESCAPED = "escaped"
    TEXT = "text"
    NAME = "name"
    NUMBER = "number"
    WORD = "word"
    SIGN = "sign"


_NESTING = {"(": 1, ")": -1}
_QUOTES = ("'", '"')
_KINDS = {kind.value: kind for kind in TokenKind} | {"t": TokenKind.ESCAPED, "unclosed": TokenKind.SIGN}
"""By the pattern's groups; `t` is the tag of a text in dollars, and space is not a token."""


def _dollar_text(group: str) -> str:
    """A text between two equal tags, the tag being in `group`."""
    return rf"\$(?P<{group}>{_TAG})\$[\s\S]*?\$(?P={group})\$"


@dataclass(frozen=True, slots=True)
class Token:
    """A token at `start` to `end` of the text, as it is written; `folds`: PostgreSQL writes names in lower case."""

    kind: TokenKind
    text: str
    start: int
    end: int
    folds: bool = False

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these unquoted words, in any case."""
        return self.kind is TokenKind.WORD and self.text.upper() in words

    def is_sign(self, sign: str) -> bool:
        """Whether it is this sign."""
        return self.kind is TokenKind.SIGN and self.text == sign

    @property
    def nesting(self) -> int:
        """How much deeper in parentheses the next token is."""
        return _NESTING.get(self.text, 0)

    @property
    def is_name(self) -> bool:
        """Whether it can be an identifier at a place that wants one; SQLite takes a text for one there."""
        return self.kind in (TokenKind.NAME, TokenKind.WORD) or (
            self.kind is TokenKind.TEXT and self.text[0] in _QUOTES
        )

    @property
    def name(self) -> str:
        """The identifier that it writes."""
        if self.kind is TokenKind.WORD:
            return self.text.lower() if self.folds else self.text
        quote, inner = self.text[0], self.text[1:-1]
        return inner if quote == "[" else inner.replace(quote * 2, quote)


class TokensExhaustedError(Exception):
    """More tokens than a preview looks at; never leaves the preview."""


class TokenBudget:
    """Counts all tokens of one preview."""

    def __init__(self, limit: int = TOKENS) -> None:
        self._left = limit

    def take(self) -> None:
        """Count one token; `TokensExhaustedError` when there are no more."""
        self._left -= 1
        if self._left < 0:
            raise TokensExhaustedError
        if self._left % CHECK_EVERY == 0:
            check_deadline()


@dataclass(frozen=True)
class Lexis:
    """The words of one dialect under the settings in force.

    `escapes` says that a backslash means something in a plain text, `ansi_quotes` that double quotes enclose names in
    MySQL, as they do elsewhere.
    """

    dialect: Dialect
    escapes: bool = False
    ansi_quotes: bool = False

    @cached_property
    def text_pattern(self) -> str:
        """A text in quotes."""
        text = _ESCAPED if self.escapes else _DOUBLED
        if self.dialect is not Dialect.MYSQL or self.ansi_quotes:
            return text
        return rf"{text}|{_QUOTED_TEXT if self.escapes else _QUOTED}"

    @property
    def _name(self) -> str:
        own = {
            Dialect.MYSQL: rf"{_QUOTED}|{_BACKTICKS}" if self.ansi_quotes else _BACKTICKS,
            Dialect.POSTGRES: _QUOTED,
        }
        return own.get(self.dialect, rf"{_QUOTED}|{_BACKTICKS}|{_BRACKETS}")

    @property
    def _opening(self) -> str:
        """What begins a text or a name in quotes."""
        if self.dialect is Dialect.POSTGRES:
            return rf"(?:[eE]?+'|\"|{_DOLLAR_QUOTE})"
        return r"['\"`]" if self.dialect is Dialect.MYSQL else r"['\"`\[]"

    @property
    def _line_comment(self) -> str:
        return r"--[^\n]*+|\#[^\n]*+" if self.dialect is Dialect.MYSQL else r"--[^\n]*+"

    @cached_property
    def _token(self) -> re.Pattern[str]:
        markers = r"|/\*M?!\d*+|\*/" if self.dialect is Dialect.MYSQL else ""
        bits = rf"|0[bB][01]++{END_OF_WORD}" if self.dialect is Dialect.MYSQL else ""
        dollar = "|" + _dollar_text("t") if self.dialect is Dialect.POSTGRES else ""
        return compiled(
            rf"""(?P<space>[\ \t\n\f\r\v]++{markers})
            |(?P<comment>{self._line_comment}|{_PLAIN_BLOCK})
            |(?P<bytes>[xXbB]'[0-9a-fA-F]*+'{bits})
            |(?P<escaped>[eE]{_ESCAPED}{dollar})
            |(?P<text>[nN]?+(?:{self.text_pattern}))
            |(?P<name>{self._name})
            |(?P<unclosed>{self._opening}[\s\S]*+)
            |(?P<number>{_NUMBER}){END_OF_WORD}
            |(?P<word>{WORD})
            |(?P<sign>::|[\s\S])"""
        )

    @cached_property
    def space(self) -> re.Pattern[str]:
        """White space, comments and empty statements."""
        return compiled(rf"(?:[\ \t\n\f\r\v;\ufeff]++|{self._line_comment}|{_PLAIN_BLOCK})*+")

    @cached_property
    def rest(self) -> re.Pattern[str]:
        """Anything up to a semicolon outside quotes and comments, or up to a quote that is never closed."""
        if self.dialect is not Dialect.POSTGRES:
            quoted = rf"{self.text_pattern}|{self._name}|{self._line_comment}|{_BLOCK}"
            return compiled(rf"(?:[^;'\"`\[\#/-]++|{quoted}|(?!{self._opening})[\[\#/-])*+")
        quoted = rf"[eE]{_ESCAPED}|{_dollar_text('r')}|{self.text_pattern}|{_QUOTED}|{self._line_comment}|{_BLOCK}"
        plain = r"[\x00-\x21\#%-&(-,.0-:<-@\[-\^`{-\x7f]++"
        return compiled(rf"(?:{plain}|{quoted}|(?![eE]'){WORD}|(?!{_DOLLAR_QUOTE})[$/-])*+")

    @cached_property
    def row(self) -> re.Pattern[str]:
        """A whole row of literals in parentheses, and the comma after it."""
        space = rf"(?:[\ \t\n\f\r\v]++|{self._line_comment}|{_PLAIN_BLOCK})*+"
        quoted = rf"(?:(?:[eEnNxXbB]|_\w++\ ?+)?+(?:{self.text_pattern}))"
        cast = rf"(?:::{WORD}(?:\ {WORD})*+(?:\([\d,\ ]*+\))?+(?:\[\])?+)?+" if self.dialect is Dialect.POSTGRES else ""
        marked = rf"|{TEXT_WITH_LINE_ENDS}" if self.dialect is Dialect.SQLITE else ""
        literal = rf"(?:{quoted}|[+-]?+{_NUMBER}|(?:NULL|TRUE|FALSE){END_OF_WORD}{marked}){cast}{space}"
        return compiled(rf"\({space}{literal}(?:,{space}{literal})*+\){space}(?:,{space})?+")

    def tokens(self, text: str, start: int, end: int, budget: TokenBudget) -> Iterator[Token]:
        """The tokens of a part of `text`, comments included."""
        for match in self._token.finditer(text, start, end):
            kind = _KINDS.get(match.lastgroup or "")
            if kind is not None:
                budget.take()
                yield Token(kind, match[0], match.start(), match.end(), self.dialect is Dialect.POSTGRES)
