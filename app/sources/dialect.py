"""Which database a script was written for: recognised by what only its own dump tools write."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from app.sources.patterns import compile_pattern

LOOKED_AT = 256 * 1024
"""Characters of a script in which markers are looked for; dumps carry theirs at the top."""


class Dialect(StrEnum):
    """The `dialect` option: a database, or `auto` to recognise it."""

    AUTO = "auto"
    SQLITE = "sqlite"
    MYSQL = "mysql"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Recognition:
    """The dialect of a script, and the marker that told it; without one the script is read as SQLite's."""

    dialect: Dialect
    marker: str = ""


_MARKERS: Mapping[Dialect, tuple[tuple[str, str], ...]] = {
    Dialect.SQLITE: (
        ("a word of SQLite's own", r"^PRAGMA\ |\bAUTOINCREMENT\b|\bWITHOUT\ ROWID\b|\bsqlite_sequence\b"),
    ),
    Dialect.MYSQL: (
        ("a dump tool's header", r"^--\ (?:MySQL|MariaDB|phpMyAdmin|HeidiSQL|Adminer)\b"),
        ("a version comment /*!…", r"^/\*M?![0-9]{5,6}"),
        ("ENGINE=", r"\)\ *ENGINE\ *="),
        ("AUTO_INCREMENT", r"^\ *[`\w]+\ +(?:\w*INT)\b[^,\n]*\bAUTO_INCREMENT\b"),
        ("LOCK TABLES", r"^LOCK\ TABLES\ "),
        ("DELIMITER", r"^DELIMITER\ "),
        ("CREATE DATABASE with backticks", r"^(?:CREATE\ DATABASE|USE)\ [^;\n]*`"),
    ),
    Dialect.POSTGRES: (
        ("a dump tool's header", r"^--\ PostgreSQL\ database\ (?:cluster\ )?dump\b"),
        ("a psql command", r"^\\(?:c|connect|restrict)\ "),
        ("COPY … FROM stdin", r"^COPY\ [^;\n]*\bFROM\ stdin\b"),
        ("SET of a PostgreSQL setting", r"^SET\ (?:statement_timeout|lock_timeout|client_encoding|search_path)\b"),
        ("pg_catalog", r"\bpg_catalog\."),
        ("ALTER TABLE ONLY", r"^ALTER\ TABLE\ ONLY\ "),
        (
            "a type of PostgreSQL",
            r"^\ *\"?\w+\"?\ +(?:character\ varying|bytea|(?:big|small)?serial|timestamptz|jsonb)\b",
        ),
        ("a cast with ::", r"(?:'|\))::[a-z]"),
    ),
}
_FLAGS = int(re.MULTILINE | re.IGNORECASE | re.VERBOSE)
_PROSE = r"/\*(?!M?!)(?:[^*]++|\*(?!/))*+\*/|(?P<line>--[^\n]*+)|(?P<text>'(?:[^']++|'')*+')"


def recognise(text: str) -> Recognition:
    """The dialect whose markers `text` has; SQLite's where it has none, or equally strong ones of two databases.

    Only the beginning of the script decides, and nothing inside a text or a block comment counts.
    """
    beginning = compile_pattern(_PROSE).sub(_without_prose, text[:LOOKED_AT])
    found = sorted(marker for dialect in _MARKERS for marker in _strongest_marker(dialect, beginning))
    if not found or [strength for strength, *_ in found].count(found[0][0]) > 1:
        return Recognition(Dialect.SQLITE)
    _, name, dialect = found[0]
    return Recognition(dialect, "" if dialect is Dialect.SQLITE else name)


def _without_prose(found: re.Match[str]) -> str:
    return found["line"] or ("''" if found["text"] else " ")


def _strongest_marker(dialect: Dialect, text: str) -> list[tuple[int, str, Dialect]]:
    """The first marker of a dialect that the text has: strength 0 for a tool's own header, 1 for all others."""
    names = (name for name, pattern in _MARKERS[dialect] if compile_pattern(pattern, _FLAGS).search(text))
    return [(int(name != _MARKERS[dialect][0][0]), name, dialect) for name in islice(names, 1)]
