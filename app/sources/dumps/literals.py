"""Turns literals of a dump, as written, into cells: text, bytes, or None for NULL. Numbers stay the text they are.

SQLite's affinities make numbers of them later, exactly as of numbers in its own dumps.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.sources.dumps.lexicon import Lexicon
from app.sources.sql.dialect import Dialect

Cell: TypeAlias = str | bytes | None

_NUMBER_STARTS = frozenset("0123456789+-.")
_NO_STARTS: frozenset[str] = frozenset()
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
_INTRODUCER = re.compile(r"(?P<word>_binary|_[a-z0-9]+|n(?='))\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the literals of some rows are read: looking for less takes less time.

    `quotes` says whether texts may hold doubled quotes, or escapes where they mean something; `bases` whether numbers
    may be in another base.
    """

    lexicon: Lexicon
    quotes: bool = True
    bases: bool = True

    @classmethod
    def of(cls, rows: str, lexicon: Lexicon) -> "Reading":
        """What the text of the rows calls for."""
        quotes = "''" in rows or (lexicon.escapes and "\\" in rows)
        return cls(lexicon, quotes, lexicon.dialect is Dialect.MYSQL and ("0x" in rows or "0b" in rows))

    def cells(self, tokens: Sequence[str]) -> list[Cell]:
        """The cells that the literals stand for."""
        lexicon = self.lexicon
        numbers = _NO_STARTS if self.bases else _NUMBER_STARTS
        if not self.quotes:
            return [
                token[1:-1] if token[0] == "'" else token if token[0] in numbers else _special(token, lexicon)
                for token in tokens
            ]
        return [
            token if token[0] in numbers
            else _special(token, lexicon) if token[0] != "'"
            else _text(token, lexicon) if "\\" in token or "''" in token
            else token[1:-1]
            for token in tokens
        ]  # fmt: skip


def _text(token: str, lexicon: Lexicon) -> str:
    """The text in a plain literal."""
    inner = token[1:-1]
    if not lexicon.escapes or "\\" not in inner:
        return inner.replace("''", "'")
    if lexicon.dialect is Dialect.MYSQL:
        common = None if "''" in inner else _commonly_escaped(inner)
        return _MYSQL_ESCAPE.sub(_mysql_meaning, inner) if common is None else common
    return _whole(_POSTGRES_ESCAPE.sub(_postgres_meaning, inner))


def _special(token: str, lexicon: Lexicon) -> Cell:
    """Everything but a plain text: numbers, NULL, truth values, and literals with something before the quote."""
    word = token.upper()
    if word == "NULL":
        return None
    if lexicon.dialect is Dialect.MYSQL:
        return _mysql_special(token, word, lexicon)
    if token[0] in "eE" and token[1:2] == "'":
        return _whole(_POSTGRES_ESCAPE.sub(_postgres_meaning, token[2:-1]))
    if token[0] in "bB" and token[1:2] == "'":
        return token[2:-1]
    return _text(token[1:], lexicon) if token[0] in "nN" else token


def _mysql_special(token: str, word: str, lexicon: Lexicon) -> Cell:
    if word in ("TRUE", "FALSE"):
        return "1" if word == "TRUE" else "0"
    if token[0] == '"':
        inner = token[1:-1]
        return _MYSQL_ESCAPE_IN_DOUBLE.sub(_mysql_meaning, inner) if lexicon.escapes else inner.replace('""', '"')
    introducer = _INTRODUCER.match(token)
    if introducer:
        cell = Reading(lexicon).cells([token[introducer.end() :]])[0]
        is_binary = introducer["word"].lower() == "_binary"
        return cell.encode("utf-8", "surrogateescape") if is_binary and isinstance(cell, str) else cell
    if word[:2] in ("0X", "X'"):
        digits = token[2:].rstrip("'")
        return bytes.fromhex(digits.rjust(len(digits) + len(digits) % 2, "0"))
    if word[:2] in ("0B", "B'"):
        bits = token[2:].rstrip("'")
        return int(bits or "0", 2).to_bytes((len(bits) + 7) // 8 or 1)
    return token


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
    """The character of an escape; a byte above ASCII is a surrogate until its neighbours are known."""
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


def copy_text(field: str) -> str:
    """The text of a field of COPY that has escapes."""
    common = _commonly_escaped(field)
    return _whole(_COPY_ESCAPE.sub(_byte_meaning, field)) if common is None else common


def _commonly_escaped(text: str) -> str | None:
    """The text in which line ends, tabs and quotes alone are escaped; None where anything else may be."""
    if "\\\\" in text:
        return None
    text = text.replace("\\n", "\n").replace("\\'", "'").replace("\\r", "\r").replace("\\t", "\t").replace('\\"', '"')
    return None if "\\" in text else text
