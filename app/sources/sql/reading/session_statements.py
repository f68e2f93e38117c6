"""Statements that change the session, or what is drawn next: settings, psql's commands, USE, setval; and queries."""

import re

from app.sources.sql.definitions.model import Event
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.definitions.sequences import read_setval
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.reading.objects import HARMLESS_COMMANDS, NOT_ACCEPTED, harmless_query
from app.sources.sql.reading.skipped import SkippedStatements
from app.sources.sql.statements.encodings import is_read
from app.sources.sql.statements.splitter import Statement

_COMMAND = re.compile(r"\\(\S*+)[ \t]*+([^\n]*+)")


class SessionStatements:
    """Follows what a script says to its session; changes of sequences are events among rows."""

    def __init__(self, namespace: Namespace, events: list[Event], skipped: SkippedStatements) -> None:
        self.namespace = namespace
        self.events = events
        self.skipped = skipped

    def command(self, statement: Statement) -> None:
        """A command of psql."""
        found = _COMMAND.match(statement.text)
        assert found is not None, "it begins with a backslash"
        name, argument = found[1].rstrip(";"), found[2].strip()
        if name not in HARMLESS_COMMANDS:
            raise statement.script.unsupported(statement.start, NOT_ACCEPTED)
        if name in ("c", "connect"):
            self.namespace.session.begin_anew()
        elif name == "encoding" and argument:
            self.namespace.session.set_encoding(argument.strip("'\";"))
        self.skipped.add("psql command")

    def set(self, cursor: Cursor, statement: Statement) -> None:
        """A setting is followed, passed over, or refused; so is text in an encoding that is not read."""
        cursor.expect("SET")
        self.namespace.session.read_set(cursor)
        encoding = self.namespace.session.settings.encoding
        if not is_read(encoding) and not statement.script.text[statement.after :].isascii():
            reason = f"the text that follows is in the encoding {encoding.rstrip('!')}, which is not read"
            raise statement.script.unsupported(statement.start, reason, hint="Dump the database in UTF-8.")
        self.skipped.add("set")

    def reset(self, cursor: Cursor, _: Statement) -> None:
        """A setting is as at the beginning."""
        cursor.expect("RESET")
        self.namespace.session.reset(cursor)
        self.skipped.add("reset")

    def use(self, cursor: Cursor, _: Statement) -> None:
        """USE of MySQL."""
        cursor.expect("USE")
        self.namespace.session.use(cursor.name())
        cursor.expect_end()
        self.skipped.add("use")

    def select(self, cursor: Cursor, statement: Statement) -> None:
        """A query changes no row; setval and set_config change what comes after them."""
        cursor.expect("SELECT")
        attempt = cursor.copy()
        attempt.accept("PG_CATALOG .")
        if attempt.accept("SETVAL"):
            self._set_value(attempt)
        elif attempt.accept("SET_CONFIG"):
            arguments = list(attempt.elements_of_group())
            self.namespace.session.set_config(attempt, arguments[0].text(), arguments[1].text())
            self.skipped.add("set_config")
        else:
            query = harmless_query(cursor)
            if query is None:
                raise statement.script.unsupported(statement.start, NOT_ACCEPTED)
            self.skipped.add(query.kind, query.name)

    def do(self, cursor: Cursor, statement: Statement) -> None:
        """DO SETVAL of MariaDB; any other DO is a program."""
        cursor.expect("DO")
        if not cursor.accept("SETVAL"):
            raise statement.script.unsupported(statement.start, NOT_ACCEPTED)
        self._set_value(cursor)

    def _set_value(self, cursor: Cursor) -> None:
        self.events.append(read_setval(cursor, self.namespace))
        self.skipped.add("setval")
