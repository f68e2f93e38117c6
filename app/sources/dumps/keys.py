"""Reads primary, unique and foreign keys, wherever a dump declares them."""

from app.sources.dumps.model import DumpReference, DumpTable, TableName
from app.sources.dumps.tokens import Cursor, TokenKind

_NO_NAME = frozenset({"PRIMARY", "UNIQUE", "FOREIGN", "CHECK"})


def read_constraint(cursor: Cursor, table: DumpTable, schema: str) -> bool:
    """Read a table constraint, with or without a name, into the table; False if something else comes next.

    CHECK and EXCLUDE constrain what may be written, and say nothing about rows that are there.
    """
    named = cursor.accept("CONSTRAINT")
    if named and cursor.token.word not in _NO_NAME:
        cursor.name()
    if cursor.accept("PRIMARY KEY"):
        _read_primary_key(cursor, table)
    elif cursor.accept("UNIQUE"):
        _read_unique_key(cursor, table)
    elif cursor.accept("FOREIGN KEY"):
        _read_foreign_key(cursor, table, schema)
    else:
        return named or cursor.token.word == "CHECK"
    return True


def _read_primary_key(cursor: Cursor, table: DumpTable) -> None:
    columns = _columns_of_key(cursor)
    if columns is None:
        raise cursor.complaint("a primary key must name its columns")
    table.primary_key = columns


def _read_unique_key(cursor: Cursor, table: DumpTable) -> None:
    columns = _columns_of_key(cursor)
    if columns:
        table.unique_keys.append(columns)


def _columns_of_key(cursor: Cursor) -> tuple[str, ...] | None:
    """The columns in the brackets that come next, past any name of the key; None where one is an expression."""
    while not cursor.at_end and cursor.token.word != "(":
        cursor.take()
    return key_columns(cursor) if not cursor.at_end else None


def key_columns(cursor: Cursor) -> tuple[str, ...] | None:
    """The columns in the brackets that come next; None where one is an expression.

    A key on a part of a text is one on all of it: values with different beginnings are different.
    """
    columns = []
    for part in cursor.elements(cursor.group()):
        if part.token.kind not in (TokenKind.WORD, TokenKind.NAME):
            return None
        columns.append(part.name())
        if part.token.word == "(" and part.peek().kind is not TokenKind.NUMBER:
            return None
    return tuple(columns)


def _read_foreign_key(cursor: Cursor, table: DumpTable, schema: str) -> None:
    columns = _columns_of_key(cursor)
    if columns is None:
        raise cursor.complaint("a foreign key must name its columns")
    cursor.expect("REFERENCES")
    parent, targets = referenced(cursor, schema)
    table.references.append(DumpReference(columns, parent, targets))


def referenced(cursor: Cursor, schema: str) -> tuple[TableName, tuple[str, ...]]:
    """The table and columns after REFERENCES; actions and timing are stepped over later."""
    parent = cursor.table_name(schema)
    targets = key_columns(cursor) if cursor.token.word == "(" else ()
    if targets is None:
        raise cursor.complaint("a foreign key must name its target columns")
    return parent, targets
