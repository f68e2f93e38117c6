"""Splits a dump into statements, and says of each what becomes of it by its first words. Nothing is ever run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from app.budget import check_deadline
from app.sources.dialect import Dialect
from app.sources.dumps import lexicon as lexicons
from app.sources.dumps.lexicon import NOTE_START, Lexicon, compiled
from app.sources.dumps.modes import COMPUTED_MODE, SqlMode
from app.sources.dumps.script import Script
from app.sources.patterns import compile_pattern

_HEAD = 600
"""Characters of a statement by which it is told."""


class StatementKind(Enum):
    """What becomes of a statement."""

    TABLE = "defines a table"
    ALTER = "adds keys to a table"
    INDEX = "declares a unique index"
    COMMENT = "describes a table or column"
    DOMAIN = "names a type"
    DROP = "removes tables"
    DROP_SCHEMA = "removes a schema or database"
    SCHEMA = "changes the current schema"
    INSERT = "holds rows in parentheses"
    COPY = "holds rows in lines"
    SKIPPED = "is left out"
    COMPUTED_MODE = "sets an SQL mode that only the server knows"
    REFUSED = "cannot be left out"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement at `start` to `end` of a script's text.

    `subject` says what was left out, for example `view`, and `name` which one. The lines of a COPY follow from `end` to
    `after`; everything else has nothing between the two.
    """

    script: Script
    lexicon: Lexicon
    kind: StatementKind
    start: int
    end: int
    after: int
    subject: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """The statement itself."""
        return self.script.text[self.start : self.end]


_PART = r"(?:`[^`]*+`|\"[^\"]*+\"|[\w$]++|[-+*/<>=~!@\#%^&|?]++)"
"""A part of a name, which of an operator are signs."""

_NAME = rf"{_PART}(?:\ ?+\.\ ?+{_PART})*+"
_OBJECT = (
    r"(?P<subject>MATERIALIZED\ VIEW|EVENT\ TRIGGER|FOREIGN\ TABLE|FOREIGN\ DATA\ WRAPPER|TEXT\ SEARCH\ \w++"
    r"|OPERATOR\ (?:CLASS|FAMILY)|ACCESS\ METHOD|USER\ MAPPING|DEFAULT\ PRIVILEGES|LARGE\ OBJECT"
    r"|AGGREGATE|CAST|COLLATION|CONVERSION|DATABASE|EVENT|EXTENSION|FUNCTION|INDEX|LANGUAGE|OPERATOR|POLICY|PROCEDURE"
    r"|PUBLICATION|ROLE|ROUTINE|RULE|SCHEMA|SEQUENCE|SERVER|STATISTICS|SUBSCRIPTION|TABLESPACE|TRANSFORM|TRIGGER|TYPE"
    r"|DOMAIN|USER|VIEW)\b"
)
_RULES: tuple[tuple[StatementKind, str], ...] = (
    (StatementKind.INSERT, r"(?:INSERT|REPLACE)\b"),
    (StatementKind.COPY, r"COPY\b"),
    (StatementKind.TABLE, r"CREATE\ (?:UNLOGGED\ )?TABLE\b"),
    (StatementKind.ALTER, r"ALTER\ TABLE\b"),
    (StatementKind.INDEX, r"CREATE\ UNIQUE\ INDEX\b"),
    (StatementKind.COMMENT, r"COMMENT\ ON\ (?:TABLE|COLUMN)\b"),
    (StatementKind.SKIPPED, rf"(?P<subject>COMMENT)\ ON\ (?P<name>(?:{_NAME}|\ (?!IS\ (?:NULL\b|E?'))|[(),\[\]:])++)"),
    (StatementKind.DOMAIN, r"CREATE\ DOMAIN\b"),
    (StatementKind.DROP, r"DROP\ TABLE\b"),
    (StatementKind.DROP_SCHEMA, r"DROP\ (?:SCHEMA|DATABASE)\b"),
    (StatementKind.SCHEMA, r"USE\b|SET\ (?:SESSION\ |LOCAL\ )?search_path\b"),
    (StatementKind.REFUSED, r"CREATE\ (?:GLOBAL\ |LOCAL\ )?TEMP(?:ORARY)?\b"),
    (StatementKind.COMPUTED_MODE, COMPUTED_MODE),
    (StatementKind.SKIPPED, r"(?P<subject>SET|RESET)\b"),
    (
        StatementKind.SKIPPED,
        rf"(?:CREATE|ALTER|DROP)\ (?:(?!TABLE\b|AS\b|{_OBJECT.replace('?P<subject>', '?:')})\S++\ )*?{_OBJECT}"
        rf"(?:\ (?:CONCURRENTLY|IF\ EXISTS|IF\ NOT\ EXISTS))*+(?:\ (?P<name>{_NAME}))?+",
    ),
    (StatementKind.SKIPPED, r"SELECT\ (?:pg_catalog\.)?(?P<subject>setval|set_config)\ ?\("),
    (StatementKind.SKIPPED, r"SELECT\ (?:pg_catalog\.)?(?P<subject>lo_create)\ ?\(\ ?'?(?P<name>[0-9]++)'?\ ?\)"),
    (StatementKind.SKIPPED, r"SELECT\ (?:pg_catalog\.)?(?P<subject>lo_open|lowrite|lo_close|lo_unlink)\ ?\("),
    (
        StatementKind.SKIPPED,
        r"SELECT\ CASE\ WHEN\ EXISTS\(SELECT\ 1\ FROM\ pg_catalog\.pg_largeobject_metadata\ WHERE\ oid\ =\ '[0-9]++'\)"
        r"\ THEN\ pg_catalog\.(?P<subject>lo_unlink)\(",
    ),
    (StatementKind.SKIPPED, r"SELECT\ \*\ FROM\ pg_catalog\.(?P<subject>pg_restore_(?:relation|attribute)_stats)\ ?\("),
    (StatementKind.SKIPPED, r"(?P<subject>LOCK|UNLOCK)\ TABLES?\b"),
    (StatementKind.SKIPPED, r"(?P<subject>GRANT|REVOKE|REASSIGN|SECURITY\ LABEL|IMPORT\ FOREIGN\ SCHEMA)\b"),
    (StatementKind.SKIPPED, r"(?P<subject>BEGIN|START\ TRANSACTION|COMMIT|END|SAVEPOINT|RELEASE)\b"),
    (
        StatementKind.SKIPPED,
        r"(?P<subject>ANALYZE|VACUUM|FLUSH|OPTIMIZE|CHECK|REINDEX|CLUSTER|REFRESH|NOTIFY|CHANGE)\b",
    ),
)
_SUBJECTS = {"lo_create": "large object"}
_RULE_FLAGS = int(re.VERBOSE | re.IGNORECASE | re.DOTALL)
_MARKS = re.compile(r"/\*M?!\d*+|(?<!\S)\*/|\*/")
_NOTES = rf"{NOTE_START}(?:[^*]++|\*(?!/))*+\*/|--[^\n]*+|#[^\n]*+"
_DELIMITER = re.compile(r"DELIMITER[ \t]++(\S++)[^\n]*+", re.IGNORECASE)
_SET = re.compile(r"SET\b", re.IGNORECASE)
_CONFORMING = re.compile(r"SET\s+standard_conforming_strings\s*(?:=|TO)\s*'?(on|off)", re.IGNORECASE)
_ATOMIC = re.compile(r"CREATE\b.*\b(?:FUNCTION|PROCEDURE)\b.*\bBEGIN\s+ATOMIC\b", re.IGNORECASE | re.DOTALL)
_END = re.compile(r"\s*END\s*;", re.IGNORECASE)
_INSERT_HEAD = r"[^;'(/#-]*?(?:\([^;'()/#-]*+\)\s*+|(?<=\s))(?i:VALUES?)\s*+(?=\()"
_BLANK = re.compile(r"[ \t\n\f\r\v]*+")
_META = re.compile(r"\\(\S*+)[^\n]*+")
_HARMLESS_META = frozenset(
    {"c", "connect", "restrict", "unrestrict", "encoding", "set", "unset", "echo", "qecho", "warn", "timing", "pset"}
)
_LAST_LINE = re.compile(r"^\\\.\r?$", re.MULTILINE)


class StatementSplitter:
    """Walks over one script in the lexicon in force."""

    def __init__(self, script: Script, dialect: Dialect) -> None:
        self._script = script
        self._text = script.text
        self._mode = SqlMode()
        self._lexicon = self._mode.lexicon if dialect is Dialect.MYSQL else lexicons.POSTGRES
        self._delimiter = ";"

    def statements(self) -> Iterator[Statement]:
        """All statements in order; `SqlInvalidError` for a quote or for lines that never end."""
        start = self._after_space(0)
        while start < len(self._text):
            check_deadline()
            statement = self._command(start) or self._statement(start)
            if statement is not None:
                yield statement
                start = statement.after
            start = self._after_space(start if statement else self._after_delimiter(start))

    def _after_space(self, start: int) -> int:
        space = compiled(rf"(?:{self._lexicon.space};)*+{self._lexicon.space}").match(self._text, start)
        assert space is not None, "the pattern matches nothing at all as well"
        return space.end()

    def _after_delimiter(self, start: int) -> int:
        """Past a DELIMITER command, or past a delimiter that stands alone."""
        command = _DELIMITER.match(self._text, start)
        if command:
            self._delimiter = command[1]
            return command.end()
        return start + len(self._delimiter)

    def _command(self, start: int) -> Statement | None:
        """A command of the psql client, which ends with its line."""
        if self._lexicon.dialect is not Dialect.POSTGRES or self._text[start] != "\\":
            return None
        command = _META.match(self._text, start)
        assert command is not None, "it begins with a backslash"
        kind = StatementKind.SKIPPED if command[1].rstrip(";") in _HARMLESS_META else StatementKind.REFUSED
        return self._made(kind, start, command.end(), "psql command")

    def _statement(self, start: int) -> Statement | None:
        """The statement at `start`; None for a DELIMITER command and for an empty statement."""
        if self._lexicon.dialect is Dialect.MYSQL and _DELIMITER.match(self._text, start):
            return None
        end = self._end(start)
        if end == start:
            return None
        head = _head(self._text[start : min(end, start + _HEAD)], self._lexicon.dialect)
        kind, subject, name = _told(head)
        self._note_setting(head)
        if kind is StatementKind.COPY:
            return self._copy(start, end)
        if kind is StatementKind.INSERT:
            end = self._end_of_run(start, end)
        return self._made(kind, start, end, subject, name)

    def _made(self, kind: StatementKind, start: int, end: int, subject: str = "", name: str = "") -> Statement:
        after = end + len(self._delimiter) if self._text.startswith(self._delimiter, end) else end
        return Statement(self._script, self._lexicon, kind, start, end, after, subject, name)

    def _end(self, start: int) -> int:
        """Where the statement ends, without its delimiter."""
        if self._delimiter != ";":
            end = self._text.find(self._delimiter, start)
            if end < 0:
                raise self._script.invalid(start, f"a statement never ends with its delimiter {self._delimiter}")
            return end
        end = self._semicolon(start)
        if _ATOMIC.match(self._text, start, end):
            while end < len(self._text) and not _END.match(self._text, end + 1):
                end = self._semicolon(end + 1)
            end = self._semicolon(end + 1) if end < len(self._text) else end
        return end

    def _semicolon(self, start: int) -> int:
        rest = compiled(self._lexicon.tokens).match(self._text, start)
        assert rest is not None, "the pattern matches nothing at all as well"
        if rest.end() < len(self._text) and self._text[rest.end()] != ";":
            raise self._script.invalid(rest.end(), f"a quote is never closed: {self._script.shown(rest.end())}")
        return rest.end()

    def _end_of_run(self, start: int, end: int) -> int:
        """Where the last of the INSERTs ends that follow one another with the same words up to VALUES."""
        head = compile_pattern(_INSERT_HEAD).match(self._text, start, end)
        after = _BLANK.match(self._text, end + 1) if head else None
        while head and after and self._delimiter == ";" and self._text.startswith(head[0], after.end()):
            check_deadline()
            end = self._semicolon(after.end())
            after = _BLANK.match(self._text, end + 1)
        return end

    def _note_setting(self, head: str) -> None:
        """Follow settings that change what quotes and backslashes mean."""
        if not _SET.match(head):
            return
        setting = _CONFORMING.match(head)
        if self._lexicon.dialect is Dialect.MYSQL:
            self._mode.note(head)
            self._lexicon = self._mode.lexicon
        elif setting:
            off = setting[1].lower() == "off"
            self._lexicon = lexicons.POSTGRES_WITH_ESCAPES if off else lexicons.POSTGRES

    def _copy(self, start: int, end: int) -> Statement:
        """A COPY and its lines, which end with a backslash and a dot."""
        line_end = self._text.find("\n", end)
        last = _LAST_LINE.search(self._text, line_end + 1) if line_end >= 0 else None
        if last is None:
            raise self._script.invalid(start, "the lines of COPY never end with \\.")
        return Statement(self._script, self._lexicon, StatementKind.COPY, start, end, last.end())


def _head(text: str, dialect: Dialect) -> str:
    """The beginning of a statement on one line, without comments, and with what MySQL's version comments hold."""
    plain = compile_pattern(_NOTES).sub(" ", text)
    return " ".join((_MARKS.sub(" ", plain) if dialect is Dialect.MYSQL else plain).split())


def _told(head: str) -> tuple[StatementKind, str, str]:
    """Kind, subject and name of a statement by its first words."""
    if not head:
        return StatementKind.SKIPPED, "version comment", ""
    for kind, pattern in _RULES:
        found = compile_pattern(pattern, _RULE_FLAGS).match(head)
        if found:
            groups = found.groupdict()
            verb = head.split(maxsplit=1)[0].lower()
            if kind is StatementKind.SKIPPED and verb in ("alter", "drop"):
                return kind, verb, ""
            subject = (groups.get("subject") or "").lower()
            return kind, _SUBJECTS.get(subject, subject), groups.get("name") or ""
    return StatementKind.REFUSED, "", ""
