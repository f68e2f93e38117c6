"""What statements are about, by their first words, and which of them say nothing that a preview would show."""

from collections.abc import Iterable, Sequence
from itertools import islice

from app.inspect.preview.model import shown_text
from app.inspect.preview.script.tokens import Token, TokenKind
from app.sources.sql.dialect import Dialect

_HEAD, _HEAD_OF_CREATE = 8, 32
_WORD_CHARACTERS = 40
_OBJECTS = frozenset(
    {"TABLE", "VIEW", "TRIGGER", "FUNCTION", "PROCEDURE", "TYPE", "DOMAIN", "INDEX", "EVENT", "AGGREGATE"}
)
_QUIET = frozenset(
    {"SET", "RESET", "BEGIN", "START", "COMMIT", "END", "SAVEPOINT", "RELEASE", "PRAGMA", "DROP", "LOCK", "UNLOCK"}
    | {"USE", "ANALYZE", "VACUUM", "GRANT", "REVOKE", "CREATE INDEX", "CREATE UNIQUE", "CREATE SEQUENCE", "ALTER"}
    | {"CREATE DATABASE", "CREATE SCHEMA", "CREATE EXTENSION", "COMMENT", "FLUSH", "OPTIMIZE", "CHECK", "REINDEX"}
    | {"CLUSTER", "REFRESH", "NOTIFY", "CHANGE", "REASSIGN", "SECURITY"}
)
"""Statements that say nothing about tables, columns or rows that a preview would show."""

_BOOKKEEPERS = frozenset({"SETVAL", "SET_CONFIG", "PG_RESTORE_RELATION_STATS", "PG_RESTORE_ATTRIBUTE_STATS"})
"""Functions that pg_dump calls for counters, settings and statistics."""


def first_tokens(tokens: Iterable[Token]) -> list[Token]:
    """As many tokens, without comments, as tell what a statement is: of CREATE up to its object, or to the limit."""
    head: list[Token] = []
    for token in islice((token for token in tokens if token.kind is not TokenKind.COMMENT), _HEAD_OF_CREATE):
        head.append(token)
        limit = _HEAD_OF_CREATE if head[0].is_word("CREATE") else _HEAD
        if len(head) == limit or (len(head) >= _HEAD and token.is_word(*_OBJECTS)):
            break
    return head


def words_of(head: Sequence[Token]) -> list[str]:
    """The unquoted words among tokens, in upper case."""
    return [token.text.upper() for token in head if token.kind is TokenKind.WORD]


def subject_of(words: Sequence[str]) -> str:
    """What a statement is, in its first words."""
    if words[:1] != ["CREATE"]:
        return shown_text(words[0], _WORD_CHARACTERS) if words else "statement"
    found = next((word for word in words[1:] if word in _OBJECTS), None)
    if found == "TABLE" and "VIRTUAL" in words[:3]:
        return "CREATE VIRTUAL TABLE"
    return f"CREATE {found}" if found else shown_text(" ".join(words[:2]), _WORD_CHARACTERS)


def is_amendment(words: Sequence[str]) -> bool:
    """Whether a statement says something of tables that are there, or of the schema of names that follow."""
    is_setting = words[:1] == ["SET"] and "SEARCH_PATH" in words[1:3]
    return words[:2] in (["ALTER", "TABLE"], ["DROP", "TABLE"], ["COMMENT", "ON"]) or words[:1] == ["USE"] or is_setting


def is_quiet(head: Sequence[Token], words: Sequence[str], dialect: Dialect) -> bool:
    """Whether a statement says nothing that a preview would show."""
    return subject_of(words) in _QUIET or not _QUIET.isdisjoint(words[:1]) or _is_bookkeeping(head, words, dialect)


def _is_bookkeeping(head: Sequence[Token], words: Sequence[str], dialect: Dialect) -> bool:
    """What dump tools write about counters and settings."""
    if dialect is Dialect.POSTGRES:
        return words[:1] == ["SELECT"] and not _BOOKKEEPERS.isdisjoint(words[1:4])
    names_own_table = len(head) > 2 and head[2].is_name and head[2].name.lower().startswith("sqlite_")
    return dialect is Dialect.SQLITE and words[:2] == ["DELETE", "FROM"] and names_own_table
