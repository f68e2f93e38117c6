"""What a cell is: scalars, SQLite's affinities, collations and ordering, canonical JSON.

These rules are stated here once. Sources, graph, oracle and executor use this one place, and its tests compare
each rule with SQLite itself. Conversions between decimal text and REAL are left to SQLite's own routines, since
they round differently from Python's in rare cases.
"""

import hashlib
import json
import math
import re
from enum import StrEnum
from threading import local
from typing import TypeAlias

import apsw

Scalar: TypeAlias = int | float | str | bool | None
"""A finite JSON scalar. Integers fit 64 bits, reals are finite, text is valid UTF-8."""

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_ASCII_UPPER = {lower: upper for upper, lower in _ASCII_LOWER.items()}
_INTEGER_TEXT = re.compile(r"[+-]?[0-9]+")
_NUMBER_TEXT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SQLITE_SPACE = " \t\n\v\f\r"
_NUL = "\0"
"""Where SQLite's number parser and its NOCASE collation stop reading a text."""


class Affinity(StrEnum):
    """How a SQL column converts what is stored in it (https://sqlite.org/datatype3.html, section 3)."""

    INTEGER = "integer"
    TEXT = "text"
    BLOB = "blob"
    REAL = "real"
    NUMERIC = "numeric"

    @property
    def is_numeric(self) -> bool:
        """Whether text that looks like a number is converted."""
        return self in (Affinity.INTEGER, Affinity.REAL, Affinity.NUMERIC)


class Collation(StrEnum):
    """How text compares: by its UTF-8 bytes, without ASCII case, or without trailing spaces."""

    BINARY = "BINARY"
    NOCASE = "NOCASE"
    RTRIM = "RTRIM"

    def key(self, text: str) -> str:
        """The text whose BINARY order and equality are those of `text` under this collation.

        >>> Collation.NOCASE.key("ÄrgER"), Collation.RTRIM.key("m  ")
        ('Ärger', 'm')
        """
        if self is Collation.NOCASE:
            return _nocase_key(text)
        return text.rstrip(" ") if self is Collation.RTRIM else text


def _nocase_key(text: str) -> str:
    """Folded ASCII letters; of two texts that agree up to a NUL, only their lengths in bytes still count."""
    read, nul, _ = text.partition(_NUL)
    folded = fold_identifier(read)
    return f"{folded}{_NUL}{len(text.encode()):010}" if nul else folded


def fold_identifier(name: str) -> str:
    """Fold ASCII letters only, as SQLite compares identifiers.

    >>> fold_identifier("ÄB")
    'Äb'
    """
    return name.translate(_ASCII_LOWER)


def affinity_of(declared_type: str) -> Affinity:
    """The affinity of a declared type by SQLite's five rules, in their order.

    >>> affinity_of("VARCHAR(20)"), affinity_of("FLOATING POINT"), affinity_of("")
    (<Affinity.TEXT: 'text'>, <Affinity.INTEGER: 'integer'>, <Affinity.BLOB: 'blob'>)
    """
    upper = declared_type.translate(_ASCII_UPPER)
    if "INT" in upper:
        return Affinity.INTEGER
    if any(part in upper for part in ("CHAR", "CLOB", "TEXT")):
        return Affinity.TEXT
    if "BLOB" in upper or not upper:
        return Affinity.BLOB
    if any(part in upper for part in ("REAL", "FLOA", "DOUB")):
        return Affinity.REAL
    return Affinity.NUMERIC


def text_to_number(text: str) -> int | float | None:
    """The number that numeric affinity makes of `text`, or None if the text stays text.

    >>> text_to_number(" 01 "), text_to_number("3e1"), text_to_number("2x"), text_to_number("")
    (1, 30.0, None, None)
    """
    trimmed = text.partition(_NUL)[0].strip(_SQLITE_SPACE)
    if _INTEGER_TEXT.fullmatch(trimmed):
        integer = _small_integer(trimmed)
        return integer if integer is not None else _sqlite_real(trimmed)
    return _sqlite_real(trimmed) if _NUMBER_TEXT.fullmatch(trimmed) else None


def _small_integer(digits: str) -> int | None:
    if len(digits.lstrip("+-").lstrip("0")) > 19:
        return None
    integer = int(digits)
    return integer if INT64_MIN <= integer <= INT64_MAX else None


def number_to_text(number: int | float) -> str:
    """The text that TEXT affinity makes of a number.

    >>> number_to_text(42), number_to_text(5.0)
    ('42', '5.0')
    """
    return str(int(number)) if isinstance(number, int) else _sqlite_text(number)


def comparison_operand(value: Scalar, other: Affinity) -> Scalar:
    """`value`, without affinity of its own, as it is compared with a column of affinity `other`.

    This is the right side of `column = +value` (https://sqlite.org/datatype3.html, section 4.2).
    """
    if isinstance(value, str) and other.is_numeric:
        number = text_to_number(value)
        return value if number is None else number
    if isinstance(value, int | float) and other is Affinity.TEXT:
        return number_to_text(value)
    return value


def equality_key(value: Scalar, collation: Collation) -> int | float | str | None:
    """A hashable key that is equal for two values exactly when SQLite finds them equal; None for NULL."""
    if isinstance(value, str):
        return collation.key(value)
    return int(value) if isinstance(value, bool) else value


def order_key(value: Scalar, collation: Collation = Collation.BINARY) -> tuple[int, float | int, bytes]:
    """A sort key in SQLite's order: NULL, then numbers by value, then text by collation.

    >>> sorted(["b", 2, None, "a", 1.5], key=order_key)
    [None, 1.5, 2, 'a', 'b']
    """
    if value is None:
        return (0, 0, b"")
    if isinstance(value, str):
        return (2, 0, collation.key(value).encode("utf-8"))
    return (1, value, b"")


def is_finite_scalar(value: object) -> bool:
    """Whether `value` may be a cell: None, bool, a 64-bit integer, a finite real, or text without surrogates."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return INT64_MIN <= value <= INT64_MAX
    return value is None or (isinstance(value, str) and _is_unicode(value))


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def canonical_json(document: object) -> str:
    """The one JSON text of a document: sorted keys, no spaces, characters as they are, no NaN."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_sha256(document: object) -> str:
    """The hexadecimal SHA-256 of a document's canonical JSON in UTF-8."""
    return hashlib.sha256(canonical_json(document).encode("utf-8")).hexdigest()


_calculators = local()


def _calculate(sql: str, value: str | float) -> object:
    """Let SQLite itself convert one value; it reads no table."""
    if not hasattr(_calculators, "cursor"):
        _calculators.cursor = apsw.Connection(":memory:").cursor()
    return _calculators.cursor.execute(sql, (value,)).fetchall()[0][0]


def _sqlite_real(text: str) -> float:
    return float(_calculate("SELECT CAST(? AS REAL)", text))  # type: ignore[arg-type]


def _sqlite_text(number: float) -> str:
    return str(_calculate("SELECT CAST(? AS TEXT)", number))
