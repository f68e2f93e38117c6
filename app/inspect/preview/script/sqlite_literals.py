"""What literals of SQLite's own text mean; a build leaves that to SQLite, which runs the script."""

from typing import TypeAlias

from app.sources.dialect import Dialect
from app.sources.sql.lexing.syntax import Syntax
from app.sources.sql.lexing.texts import text_of
from app.sources.sql.lexing.tokens import TokenBudget, TokenKind, tokens_of

SqliteValue: TypeAlias = str | bytes | int | float | None
"""A value of one of SQLite's storage classes."""

_SYNTAX = Syntax(Dialect.SQLITE)
_WORDS: dict[str, SqliteValue] = {"NULL": None, "TRUE": 1, "FALSE": 0}
_MOST_DIGITS = 19


def literal_value(literal: str) -> SqliteValue:
    """The value of a literal as it is written; `ValueError` for bytes or hex that SQLite does not take."""
    if literal[0] in "'\"":
        return text_of(literal, _SYNTAX)
    if literal.upper() in _WORDS:
        return _WORDS[literal.upper()]
    if literal[0] in "xX":
        return bytes.fromhex(literal[2:-1])
    return _text_with_line_ends(literal) if literal[0] in "rR" else _number(literal)


def _number(literal: str) -> int | float:
    sign, digits = -1 if literal[0] == "-" else 1, literal.lstrip("+-").replace("_", "")
    if digits[:2].lower() == "0x":
        value = int(digits, 16)
        if value >= 2**64:
            raise ValueError(literal)
        return sign * (value - 2**64 if value >= 2**63 else value)
    if digits.isdecimal() and len(digits) <= _MOST_DIGITS:
        value = sign * int(digits)
        return value if -(2**63) <= value < 2**63 else float(value)
    return sign * float(digits)


def _text_with_line_ends(literal: str) -> str:
    """A text with marks for line ends, as the sqlite3 shell writes it: `replace('a\\nb','\\n',char(10))`."""
    tokens = list(tokens_of(literal, 0, len(literal), _SYNTAX, TokenBudget()))
    text, *marks = [token.meaning for token in tokens if token.kind is TokenKind.TEXT]
    codes = [int(token.written) for token in tokens if token.kind is TokenKind.NUMBER]
    for mark, code in zip(marks, codes, strict=True):
        text = text.replace(mark, chr(code))
    return text
