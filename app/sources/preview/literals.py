"""What the literals of the dialects mean, as far as a preview shows them."""

import re
from collections.abc import Sequence

from app.sources.dialect import Dialect
from app.sources.preview.model import Cell, placeholder, shown_cell
from app.sources.preview.tokens import Lexis, Token, TokenKind
from app.sources.sql_lexicon import TEXT_WITH_LINE_ENDS, compiled

_SHOWN_SOURCE = 2_000
"""Characters of a text in quotes that are looked at; what is shown is shorter."""

_BINARY_TYPE = re.compile(r"\b(?:\w*BLOB|VARBINARY|BINARY|BYTEA|IMAGE)\b", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|([\s\S]))|''|\"\"")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_MYSQL_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a"}
_WORDS: dict[str, Cell] = {"NULL": None, "TRUE": True, "FALSE": False}
EXPRESSION = placeholder("expression")
DEFAULT = placeholder("default")


def is_binary_type(declared: str) -> bool:
    """Whether a column of this declared type holds bytes."""
    return bool(_BINARY_TYPE.search(declared))


def cell_value(tokens: Sequence[Token], lexis: Lexis) -> Cell:
    """What one cell of a VALUES row shows: its literal, or that it is an expression."""
    plain = _without_cast([token for token in tokens if token.kind is not TokenKind.COMMENT])
    if len(plain) == 2 and plain[0].text in ("+", "-") and plain[1].kind is TokenKind.NUMBER:
        return _number(plain[0].text + plain[1].text, lexis)
    if len(plain) == 2 and plain[0].kind is TokenKind.WORD and plain[0].text.startswith("_"):
        is_binary = plain[0].is_word("_BINARY")
        return placeholder("binary") if is_binary else _literal(plain[1], lexis)
    if len(plain) == 1:
        return _literal(plain[0], lexis)
    if lexis.dialect is Dialect.SQLITE and plain and plain[0].is_word("REPLACE"):
        return _text_with_line_ends(plain)
    return EXPRESSION


def _without_cast(tokens: Sequence[Token]) -> Sequence[Token]:
    casts = [place for place, token in enumerate(tokens) if token.text == "::"]
    return tokens[: casts[0]] if casts else tokens


def _literal(token: Token, lexis: Lexis) -> Cell:
    match token.kind:
        case TokenKind.NUMBER:
            return _number(token.text, lexis)
        case TokenKind.BYTES:
            return placeholder(f"binary, {_byte_count(token.text):,} bytes")
        case TokenKind.TEXT | TokenKind.ESCAPED:
            return shown_cell(_text(token, lexis))
        case TokenKind.NAME if token.text.startswith('"'):
            return shown_cell(token.name)
    return _WORDS.get(token.text.upper(), EXPRESSION) if token.kind is TokenKind.WORD else EXPRESSION


def _text_with_line_ends(tokens: Sequence[Token]) -> Cell:
    """A text with marks for line ends, as the sqlite3 shell writes it; any other call stays an expression."""
    if not compiled(TEXT_WITH_LINE_ENDS).fullmatch("".join(token.text for token in tokens)):
        return EXPRESSION
    written, *marks = [token.text[1:-1] for token in tokens if token.kind is TokenKind.TEXT]
    codes = [int(token.text) for token in tokens if token.kind is TokenKind.NUMBER]
    text = written.replace("''", "'")
    for mark, code in zip(marks, codes, strict=True):
        text = text.replace(mark, chr(code))
    return shown_cell(text)


def _byte_count(literal: str) -> int:
    per_byte = 2 if literal[0] in "xX" else 8
    return -(-(len(literal) - 3) // per_byte)


def _number(text: str, lexis: Lexis) -> Cell:
    digits = text.lstrip("+-")
    if digits[:2].lower() == "0x":
        if lexis.dialect is Dialect.MYSQL:
            return placeholder(f"binary, {-(-(len(digits) - 2) // 2):,} bytes")
        return shown_cell(int(digits[:34], 16) * (-1 if text.startswith("-") else 1))
    if digits.isdigit():
        return shown_cell(int(text)) if len(digits) <= 30 else shown_cell(text)
    return shown_cell(float(text)) if len(text) <= 40 else shown_cell(text)


def _text(token: Token, lexis: Lexis) -> str:
    if token.text.startswith("$"):
        return token.text.split("$", 2)[2][:_SHOWN_SOURCE].rsplit("$", 2)[0]
    quote = token.text.index("'") if "'" in token.text[:2] else token.text.index('"')
    inner = token.text[quote + 1 : -1]
    cut = inner[:_SHOWN_SOURCE]
    mark = token.text[quote]
    if lexis.dialect is Dialect.MYSQL:
        return unescaped(cut, _MYSQL_ESCAPES)
    if token.kind is TokenKind.ESCAPED or lexis.escapes:
        return unescaped(cut, _ESCAPES)
    return cut.replace(mark * 2, mark)


def unescaped(text: str, escapes: dict[str, str]) -> str:
    """`text` with what its backslashes and doubled quotes mean."""

    def meaning(match: re.Match[str]) -> str:
        octal, hexadecimal, unit, character = match.groups()
        if character is not None:
            return escapes.get(character, character)
        if match[0][0] != "\\":
            return match[0][0]
        if octal is not None and octal in escapes:
            return escapes[octal]
        return chr(int(octal, 8)) if octal is not None else chr(int(hexadecimal or unit, 16))

    return _ESCAPE.sub(meaning, text)


def copied_cell(field: str) -> Cell:
    r"""A field of a COPY line; `\N` is NULL."""
    return None if field == "\\N" else shown_cell(unescaped(field[:_SHOWN_SOURCE], _ESCAPES))
