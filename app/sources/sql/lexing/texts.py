"""What texts in quotes mean: doubled quotes, and the escapes of each dialect.

An escape of PostgreSQL may be one byte of a character; a byte above ASCII is a surrogate until its neighbours are
known, and stays one if they make no character.
"""

import re

from app.sources.dialect import Dialect
from app.sources.sql.lexing.syntax import Syntax

_MYSQL_ESCAPE = re.compile(r"\\([\s\S])|''")
_MYSQL_ESCAPE_IN_DOUBLE = re.compile(r'\\([\s\S])|""')
_MYSQL_MEANINGS = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_POSTGRES_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<other>[\s\S]))|''"
)
_COPY_ESCAPE = re.compile(r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})|(?P<other>[\s\S]))")
_MEANINGS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FIRST_SURROGATE = 0xDC00


def text_of(literal: str, syntax: Syntax) -> str:
    """The text in a literal that begins with its quote."""
    inner = literal[1:-1]
    if literal[0] == '"':
        escaped = syntax.escapes and "\\" in inner
        return _MYSQL_ESCAPE_IN_DOUBLE.sub(_mysql_meaning, inner) if escaped else inner.replace('""', '"')
    if not syntax.escapes or "\\" not in inner:
        return inner.replace("''", "'")
    if syntax.dialect is Dialect.MYSQL:
        common = None if "''" in inner else _commonly_escaped(inner)
        return _MYSQL_ESCAPE.sub(_mysql_meaning, inner) if common is None else common
    return escaped_text(inner)


def escaped_text(inner: str) -> str:
    """What stands between the quotes of PostgreSQL's E'…'."""
    return _whole(_POSTGRES_ESCAPE.sub(_postgres_meaning, inner))


def copied_text(field: str) -> str:
    """The text of a field of COPY that has escapes."""
    common = _commonly_escaped(field)
    return _whole(_COPY_ESCAPE.sub(_byte_meaning, field)) if common is None else common


def name_of(quoted: str) -> str:
    """The name in quotes or brackets."""
    quote, inner = quoted[0], quoted[1:-1]
    return inner if quote == "[" else inner.replace(quote * 2, quote)


def _mysql_meaning(escape: re.Match[str]) -> str:
    return escape[0][0] if escape[1] is None else _MYSQL_MEANINGS.get(escape[1], escape[1])


def _postgres_meaning(escape: re.Match[str]) -> str:
    if escape[0] == "''":
        return "'"
    if escape["pair"]:
        high, low = escape["pair"].split("\\u")
        return bytes.fromhex(high + low).decode("utf-16-be")
    code = escape["short"] or escape["long"]
    return _code_point(int(code, 16)) if code else _byte_meaning(escape)


def _code_point(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else chr(_FIRST_SURROGATE)


def _byte_meaning(escape: re.Match[str]) -> str:
    """The character of an escape, or the surrogate of its byte."""
    if escape["other"] is not None:
        return _MEANINGS.get(escape["other"], escape["other"])
    byte = int(escape["octal"], 8) & 0xFF if escape["octal"] else int(escape["hex"], 16)
    return chr(byte) if byte < 0x80 else chr(_FIRST_SURROGATE + byte)


def _whole(text: str) -> str:
    """Text whose bytes, given as escapes one by one, have become characters; broken ones stay surrogates."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text


def _commonly_escaped(text: str) -> str | None:
    """The text if line ends, tabs and quotes alone are escaped; None if anything else may be."""
    if "\\\\" in text:
        return None
    text = text.replace("\\n", "\n").replace("\\'", "'").replace("\\r", "\r").replace("\\t", "\t").replace('\\"', '"')
    return None if "\\" in text else text
