"""Which database a script was written for: recognised by what only its own dump tools write."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice

from app.sources.dialect import Dialect
from app.sources.sql.lexing.patterns import compile_pattern
from app.sources.sql.lexing.prose import (
    COPY_FROM_STDIN,
    before_copied_lines,
    top_comments,
    without_escaped_prose,
    without_prose,
)

LOOKED_AT = 256 * 1024
"""Characters of a script in which markers are looked for; dumps carry theirs at the top."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """The dialect of a script, and the marker that told it; without one the script is read as SQLite's."""

    dialect: Dialect
    marker: str = ""


class _Strength(IntEnum):
    """How much a marker says, the strongest first."""

    HEADER = 0
    STATEMENT = 1
    TYPE = 2
    COMMON_TYPE = 3


@dataclass(frozen=True, slots=True)
class _Marker:
    """What one database's scripts have: every match of `pattern` has one of `words`, which are looked for first."""

    strength: _Strength
    name: str
    words: tuple[str, ...]
    pattern: str


_START = r"(?:\A|;)\s*+"
"""Where a statement begins; lines begin inside of definitions too, where words are names."""

_COLUMN = r"[(,]\s*+(?:\"[^\"]*+\"|`[^`]*+`|\w++)\s++"
_SIGNS_OF_MYSQL = ("\\", "#", "$")
"""Without these MySQL tells the same words from texts and comments as the others."""

_HEADERS: Mapping[Dialect, str] = {
    Dialect.MYSQL: r"^--\ (?:(?:MySQL|MariaDB)\ (?:dump|script|Workbench|\w++\ (?:dump|script))\b"
    r"|Dump\ created\ by\ MySQL\b|phpMyAdmin\b|HeidiSQL\b|Adminer\ [^M\n]*+(?:MySQL|MariaDB)\b)",
    Dialect.POSTGRES: r"^--\ (?:PostgreSQL\ database\ (?:cluster\ )?+dump\b|Adminer\ [^P\n]*+PostgreSQL\b)",
    Dialect.SQLITE: r"^--\ (?:File\ generated\ with\ SQLiteStudio\b|Adminer\ [^S\n]*+SQLite\b)",
}
_MARKERS: Mapping[Dialect, tuple[_Marker, ...]] = {
    Dialect.SQLITE: (
        _Marker(_Strength.STATEMENT, "PRAGMA", ("PRAGMA",), rf"{_START}PRAGMA\s"),
        _Marker(
            _Strength.STATEMENT,
            "AUTOINCREMENT",
            ("AUTOINCREMENT",),
            r"\bKEY\s++(?:(?:ASC|DESC)\s++)?+(?:ON\s++CONFLICT\s++\w++\s++)?+AUTOINCREMENT\b",
        ),
        _Marker(_Strength.STATEMENT, "WITHOUT ROWID", ("ROWID",), r"\)\s*+(?:STRICT\s*+,\s*+)?+WITHOUT\s++ROWID\b"),
        _Marker(_Strength.STATEMENT, "sqlite_sequence", ("SQLITE_SEQUENCE",), r"\bSQLITE_SEQUENCE\b"),
        _Marker(_Strength.COMMON_TYPE, "INTEGER PRIMARY KEY", ("PRIMARY",), r"\sINTEGER\s++PRIMARY\s++KEY\b"),
    ),
    Dialect.MYSQL: (
        _Marker(_Strength.STATEMENT, "a version comment /*!…", ("/*!", "/*M!"), r"/\*M?+![0-9]{5,6}"),
        _Marker(
            _Strength.STATEMENT,
            "ENGINE= or CHARSET=",
            ("ENGINE", "CHARSET"),
            r"\)[\w\s=]{0,200}?\b(?:ENGINE|CHARSET)\s*+=",
        ),
        _Marker(
            _Strength.STATEMENT,
            "AUTO_INCREMENT",
            ("AUTO_INCREMENT",),
            r"INT(?:EGER)?+(?:\s*+\([^()]*+\))?+(?:\s++(?!AUTO_INCREMENT\b)[\w.]++){0,20}+\s++AUTO_INCREMENT\b",
        ),
        _Marker(_Strength.STATEMENT, "LOCK TABLES", ("LOCK",), rf"{_START}LOCK\s++TABLES\s"),
        _Marker(_Strength.STATEMENT, "DELIMITER", ("DELIMITER",), r"^DELIMITER[\ \t]++[^\w\s]"),
        _Marker(
            _Strength.STATEMENT,
            "CREATE DATABASE with backticks",
            ("`",),
            rf"{_START}(?:CREATE\s++DATABASE|USE)\s[^;`]*+`",
        ),
        _Marker(
            _Strength.STATEMENT,
            "SET of a MySQL setting",
            ("SET",),
            rf"{_START}SET\s++(?:(?:GLOBAL|SESSION)\s++)?+(?:@|FOREIGN_KEY_CHECKS\b|UNIQUE_CHECKS\b|SQL_MODE\b)",
        ),
    ),
    Dialect.POSTGRES: (
        _Marker(_Strength.STATEMENT, "a psql command", ("\\",), r"^\\(?:C|CONNECT|RESTRICT)\ "),
        _Marker(_Strength.STATEMENT, "COPY … FROM stdin", ("STDIN",), COPY_FROM_STDIN),
        _Marker(
            _Strength.STATEMENT,
            "SET of a PostgreSQL setting",
            ("SET",),
            rf"{_START}SET\s++(?:(?:SESSION|LOCAL)\s++)?+"
            r"(?:STATEMENT_TIMEOUT|LOCK_TIMEOUT|CLIENT_ENCODING|SEARCH_PATH|STANDARD_CONFORMING_STRINGS)\b",
        ),
        _Marker(_Strength.STATEMENT, "pg_catalog", ("PG_CATALOG",), r"\bPG_CATALOG\."),
        _Marker(_Strength.STATEMENT, "ALTER TABLE ONLY", ("ONLY",), rf"{_START}ALTER\s++TABLE\s++ONLY\s"),
        _Marker(_Strength.STATEMENT, "a cast with ::", ("::",), r"::\s*+[A-Z\"]"),
        _Marker(
            _Strength.STATEMENT,
            "AS IDENTITY",
            ("IDENTITY",),
            r"\bGENERATED\s++(?:ALWAYS|BY\s++DEFAULT)\s++AS\s++IDENTITY\b",
        ),
        _Marker(
            _Strength.TYPE,
            "a type of PostgreSQL",
            ("SERIAL", "BYTEA", "TIMESTAMPTZ", "JSONB"),
            rf"{_COLUMN}(?:BYTEA|(?:BIG|SMALL)?+SERIAL[248]?+|TIMESTAMPTZ|JSONB)\b",
        ),
        _Marker(_Strength.COMMON_TYPE, "character varying", ("VARYING",), rf"{_COLUMN}CHARACTER\s++VARYING\b"),
    ),
}
_FLAGS = int(re.MULTILINE | re.VERBOSE)


def recognise(text: str) -> Recognition:
    """The dialect whose markers `text` has; SQLite's where it has none, or equally strong ones of two databases.

    Only the beginning of the script decides. A dump tool's header before the first statement wins; else nothing
    inside a text, a comment, a body in dollars or the lines of COPY counts.
    """
    beginning = text[:LOOKED_AT]
    return _by_header(beginning) or _by_markers(before_copied_lines(beginning))


def _by_header(text: str) -> Recognition | None:
    comments, flags = top_comments(text), _FLAGS | int(re.IGNORECASE)
    found = {dialect: compile_pattern(pattern, flags).search(comments) for dialect, pattern in _HEADERS.items()}
    places = {dialect: match.start() for dialect, match in found.items() if match}
    return _recognition(min(places, key=places.__getitem__), "a dump tool's header") if places else None


def _by_markers(text: str) -> Recognition:
    """MySQL's script is one where the text is read as MySQL does, and PostgreSQL's likewise."""
    words = without_prose(text).upper()
    may_differ = any(sign in text for sign in _SIGNS_OF_MYSQL)
    as_mysql = _strongest(without_escaped_prose(text).upper() if may_differ else words)
    if as_mysql.dialect is Dialect.MYSQL:
        return as_mysql
    otherwise = _strongest(words) if may_differ else as_mysql
    return otherwise if otherwise.dialect is Dialect.POSTGRES else Recognition(Dialect.SQLITE)


def _strongest(words: str) -> Recognition:
    """The dialect that has the strongest marker alone."""
    found = sorted(marker for dialect in _MARKERS for marker in _strongest_marker(dialect, words))
    if not found or [strength for strength, *_ in found].count(found[0][0]) > 1:
        return Recognition(Dialect.SQLITE)
    _, name, dialect = found[0]
    return _recognition(dialect, name)


def _recognition(dialect: Dialect, marker: str) -> Recognition:
    return Recognition(dialect, "" if dialect is Dialect.SQLITE else marker)


def _strongest_marker(dialect: Dialect, words: str) -> list[tuple[_Strength, str, Dialect]]:
    """The strongest of a dialect's markers that the upper-case words have."""
    found = (marker for marker in _MARKERS[dialect] if _has(words, marker))
    return [(marker.strength, marker.name, dialect) for marker in islice(found, 1)]


def _has(words: str, marker: _Marker) -> bool:
    if not any(part in words for part in marker.words):
        return False
    return compile_pattern(marker.pattern, _FLAGS).search(words) is not None
