"""Says why a statement is not accepted: its kind, its line, and the words with which it leaves the subset."""

from itertools import islice

from app.errors import SourceLimitError, SqlInvalidError, SqlUnsupportedError
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.tokens import TokenBudget, TokenKind, tokens_of
from app.sources.sql.statements.splitter import Statement
from app.values import fold_identifier

_DIALECT_HINT = "A script of MySQL or PostgreSQL needs --option dialect=mysql or --option dialect=postgres."
SYNTAX_HINT = (
    "SQLite's own syntax is wanted. A quote inside text is written twice (''); a backslash escapes nothing in SQLite. "
    f"{_DIALECT_HINT}"
)
SUBSET_HINT = (
    "SQLite syntax is wanted, and of it CREATE TABLE, CREATE INDEX, INSERT … VALUES with literal values, and the "
    "transaction markers of a dump. Run anything else in SQLite first, and load the database that comes of it."
)
_SKIP_HINT = f"unsupported=skip leaves views and triggers out, and passes over queries. {SUBSET_HINT}"
_LOOKED_AT = 20
"""Words of a statement that say what it is."""

_CHANGES = ("ALTER TABLE", "DROP TABLE IF EXISTS", "DROP TABLE", "DELETE FROM", "UPDATE")
_OBJECTS = ("TABLE", "VIEW", "TRIGGER", "INDEX")
_SKIPPED_OBJECTS = ("VIEW", "TRIGGER")
_TELLING_TWO_WORDS = frozenset({"ALTER", "DROP", "LOCK", "UNLOCK", "PRAGMA", "INSERT"})
_CONSTRAINTS = ("CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK")
_SQLITES_WORDS = frozenset(
    {"ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP", "END", "EXPLAIN"}
    | {"INSERT", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "SELECT", "UPDATE", "VACUUM"}
    | {"VALUES", "WITH"}
)
"""What SQLite's statements begin with."""


def beginning(statement: Statement) -> Cursor:
    """A cursor over the first words of a statement, without comments; it may have a great many."""
    script, syntax = statement.script, statement.settings.syntax
    tokens = tokens_of(script.text, statement.start, statement.end, syntax, TokenBudget())
    first = list(islice((token for token in tokens if token.kind is not TokenKind.COMMENT), _LOOKED_AT))
    return Cursor(script, syntax, first, first[-1].end if first else statement.end)


def main_name(cursor: Cursor) -> str:
    """The name of a table or index, which belongs to the schema main, named or not."""
    start = cursor.at
    if not cursor.at_name:
        raise not_understood(cursor.script, start)
    names = cursor.dotted_name()
    if len(names) > 1 and fold_identifier(names[0]) != "main":
        raise unsupported(cursor.script, start, f"a table of the schema {names[0]} is not accepted")
    return names[-1]


def subject(cursor: Cursor) -> dict[str, str]:
    """The table or the object that a statement is about, as far as it names one."""
    cursor = cursor.copy()
    label = "table"
    if cursor.accept("CREATE"):
        label = "table" if cursor.word in ("TABLE", "INDEX", "UNIQUE") else "object"
        is_index = cursor.accept("INDEX", "UNIQUE INDEX")
        while cursor.word in ("TEMP", "TEMPORARY", "VIRTUAL", *_OBJECTS):
            cursor.take()
        cursor.accept("IF NOT EXISTS")
        if is_index and cursor.at_name:
            cursor.dotted_name()
            cursor.accept("ON")
    elif not cursor.accept(*_CHANGES):
        return {}
    return {label: cursor.dotted_name()[-1]} if cursor.at_name else {}


def statement_refusal(cursor: Cursor) -> SqlUnsupportedError | SqlInvalidError:
    """Why a statement other than an INSERT is not accepted."""
    script, start = cursor.script, cursor.at
    if cursor.token.kind is not TokenKind.WORD:
        return not_understood(script, start)
    error = _table_refusal(cursor.copy()) or _refusal_of_kind(cursor.copy(), start)
    error.add_where(**subject(cursor))
    return error


def _table_refusal(cursor: Cursor) -> SqlUnsupportedError | SqlInvalidError | None:
    start = cursor.at
    if not cursor.accept("CREATE TABLE"):
        return None
    cursor.accept("IF NOT EXISTS")
    main_name(cursor)
    if cursor.word == "AS":
        return unsupported(cursor.script, start, "CREATE TABLE … AS SELECT is not accepted")
    return not_understood(cursor.script, cursor.at)


def _refusal_of_kind(cursor: Cursor, start: int) -> SqlUnsupportedError:
    adds_key = cursor.copy()
    kind = _kind(cursor)
    may_be_skipped = kind == "SELECT" or (kind.startswith("CREATE") and kind.endswith(_SKIPPED_OBJECTS))
    hint = _SKIP_HINT if may_be_skipped else SUBSET_HINT
    if _is_of_another_dialect(kind) or _adds_constraint(adds_key):
        hint = f"{_DIALECT_HINT} {hint}"
    return unsupported(cursor.script, start, f"{kind} is not accepted", hint)


def _kind(cursor: Cursor) -> str:
    """The words that say what a statement does, for example CREATE VIRTUAL TABLE."""
    first = cursor.take().word
    words: list[str] = []
    while cursor.token.kind is TokenKind.WORD and len(words) < 3:
        words.append(cursor.take().written)
    if first == "CREATE":
        objects = [position for position, word in enumerate(words) if word.upper() in _OBJECTS]
        return " ".join([first, *words[: objects[0] + 1 if objects else 1]]).upper()
    return " ".join([first, *words[:1]]) if first in _TELLING_TWO_WORDS else first


def _is_of_another_dialect(kind: str) -> bool:
    """Whether SQLite has no such statement at all."""
    first, *objects = kind.upper().split()
    if first in ("CREATE", "DROP", "ALTER"):
        return not {*_OBJECTS, "TEMP", "TEMPORARY", "VIRTUAL", "UNIQUE"}.intersection(objects)
    return first not in _SQLITES_WORDS


def _adds_constraint(cursor: Cursor) -> bool:
    """ALTER TABLE … ADD of a key or rule, which SQLite does not have."""
    if not cursor.accept("ALTER TABLE"):
        return False
    cursor.accept("ONLY")
    if cursor.at_name:
        cursor.dotted_name()
    return cursor.accept("ADD") and cursor.word in _CONSTRAINTS


def unsupported(script: Script, at: int, reason: str, hint: str = SUBSET_HINT) -> SqlUnsupportedError:
    """A statement, or a part of one, outside the subset."""
    return script.unsupported(at, reason, hint=hint)


def not_understood(script: Script, at: int) -> SqlInvalidError:
    """What is not SQLite's SQL at all."""
    return script.invalid(at, f"SQLite's syntax allows nothing like this here: {script.shown(at)}", hint=SYNTAX_HINT)


def too_long(script: Script, at: int, limit: int, **where: object) -> SourceLimitError:
    """A statement at `at` that takes SQLite too much memory."""
    line = script.line(at)
    return SourceLimitError(
        f"{script.name}, line {line}: the statement has more than {limit:,} characters, at: {script.shown(at)}",
        hint="A definition needs no such length: CHECK with a long list is better kept as rows of a table. Run the "
        "script in SQLite, and load the database that comes of it.",
        file=script.name,
        line=line,
        limit=limit,
        **where,
    )
