"""Reads one column of a CREATE TABLE: type, default, and the constraints that stand with it."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.sources.dumps.keys import referenced
from app.sources.dumps.model import Default, DumpColumn, DumpReference, DumpTable, Storage, StoredType
from app.sources.dumps.tokens import Cursor, Token, TokenKind
from app.sources.dumps.types import stored_type

_AFTER_TYPE = frozenset(
    [
        "NOT",
        "NULL",
        "DEFAULT",
        "PRIMARY",
        "UNIQUE",
        "REFERENCES",
        "CHECK",
        "CONSTRAINT",
        "COLLATE",
        "GENERATED",
        "AS",
        "AUTO_INCREMENT",
        "COMMENT",
        "ON",
        "CHARSET",
        "KEY",
        "INVISIBLE",
        "VISIBLE",
        "STORAGE",
        "COMPRESSION",
        "DEFERRABLE",
        "INITIALLY",
        "VIRTUAL",
        "STORED",
        "PERSISTENT",
    ]
)
_MOMENTS = frozenset({"now", "today", "tomorrow", "yesterday"})
_COUNTERS = ("NEXTVAL",)
_COUNTING_TYPES = ("serial", "smallserial", "bigserial", "serial2", "serial4", "serial8")
_TRUTH = {"TRUE": "1", "FALSE": "0"}


@dataclass(frozen=True, slots=True)
class ColumnContext:
    """What a column takes from around it: named types, the table's collation, and the schema in force.

    `inherited` are names of columns that the table has already and may declare again.
    """

    domains: Mapping[str, StoredType]
    collation: str
    schema: str
    inherited: frozenset[str] = frozenset()


def read_column(cursor: Cursor, table: DumpTable, context: ColumnContext) -> DumpColumn:
    """Read a column; its keys and references go to the table."""
    name = cursor.name()
    type_tokens = _type_tokens(cursor)
    words = _type_words(type_tokens)
    if not words:
        raise cursor.complaint(f"column {name} has no type")
    declared = " ".join(cursor.script.text[type_tokens[0].start : type_tokens[-1].end].split())
    column = DumpColumn(name, declared, StoredType(Storage.TEXT))
    if words[0] in _COUNTING_TYPES:
        column.default = Default.COUNTER
    collation = _read_constraints(cursor, table, column, context)
    column.stored = stored_type(cursor.dialect, words, collation, context.domains)
    return column


def _type_tokens(cursor: Cursor) -> list[Token]:
    tokens: list[Token] = []
    depth = 0
    while not cursor.at_end and (depth > 0 or not _ends_type(cursor, bool(tokens))):
        depth += (cursor.token.word == "(") - (cursor.token.word == ")")
        tokens.append(cursor.take())
    return tokens


def _ends_type(cursor: Cursor, begun: bool) -> bool:
    word = cursor.token.word
    return word in _AFTER_TYPE or (begun and word == "CHARACTER" and cursor.peek().word == "SET")


def _type_words(tokens: list[Token]) -> list[str]:
    """The type's words in lower case without its schema and without what stands in brackets, but with [ of arrays."""
    words, depth = [], 0
    for token in tokens:
        depth += (token.word == "(") - (token.word == ")")
        if depth == 0 and token.word not in ("(", ")"):
            words.append(token.text.lower())
    return words[2:] if words[1:2] == ["."] else words


def type_of(cursor: Cursor, domains: Mapping[str, StoredType]) -> StoredType:
    """The storage of the type that comes next, as in CREATE DOMAIN."""
    words = _type_words(_type_tokens(cursor))
    return stored_type(cursor.dialect, words, "", domains) if words else StoredType(Storage.TEXT)


def _read_constraints(cursor: Cursor, table: DumpTable, column: DumpColumn, context: ColumnContext) -> str:
    """Read what stands after the type, and return the collation in force."""
    collation = context.collation
    while not cursor.at_end:
        if cursor.accept("COLLATE"):
            collation = _last_name(cursor).lower()
        elif cursor.accept("CHARACTER SET") or cursor.accept("CHARSET"):
            charset = cursor.name().lower()
            collation = collation if collation.startswith(charset) and charset != "binary" else charset
        elif cursor.accept("DEFAULT"):
            _read_default(cursor, column)
        elif cursor.accept("COMMENT"):
            table.comments[column.name] = cursor.take().text
        elif not _read_key(cursor, table, column, context.schema):
            _read_other(cursor, column)
    return collation


def _last_name(cursor: Cursor) -> str:
    name = cursor.name()
    while cursor.accept("."):
        name = cursor.name()
    return name


def _read_key(cursor: Cursor, table: DumpTable, column: DumpColumn, schema: str) -> bool:
    if cursor.accept("NOT NULL"):
        column.not_null = True
    elif cursor.accept("PRIMARY KEY"):
        table.primary_key = (column.name,)
    elif cursor.accept("UNIQUE KEY") or cursor.accept("UNIQUE"):
        table.unique_keys.append((column.name,))
    elif cursor.accept("REFERENCES"):
        parent, targets = referenced(cursor, schema)
        table.references.append(DumpReference((column.name,), parent, targets))
    else:
        return False
    return True


def _read_other(cursor: Cursor, column: DumpColumn) -> None:
    """Step over one word of anything else; a computed or counting column is noted."""
    if cursor.accept("AUTO_INCREMENT"):
        column.default = Default.COUNTER
    elif cursor.accept("GENERATED ALWAYS AS IDENTITY") or cursor.accept("GENERATED BY DEFAULT AS IDENTITY"):
        column.default = Default.COUNTER
        if cursor.token.word == "(":
            cursor.group()
    elif cursor.accept("GENERATED ALWAYS AS") or cursor.accept("AS"):
        column.generated = True
    elif cursor.token.word == "(":
        cursor.group()
    else:
        cursor.take()


def _read_default(cursor: Cursor, column: DumpColumn) -> None:
    tokens: list[Token] = []
    depth = 0
    while not cursor.at_end and (depth > 0 or not tokens or cursor.token.word not in _AFTER_TYPE):
        depth += (cursor.token.word in ("(", "[")) - (cursor.token.word in (")", "]"))
        tokens.append(cursor.take())
    set_default(column, tokens)


def set_default(column: DumpColumn, tokens: list[Token]) -> None:
    """Say what a DEFAULT expression stands for: a literal, the next number, or something that is computed."""
    if len(tokens) > 2 and tokens[0].word == "(" and tokens[-1].word == ")":
        tokens = tokens[1:-1]
    words = [token.word for token in tokens]
    if any(word in _COUNTERS for word in words[:3]):
        column.default = Default.COUNTER
        return
    text, used = _literal(tokens)
    is_literal = used > 0 and (len(tokens) == used or words[used] == "::")
    if is_literal and len(tokens) > used and text is not None and text.lower() in _MOMENTS:
        is_literal = False
    column.default = Default.LITERAL if is_literal else Default.COMPUTED
    column.default_text = text if is_literal else None


def _literal(tokens: list[Token]) -> tuple[str | None, int]:
    """The value of the literal at the beginning, and how many tokens it takes (0: there is none)."""
    first = tokens[0] if tokens else None
    if first is None:
        return None, 0
    if first.word in _TRUTH:
        return _TRUTH[first.word], 1
    if first.kind in (TokenKind.TEXT, TokenKind.NUMBER, TokenKind.BITS):
        return first.text, 1
    if first.word in ("-", "+") and len(tokens) > 1 and tokens[1].kind is TokenKind.NUMBER:
        return first.word.strip("+") + tokens[1].text, 2
    return None, int(first.word == "NULL")
