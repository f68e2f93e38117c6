"""What a script makes besides tables: left out, since no row of a table becomes another one by it, and named.

A function does nothing until it is called, a view holds no rows of its own, an index only finds them, and grants say
who may do what. What fires when rows are inserted is noted with its table.
"""

from dataclasses import dataclass
from itertools import pairwise

from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import phrases, word_set
from app.sources.sql.lexing.tokens import TokenKind

NOT_ACCEPTED = "this statement is not accepted"
OBJECTS = phrases(
    """
    MATERIALIZED VIEW, EVENT TRIGGER, FOREIGN DATA WRAPPER, FOREIGN TABLE, TEXT SEARCH CONFIGURATION,
    TEXT SEARCH DICTIONARY, TEXT SEARCH PARSER, TEXT SEARCH TEMPLATE, OPERATOR CLASS, OPERATOR FAMILY, ACCESS METHOD,
    USER MAPPING, DEFAULT PRIVILEGES, LARGE OBJECT, PACKAGE BODY, AGGREGATE, CAST, COLLATION, CONVERSION, DATABASE,
    DOMAIN, EVENT, EXTENSION, FUNCTION, INDEX, LANGUAGE, OPERATOR, PACKAGE, POLICY, PROCEDURE, PUBLICATION, ROLE,
    ROUTINE, RULE, SCHEMA, SEQUENCE, SERVER, STATISTICS, SUBSCRIPTION, TABLESPACE, TRANSFORM, TRIGGER, TYPE, USER, VIEW
    """
)
_MODIFIERS = phrases(
    """
    OR REPLACE, TRUSTED, PROCEDURAL, UNIQUE, CONSTRAINT, RECURSIVE, FULLTEXT, SPATIAL, VIRTUAL, DEFAULT,
    SQL SECURITY DEFINER, SQL SECURITY INVOKER, GLOBAL, TEMPORARY, TEMP, UNLOGGED
    """
)
PASSED_OVER = {
    # Who may do what, locks and upkeep, tables of other servers, what a server knows of its databases, and where a
    # replica reads.
    phrase: phrase.lower()
    for phrase in phrases(
        """
        GRANT, REVOKE, REASSIGN, SECURITY LABEL, LOCK, UNLOCK, ANALYZE, VACUUM, FLUSH, OPTIMIZE, CHECK, REINDEX,
        CLUSTER, REFRESH, NOTIFY, IMPORT FOREIGN SCHEMA, UPDATE PG_CATALOG ., PRAGMA
        """
    )
} | {"CHANGE MASTER": "change", "CHANGE REPLICATION": "change"}
"""Statements by their first words, and how notes call them."""

TRANSACTION_STARTS, TRANSACTION_ENDS = ("BEGIN", "START TRANSACTION"), ("COMMIT", "END")
SAVEPOINTS = ("SAVEPOINT", "RELEASE SAVEPOINT", "RELEASE")
"""ROLLBACK is not on these lists: it takes rows back."""

COMMITTING = frozenset({"CREATE", "ALTER", "DROP", "LOCK", "UNLOCK", "TRUNCATE", "RENAME"})
"""What ends a transaction of MySQL, and commits it, whatever else it does."""

HARMLESS_COMMANDS = frozenset(
    {"c", "connect", "restrict", "unrestrict", "encoding", "set", "unset", "echo", "qecho", "warn", "timing", "pset"}
)
_HARMLESS_FUNCTIONS = word_set(
    "count max min sum avg now version database user current_user concat coalesce lower upper current_database"
)
_SIDE_EFFECTS = {
    "lo_create": "large object",
    **{name: name for name in ("lo_open", "lowrite", "lo_close", "lo_unlink", "pg_restore_relation_stats")},
    "pg_restore_attribute_stats": "pg_restore_attribute_stats",
}
_BEFORE_BRACKETS = frozenset(
    {"FROM", "WHERE", "AND", "OR", "IN", "EXISTS", "VALUES", "ON", "USING", "CASE", "WHEN", "AS"}
)

_CALLED = (TokenKind.WORD, TokenKind.NAME)


@dataclass(frozen=True, slots=True)
class NamedObject:
    """An object of a script by its kind, for example `view`, and its name as written without quotes."""

    kind: str
    name: str


def named_object(cursor: Cursor) -> NamedObject | None:
    """The object that CREATE, ALTER or DROP is about, whose word is behind; the cursor stands after its name."""
    while cursor.accept(*_MODIFIERS) or _accept_definer(cursor):
        pass
    start = cursor.copy()
    if not cursor.accept(*OBJECTS):
        return None
    kind = next(phrase for phrase in OBJECTS if start.copy().accept(phrase)).lower()
    while cursor.accept("CONCURRENTLY", "IF EXISTS", "IF NOT EXISTS"):
        pass
    return NamedObject(kind, _object_name(cursor))


def _accept_definer(cursor: Cursor) -> bool:
    if cursor.accept("ALGORITHM ="):
        cursor.name()
        return True
    if not cursor.accept("DEFINER ="):
        return False
    cursor.take()
    if cursor.word == "(":
        cursor.group()
    elif cursor.accept("@"):
        cursor.take()
    return True


def _object_name(cursor: Cursor) -> str:
    """The name, of which an operator's is made of signs; "" if there is none."""
    parts = []
    while not cursor.at_end:
        if cursor.token.kind in (TokenKind.WORD, TokenKind.NAME, TokenKind.TEXT, TokenKind.NUMBER):
            parts.append(cursor.take().meaning)
            if cursor.word != ".":
                break
        elif cursor.word in "(),;":
            break
        else:
            parts.append(cursor.take().written)
    return "".join(parts)


def described_object(cursor: Cursor) -> NamedObject:
    """What COMMENT ON, whose words are behind, is about: everything up to its IS."""
    first = cursor.token
    depth = 0
    last = first
    while not cursor.at_end and not (depth == 0 and cursor.word == "IS"):
        last = cursor.take()
        depth += (last.word == "(") - (last.word == ")")
    return NamedObject("comment", cursor.written(first, last).replace('"', ""))


def harmless_query(cursor: Cursor) -> NamedObject | None:
    """What a SELECT, whose word is behind, does to the server beside the tables; None if it may do more than read."""
    tokens = cursor.rest()
    calls = [
        token.meaning.lower()
        for token, following in pairwise(tokens)
        if following.word == "(" and token.kind in _CALLED and token.word not in _BEFORE_BRACKETS
    ]
    effects = [each for each in calls if each in _SIDE_EFFECTS]
    unknown = [each for each in calls if each not in _HARMLESS_FUNCTIONS and each not in _SIDE_EFFECTS]
    if unknown or any(token.word == "INTO" for token in tokens) or (effects and len(calls) > 1 and "count" in calls):
        return None
    if not effects:
        return NamedObject("query", "")
    constants = (token.meaning for token in tokens if token.kind in (TokenKind.TEXT, TokenKind.NUMBER))
    return NamedObject(_SIDE_EFFECTS[effects[0]], next(constants, "") if effects[0] == "lo_create" else "")
