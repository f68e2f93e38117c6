"""Splits a script into statements as its client does: semicolons, DELIMITER, psql's commands, and lines of COPY."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.budget import check_deadline
from app.sources.dialect import Dialect
from app.sources.sql.lexing.comments import after_space, end_before, end_of_statement
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.patterns import compile_pattern
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.syntax import END_OF_WORD, compiled
from app.sources.sql.lexing.tokens import TokenBudget, TokenKind, tokens_of
from app.sources.sql.statements.session import Session, Settings

MOST_CHARACTERS = 1024 * 1024
"""The longest statement other than one with rows; whoever writes longer ones writes no definition."""

_DELIMITER = re.compile(r"DELIMITER[ \t]++(\S++)[^\n]*+", re.IGNORECASE)
_DASHES = re.compile(r"--[^\n]*+")
_COMMAND = re.compile(r"\\[^\n]*+")
_ROWS = re.compile(r"(?:/\*M?!\d*+\s*+)?(?:INSERT|REPLACE)\b", re.IGNORECASE)
_COPY = re.compile(r"COPY\b(?:[^;\"]|\"[^\"]*+\")*?\bFROM\s+stdin\b", re.IGNORECASE)
_NOTHING_MORE = re.compile(r"[ \t\r]*+(?:--[^\n]*+)?(?:\n|\Z)")
_LAST_LINE = re.compile(r"^\\\.\r?$", re.MULTILINE)
_ATOMIC = re.compile(r"CREATE\b.*\b(?:FUNCTION|PROCEDURE)\b.*\bBEGIN\s+ATOMIC\b", re.IGNORECASE | re.DOTALL)
_END = re.compile(r"END\b", re.IGNORECASE)
_INSERT_HEAD = r"[^;'(/#-]*?(?:\([^;'()/#-]*+\)\s*+|(?<=\s))(?i:VALUES?)\s*+(?=\()"
_BLANK = re.compile(r"[ \t\n\f\r\v]*+")
_COPY_LOOKED_AT = 20_000


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, or a run of INSERTs with one head, at `start` to `end` of a script's text.

    The lines of a COPY stand at `end` to `after`; everything else has no more than its delimiter there. `is_command`
    says that it is one of psql's own, which ends with its line.
    """

    script: Script
    settings: Settings
    start: int
    end: int
    after: int
    is_command: bool = False

    @property
    def text(self) -> str:
        """The statement itself."""
        return self.script.text[self.start : self.end]

    @property
    def has_rows(self) -> bool:
        """Whether it begins as a statement with rows does."""
        return _ROWS.match(self.script.text, self.start, self.end) is not None or self.has_lines

    @property
    def has_lines(self) -> bool:
        """Whether it is a COPY with the lines that follow it."""
        return self.after > self.end + 1 and _COPY.match(self.script.text, self.start, self.end) is not None

    def cursor(self, budget: TokenBudget) -> Cursor:
        """A cursor over its tokens without comments; `SqlUnsupportedError` if it is too long."""
        if self.end - self.start > MOST_CHARACTERS:
            raise self.script.unsupported(self.start, f"a definition is longer than {MOST_CHARACTERS:,} characters")
        found = tokens_of(self.script.text, self.start, self.end, self.settings.syntax, budget)
        tokens = [token for token in found if token.kind is not TokenKind.COMMENT]
        return Cursor(self.script, self.settings.syntax, tokens, self.end)


class StatementSplitter:
    """Walks over one script under the settings of a session, which may change from statement to statement."""

    def __init__(self, script: Script, session: Session) -> None:
        self._script = script
        self._text = script.text
        self._session = session
        self._delimiter = ";"

    def statements(self) -> Iterator[Statement]:
        """All statements in order; `SqlInvalidError` for a quote, a delimiter or lines that never come."""
        start = self._after_space(0)
        while start < len(self._text):
            check_deadline()
            command = self._client_command(start)
            if command is not None:
                start = self._after_space(command)
                continue
            statement = self._psql_command(start) or self.statement_at(start)
            if statement.end > start:
                yield statement
            start = self._after_space(max(statement.after, start + 1))

    def _after_space(self, start: int) -> int:
        return after_space(self._text, start, self._session.settings.syntax, also=";\ufeff")

    def _client_command(self, start: int) -> int | None:
        """Where what only the mysql client reads ends: DELIMITER, and dashes that begin a statement without a blank."""
        if self._session.dialect is not Dialect.MYSQL:
            return None
        command = _DELIMITER.match(self._text, start)
        if command:
            self._delimiter = command[1]
        found = command or _DASHES.match(self._text, start)
        return found.end() if found else None

    def _psql_command(self, start: int) -> Statement | None:
        if self._session.dialect is not Dialect.POSTGRES or self._text[start] != "\\":
            return None
        command = _COMMAND.match(self._text, start)
        assert command is not None, "it begins with a backslash"
        return Statement(self._script, self._session.settings, start, command.end(), command.end(), is_command=True)

    def statement_at(self, start: int) -> Statement:
        """The statement, or the run of INSERTs, that begins at an offset; raises as `statements` does."""
        end = self._end(start)
        if self._session.dialect is Dialect.POSTGRES and _COPY.match(
            self._text, start, min(end, start + _COPY_LOOKED_AT)
        ):
            return Statement(self._script, self._session.settings, start, end, self._after_lines(start, end))
        if _ROWS.match(self._text, start, end):
            end = self._end_of_run(start, end)
        after = end + len(self._delimiter) if self._text.startswith(self._delimiter, end) else end
        return Statement(self._script, self._session.settings, start, end, after)

    def _end(self, start: int) -> int:
        """Where the statement ends, without its delimiter."""
        if self._delimiter != ";":
            end = end_before(self._text, start, self._session.settings.syntax, self._delimiter)
            if end == len(self._text):
                raise self._script.invalid(start, f"a statement never ends with its delimiter {self._delimiter}")
            return end
        end = self._semicolon(start)
        if self._holds_others(start, end):
            while not self._is_end_of_body(end + 1):
                if end >= len(self._text):
                    raise self._script.invalid(start, "what begins here never ends with END")
                end = self._semicolon(end + 1)
            end = self._semicolon(end + 1)
        return end

    def _holds_others(self, start: int, end: int) -> bool:
        """Whether what begins so is a body of several statements: a trigger of SQLite, or BEGIN ATOMIC."""
        if self._session.dialect is not Dialect.SQLITE:
            return _ATOMIC.match(self._text, start, end) is not None
        space = self._session.settings.syntax.space
        trigger = rf"(?i:CREATE){space}(?:(?i:TEMP|TEMPORARY){END_OF_WORD}{space})?+(?i:TRIGGER){END_OF_WORD}"
        return compiled(trigger).match(self._text, start, end) is not None

    def _is_end_of_body(self, at: int) -> bool:
        """Whether END and nothing else stands before the next semicolon."""
        syntax = self._session.settings.syntax
        end = _END.match(self._text, after_space(self._text, at, syntax))
        return end is not None and self._semicolon(end.end()) == after_space(self._text, end.end(), syntax)

    def _semicolon(self, start: int) -> int:
        end = end_of_statement(self._text, start, self._session.settings.syntax)
        if end < len(self._text) and self._text[end] != ";":
            raise self._script.invalid(end, f"a quote is never closed: {self._script.shown(end)}")
        return end

    def _end_of_run(self, start: int, end: int) -> int:
        """Where the last of the INSERTs ends that follow one another with the same words up to VALUES."""
        head = compile_pattern(_INSERT_HEAD).match(self._text, start, end)
        after = _BLANK.match(self._text, end + 1) if head else None
        while head and after and self._delimiter == ";" and self._text.startswith(head[0], after.end()):
            check_deadline()
            end = self._semicolon(after.end())
            after = _BLANK.match(self._text, end + 1)
        return end

    def _after_lines(self, start: int, end: int) -> int:
        """Past the lines of a COPY, which end with a backslash and a dot."""
        line_end = self._text.find("\n", end)
        if not _NOTHING_MORE.match(self._text, min(end + 1, len(self._text))):
            raise self._script.invalid(end, "the lines of COPY begin on the next line, where nothing else stands")
        last = _LAST_LINE.search(self._text, line_end + 1) if line_end >= 0 else None
        if last is None:
            raise self._script.invalid(start, "the lines of COPY never end with \\.")
        return last.end()
