"""Sequences: made by themselves, or owned by a serial or identity column."""

from app.sources.sql.definitions.model import Drawn, Sequence, SequenceChange, SqlType
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import TableName
from app.sources.sql.lexing.tokens import TokenKind

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


def alter_sequence(cursor: Cursor, namespace: Namespace) -> list[SequenceChange]:
    """ALTER SEQUENCE, whose name comes next: what it changes of the numbers that are drawn."""
    cursor.accept("IF EXISTS")
    sequence = namespace.sequence(cursor.table_name(""))
    if sequence is None:
        return []
    restarts = any(token.word == "RESTART" for token in cursor.copy().rest())
    changed = Sequence(sequence.name, sequence.step, greatest=sequence.greatest)
    read_options(cursor, changed)
    return [SequenceChange(sequence, changed.next if restarts else None, changed.step, changed.greatest)]


def read_setval(cursor: Cursor, namespace: Namespace) -> SequenceChange:
    """setval(…): the number after its argument is next, or the argument itself if it counts as not drawn.

    If only the server can tell the argument, or the sequence, no number of it is known any more.
    """
    arguments = list(cursor.elements_of_group())
    sequence = _sequence_of(arguments[0], namespace)
    if sequence is None or len(arguments) < 2 or arguments[1].token.kind is not TokenKind.NUMBER:
        return SequenceChange(sequence, is_known=False)
    value = arguments[1].integer()
    if not arguments[1].at_end:
        return SequenceChange(sequence, is_known=False)
    is_drawn = len(arguments) < 3 or (arguments[2].word != "FALSE" and arguments[2].token.meaning != "0")
    return SequenceChange(sequence, value + sequence.step if is_drawn else value)


def _sequence_of(argument: Cursor, namespace: Namespace) -> Sequence | None:
    """The sequence that an argument names, directly or as that of a column; None if that cannot be told."""
    argument.accept("PG_CATALOG .")
    if argument.accept("PG_GET_SERIAL_SEQUENCE"):
        table_name, column_name = (part.text() for part in argument.elements_of_group())
        table = namespace.table(namespace.named_in_text(argument, table_name))
        column = table.column(column_name) if table else None
        return column.default.sequence if column and isinstance(column.default, Drawn) else None
    is_text = argument.token.kind is TokenKind.TEXT
    return namespace.sequence(
        namespace.named_in_text(argument, argument.text()) if is_text else argument.table_name("")
    )
