"""What the literals of the dialects mean, as far as a preview shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from app.inspect.preview.model import Placeholder, placeholder
from app.inspect.preview.script.tokens import Lexis, Token, TokenKind, compiled
from app.sources.dumps import lexicon as lexicons
from app.sources.dumps.literals import Reading, copy_text
from app.sources.sql.dialect import Dialect
from app.sources.sql.lexing.line_ends import TEXT_WITH_LINE_ENDS

_SHOWN_SOURCE = 2_000
"""Characters of a text in quotes that are looked at; what is shown is shorter."""

_WORDS: dict[str, bool | None] = {"NULL": None, "TRUE": True, "FALSE": False}
EXPRESSION = placeholder("expression")
DEFAULT = placeholder("default")


@dataclass(frozen=True, slots=True)
class Bytes:
    """A literal of bytes: the first of them, and how many there are if that is known."""

    content: bytes
    size: int | None = None


Value: TypeAlias = str | int | float | bool | Bytes | Placeholder | None
"""What a literal stands for, before the type of its column says how it is kept."""


def cell_value(tokens: Sequence[Token], lexis: Lexis) -> Value:
    """What one cell of a VALUES row holds: its literal, or that it is an expression."""
    plain = _without_cast([token for token in tokens if token.kind is not TokenKind.COMMENT])
    if len(plain) == 2 and plain[0].text in ("+", "-") and plain[1].kind is TokenKind.NUMBER:
        return _number(plain[0].text + plain[1].text, lexis)
    if len(plain) == 2 and plain[0].kind is TokenKind.WORD and plain[0].text.startswith("_"):
        return _introduced(plain[0], _literal(plain[1], lexis))
    if len(plain) == 1:
        return _literal(plain[0], lexis)
    if lexis.dialect is Dialect.SQLITE and plain and plain[0].is_word("REPLACE"):
        return _text_with_line_ends(plain)
    return EXPRESSION


def copied_cell(field: str) -> Value:
    r"""A field of a COPY line; `\N` is NULL."""
    return None if field == "\\N" else copy_text(field[:_SHOWN_SOURCE])


def _without_cast(tokens: Sequence[Token]) -> Sequence[Token]:
    casts = [place for place, token in enumerate(tokens) if token.text == "::"]
    return tokens[: casts[0]] if casts else tokens


def _introduced(charset: Token, value: Value) -> Value:
    """A literal after the name of its character set."""
    if charset.is_word("_BINARY") and isinstance(value, str):
        return Bytes(value.encode("utf-8", "surrogateescape"))
    return value


def _literal(token: Token, lexis: Lexis) -> Value:
    match token.kind:
        case TokenKind.NUMBER:
            return _number(token.text, lexis)
        case TokenKind.BYTES:
            return _bytes(token.text, lexis)
        case TokenKind.TEXT | TokenKind.ESCAPED:
            return _text(token, lexis)
        case TokenKind.NAME if token.text.startswith('"'):
            return token.name
    return _WORDS.get(token.text.upper(), EXPRESSION) if token.kind is TokenKind.WORD else EXPRESSION


def _text_with_line_ends(tokens: Sequence[Token]) -> Value:
    """A text with marks for line ends, as the sqlite3 shell writes it; any other call stays an expression."""
    if not compiled(TEXT_WITH_LINE_ENDS).fullmatch("".join(token.text for token in tokens)):
        return EXPRESSION
    written, *marks = [token.text[1:-1] for token in tokens if token.kind is TokenKind.TEXT]
    codes = [int(token.text) for token in tokens if token.kind is TokenKind.NUMBER]
    text = written.replace("''", "'")
    for mark, code in zip(marks, codes, strict=True):
        text = text.replace(mark, chr(code))
    return text


def _bytes(literal: str, lexis: Lexis) -> Value:
    """x'…', b'…', 0x… or 0b…; the bits of PostgreSQL are a text."""
    digits = literal[2:].rstrip("'")
    is_hex = "x" in literal[:2].lower()
    if lexis.dialect is Dialect.POSTGRES and not is_hex:
        return digits[:_SHOWN_SOURCE]
    per_byte = 2 if is_hex else 8
    size = -(-len(digits) // per_byte)
    first = digits.rjust(size * per_byte, "0")[: per_byte * _SHOWN_SOURCE]
    return Bytes(int(first or "0", 16 if is_hex else 2).to_bytes(len(first) // per_byte), size)


def _number(text: str, lexis: Lexis) -> Value:
    sign, digits = -1 if text.startswith("-") else 1, text.lstrip("+-").replace("_", "")
    if digits[:2].lower() == "0x":
        return _bytes(digits, lexis) if lexis.dialect is Dialect.MYSQL else _hex_integer(sign, digits)
    if len(digits) > _SHOWN_SOURCE:
        return text[:_SHOWN_SOURCE]
    if not digits.isdigit():
        return sign * float(digits)
    return _sqlite_integer(sign, digits) if lexis.dialect is Dialect.SQLITE else sign * int(digits)


def _sqlite_integer(sign: int, digits: str) -> int | float:
    """What does not fit into 64 bits is a real in SQLite."""
    value = sign * int(digits)
    return value if -(2**63) <= value < 2**63 else sign * float(digits)


def _hex_integer(sign: int, digits: str) -> Value:
    """SQLite takes 16 digits of hex for the 64 bits of an integer, and no more of them."""
    value = int(digits[:34], 16)
    return sign * (value - 2**64 if 2**63 <= value < 2**64 else value)


def _text(token: Token, lexis: Lexis) -> str:
    written = token.text
    if written.startswith("$"):
        tag = written.index("$", 1) + 1
        return written[tag:-tag][:_SHOWN_SOURCE]
    cut = written if len(written) <= _SHOWN_SOURCE else written[:_SHOWN_SOURCE] + written[-1]
    if lexis.dialect is Dialect.SQLITE:
        quote = written[-1]
        return cut[cut.index(quote) + 1 : -1].replace(quote * 2, quote)
    cell = _reading(lexis.dialect, lexis.escapes).cells([cut])[0]
    assert isinstance(cell, str), "a text in quotes is a text"
    return cell


@cache
def _reading(dialect: Dialect, escapes: bool) -> Reading:
    """How a build reads texts in quotes."""
    if dialect is Dialect.MYSQL:
        return Reading(lexicons.mysql_lexicon(escapes=escapes))
    return Reading(lexicons.POSTGRES_WITH_ESCAPES if escapes else lexicons.POSTGRES)
