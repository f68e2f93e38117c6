"""The SQL mode of a MySQL session, as far as it says what quotes and backslashes mean.

mysqldump writes each trigger and routine in the mode in which it was made, and then goes back to its own.
"""

import re

from app.sources.dumps.lexicon import Lexicon, mysql_lexicon
from app.sources.patterns import compile_pattern

_ANSI = frozenset({"ANSI", "ANSI_QUOTES", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL"})
"""Modes in which double quotes enclose names."""

_PLAIN = frozenset({"NO_BACKSLASH_ESCAPES"})
COMPUTED_MODE = (
    r"SET\ (?:.*[ ,.@])?sql_mode\ ?+:?+=\ ?+(?!'[^']*'|\"[^\"]*\"|@(?!@))"
    rf".*\b(?:{'|'.join(sorted(_ANSI | _PLAIN))})\b"
)
"""A verbose pattern for the head of a SET by which the mode becomes known to the server only."""

_ASSIGNMENT = (
    r"@(?P<variable>[\w$]++)\s*+:?+=\s*+@@(?:\w++\.)?+sql_mode\b"
    r"|(?:(?P<scope>GLOBAL|PERSIST|PERSIST_ONLY)(?:\s++|\.))?+(?:(?<![\w@.])|(?<=@@)|(?<=\w\.))sql_mode\s*+:?+=\s*+"
    r"(?:'(?P<modes>[^']*+)'|\"(?P<quoted>[^\"]*+)\"|(?:IFNULL\s*+\(\s*+)?+@(?P<restored>[\w$]++))?+"
)
_FLAGS = int(re.IGNORECASE | re.ASCII)


class SqlMode:
    """The mode in force, and those that variables of the session keep."""

    def __init__(self) -> None:
        self._mode: frozenset[str] = frozenset()
        self._kept: dict[str, frozenset[str]] = {}

    @property
    def lexicon(self) -> Lexicon:
        """What quotes and backslashes mean now."""
        return mysql_lexicon(escapes=not self._mode & _PLAIN, ansi_quotes=bool(self._mode & _ANSI))

    def note(self, head: str) -> None:
        """Follow the assignments of a SET, given by its beginning."""
        for found in compile_pattern(_ASSIGNMENT, _FLAGS).finditer(head):
            if found["variable"]:
                self._kept[found["variable"].lower()] = self._mode
            elif not found["scope"]:
                self._mode = self._assigned(found)

    def _assigned(self, found: re.Match[str]) -> frozenset[str]:
        if found["restored"]:
            return self._kept.get(found["restored"].lower(), frozenset())
        modes = found["modes"] or found["quoted"] or ""
        return frozenset(mode.strip().upper() for mode in modes.split(","))
