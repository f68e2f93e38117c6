"""Sequences: made by themselves, or owned by a serial or identity column."""

from app.sources.sql.definitions.model import Sequence, SqlType
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.names import TableName

_GREATEST = {"smallint": 2**15 - 1, "integer": 2**31 - 1, "int": 2**31 - 1}
_NO_LIMITS = ("NO MINVALUE", "NOMINVALUE", "NO MAXVALUE", "NOMAXVALUE")
_UNUSED = ("NO CYCLE", "NOCYCLE", "NOCACHE", "LOGGED", "UNLOGGED", "NOT FOR REPLICATION")


def owned_sequence(table: TableName, column: str, declared: SqlType, options: Cursor | None = None) -> Sequence:
    """The sequence of a serial or identity column, under the name that PostgreSQL gives to it."""
    sequence = Sequence(TableName(table.schema, f"{table.name}_{column}_seq"))
    sequence.greatest = _GREATEST.get(declared.name, sequence.greatest)
    if options is not None:
        read_options(options, sequence)
    return sequence


def read_options(cursor: Cursor, sequence: Sequence) -> None:
    """Read the options of a sequence up to the end; what is left out has its default."""
    start: int | None = None
    least: int | None = None
    greatest: int | None = None
    while not cursor.at_end:
        if cursor.accept("START WITH", "START"):
            cursor.accept("=")
            start = cursor.integer()
        elif cursor.accept("INCREMENT BY", "INCREMENT"):
            cursor.accept("=")
            sequence.step = cursor.integer()
        elif cursor.accept("MINVALUE"):
            cursor.accept("=")
            least = cursor.integer()
        elif cursor.accept("MAXVALUE"):
            cursor.accept("=")
            greatest = cursor.integer()
        elif cursor.accept("RESTART WITH", "RESTART"):
            start = cursor.integer()
        elif cursor.accept("AS"):
            sequence.greatest = _GREATEST.get(cursor.name(), sequence.greatest)
        else:
            _skip_option(cursor)
    _set_limits(sequence, start, least, greatest)


def _skip_option(cursor: Cursor) -> None:
    """An option that changes no number that is drawn."""
    if cursor.accept("CACHE", "ENGINE", "TYPE", "COMMENT"):
        cursor.accept("=")
        cursor.take()
    elif cursor.accept("OWNED BY", "SEQUENCE NAME", "OWNER TO", "SET SCHEMA"):
        cursor.dotted_name()
    elif cursor.accept("CYCLE"):
        raise cursor.refusal("a sequence that begins anew is not followed")
    elif not cursor.accept(*_NO_LIMITS, *_UNUSED):
        raise cursor.refusal(f"{cursor.token.written[:40]} is not understood here")


def _set_limits(sequence: Sequence, start: int | None, least: int | None, greatest: int | None) -> None:
    descends = sequence.step < 0
    sequence.least = least if least is not None else (-(2**63) if descends else sequence.least)
    sequence.greatest = greatest if greatest is not None else (-1 if descends else sequence.greatest)
    first = sequence.greatest if descends else sequence.least
    sequence.next = start if start is not None else first


def create_sequence(cursor: Cursor, namespace: Namespace) -> TableName:
    """CREATE SEQUENCE, whose name comes next; returns it as written."""
    cursor.accept("IF NOT EXISTS")
    written = cursor.table_name("")
    name = namespace.made(written)
    sequence = Sequence(name)
    read_options(cursor, sequence)
    namespace.sequences.setdefault(name.key, sequence)
    return written


def set_value(sequence: Sequence, value: int, *, is_called: bool) -> None:
    """What setval does: the number after `value` is next, or `value` itself if it was not drawn."""
    sequence.next = value + sequence.step if is_called else value
