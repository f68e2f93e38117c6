"""Says why a statement is not accepted: its kind, its line, and the words where it leaves the subset."""

import re
from collections.abc import Callable, Sequence

from app.errors import SourceLimitError, SqlInvalidError, SqlUnsupportedError
from app.sources import sql_lexicon as lexicon
from app.sources.sql_lexicon import as_written, compiled, unquoted, word

_DIALECT_HINT = "A script of MySQL or PostgreSQL needs --option dialect=mysql or --option dialect=postgres."
_SYNTAX_HINT = (
    "SQLite's own syntax is wanted. A quote inside text is written twice (''); a backslash escapes nothing in SQLite. "
    f"{_DIALECT_HINT}"
)
_SUBSET_HINT = (
    "SQLite syntax is wanted, and of it CREATE TABLE, CREATE INDEX, INSERT … VALUES with literal values, and the "
    "transaction markers of a dump. Run anything else in SQLite first, and load the database that comes of it."
)
_SKIP_HINT = f"unsupported=skip leaves views and triggers out, and passes over queries. {_SUBSET_HINT}"
_UNISTR_HINT = (
    "INSERT … VALUES takes literal values. If the sqlite3 shell wrote this for a text with line ends, "
    "`.dump --newlines` writes them as they are."
)
_SHOWN = 40

ColumnsOf = Callable[[str], Sequence[str]]
"""The columns of a table by its name; none of one that is not known."""

_WORDS = rf"(?:[A-Za-z_]++{lexicon.END_OF_WORD}{lexicon.SPACE}){{1,4}}+"
_CREATE_TABLE = rf"{word('CREATE TABLE')}(?:{word('IF NOT EXISTS')})?+"
_TABLE_NAME = rf"{_CREATE_TABLE}{lexicon.MAIN}(?P<table>{lexicon.NAME}){lexicon.SPACE}"
_NAMELESS = rf"(?:{_CREATE_TABLE}|{word('INSERT INTO')})"
_SCHEMA = rf"{_NAMELESS}(?P<schema>{lexicon.NAME}){lexicon.SPACE}\."
_MADE_OBJECT = (
    rf"{word('CREATE')}(?:(?:TEMPORARY|TEMP){lexicon.END_OF_WORD}{lexicon.SPACE})?+"
    rf"(?:{word('VIRTUAL')})?+(?:TABLE|VIEW|TRIGGER){lexicon.END_OF_WORD}{lexicon.SPACE}"
    rf"(?:{word('IF NOT EXISTS')})?+{lexicon.MAIN}(?P<object>{lexicon.NAME})"
)
_CHANGED_TABLE = (
    rf"(?:{word('ALTER TABLE')}|{word('DROP TABLE')}(?:{word('IF EXISTS')})?+|{word('DELETE FROM')}|{word('UPDATE')}"
    rf"){lexicon.MAIN}(?P<table>{lexicon.NAME})"
)
_WORD = re.compile("[A-Za-z_]+")
_NEXT_WORD = r"[A-Za-z_]++"
_KEY_WORD = rf"(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK){lexicon.END_OF_WORD}"
_OPERATOR = rf"""(?:\|\||->>?+|<<|>>|<>|[<>=!]=?+|[-+*/%&|~]
    |(?:AND|BETWEEN|COLLATE|GLOB|IN|IS|ISNULL|LIKE|MATCH|NOT|NOTNULL|OR|REGEXP){lexicon.END_OF_WORD})"""
_ROWS_SO_FAR = rf"(?:{lexicon.ROW}{lexicon.SPACE}(?:,{lexicon.SPACE})?+)*+"
_CELL = rf"{lexicon.LITERAL}{lexicon.SPACE},{lexicon.SPACE}"
_FIRST_CELL = rf"\({lexicon.SPACE}"
_LISTED = rf"[(,]{lexicon.SPACE}(?P<name>{lexicon.NAME}){lexicon.SPACE}"
_LITERAL = rf"{lexicon.LITERAL}{lexicon.SPACE}"
_CALL = rf"(?P<function>{lexicon.NAME}){lexicon.SPACE}\("
_OBJECTS = frozenset({"TABLE", "VIEW", "TRIGGER", "INDEX"})
_SQLITES_WORDS = frozenset(
    {"ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP", "END", "EXPLAIN"}
    | {"INSERT", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "SELECT", "UPDATE", "VACUUM"}
    | {"VALUES", "WITH"}
)
"""What SQLite's statements begin with."""

_ADDED_CONSTRAINT = rf"{word('ALTER TABLE')}(?:{word('ONLY')})?+{lexicon.NAME}{lexicon.SPACE}{word('ADD')}{_KEY_WORD}"
_SKIPPED_OBJECTS = ("VIEW", "TRIGGER")
_WITH_OBJECT = frozenset({"ALTER", "DROP", "LOCK", "UNLOCK", "PRAGMA", "INSERT"})


def line_of(text: str, offset: int) -> int:
    """The line of a character offset, counted from 1."""
    return text.count("\n", 0, offset) + 1


def refusal(text: str, start: int, columns_of: ColumnsOf) -> SqlUnsupportedError | SqlInvalidError:
    """Why the statement at `start` is not accepted."""
    schema = compiled(_SCHEMA).match(text, start)
    if schema and unquoted(schema["schema"]) != "main":
        return unsupported(text, start, f"a table of the schema {as_written(schema['schema'])} is not accepted")
    insert = compiled(lexicon.INSERT_HEAD).match(text, start)
    if insert:
        error = _insert_refusal(text, insert, columns_of)
        error.add_where(table=as_written(insert["table"]))
        return error
    table = compiled(_TABLE_NAME).match(text, start)
    if table:
        error = _table_refusal(text, start, table.end())
        error.add_where(table=as_written(table["table"]))
        return error
    nameless = compiled(_NAMELESS).match(text, start)
    if nameless:
        return _not_understood(text, nameless.end())
    words = compiled(_WORDS).match(text, start)
    if words is None:
        return _not_understood(text, start)
    kind = _kind(_WORD.findall(words[0]))
    may_be_skipped = kind == "SELECT" or (kind.startswith("CREATE") and kind.endswith(_SKIPPED_OBJECTS))
    hint = _SKIP_HINT if may_be_skipped else _SUBSET_HINT
    if _is_of_another_dialect(kind) or compiled(_ADDED_CONSTRAINT).match(text, start):
        hint = f"{_DIALECT_HINT} {hint}"
    error = unsupported(text, start, f"{kind} is not accepted", hint)
    error.add_where(**_subject(text, start))
    return error


def _subject(text: str, start: int) -> dict[str, str]:
    """The table or the object that a statement is about, as far as it names one."""
    for pattern in (_MADE_OBJECT, _CHANGED_TABLE):
        match = compiled(pattern).match(text, start)
        if match:
            return {name: as_written(written) for name, written in match.groupdict().items()}
    return {}


def _kind(words: list[str]) -> str:
    """The words that tell what a statement does, for example CREATE VIRTUAL TABLE."""
    first = words[0].upper()
    if first == "CREATE":
        objects = [place for place, each in enumerate(words) if each.upper() in _OBJECTS]
        return " ".join(words[: objects[0] + 1 if objects else 2]).upper()
    return " ".join([first, *words[1:2]]) if first in _WITH_OBJECT else first


def _is_of_another_dialect(kind: str) -> bool:
    """Whether SQLite has no such statement at all."""
    first, *objects = kind.split()
    if first in ("CREATE", "DROP", "ALTER"):
        return not _OBJECTS.union(("TEMP", "TEMPORARY", "VIRTUAL", "UNIQUE")).intersection(objects)
    return first not in _SQLITES_WORDS


def _table_refusal(text: str, start: int, after_name: int) -> SqlUnsupportedError | SqlInvalidError:
    if _word_at(text, after_name) == "AS":
        return unsupported(text, start, "CREATE TABLE … AS SELECT is not accepted")
    return _not_understood(text, after_name)


def _insert_refusal(text: str, head: re.Match[str], columns_of: ColumnsOf) -> SqlUnsupportedError | SqlInvalidError:
    values = compiled(lexicon.VALUES).match(text, head.end())
    if values is None:
        return _clause_refusal(text, head.end())
    after_rows = _end(_ROWS_SO_FAR, text, values.end())
    row = compiled(_FIRST_CELL).match(text, after_rows)
    if row is None:
        return _clause_refusal(text, after_rows)
    cell, position = _after_cells(text, row.end())
    literal = compiled(_LITERAL).match(text, cell)
    error = _after_literal(text, literal.end()) if literal else _cell_refusal(text, cell)
    columns = listed_columns(text, head) or columns_of(as_written(head["table"]))
    error.add_where(column=columns[position] if position < len(columns) else None)
    return error


def _after_cells(text: str, start: int) -> tuple[int, int]:
    """The offset after literals with their commas, and how many there are."""
    count = 0
    while cell := compiled(_CELL).match(text, start):
        start, count = cell.end(), count + 1
    return start, count


def listed_columns(text: str, head: re.Match[str]) -> list[str]:
    """The columns that the head of an INSERT lists; none where it lists none."""
    names = []
    at = _end(lexicon.SPACE, text, head.end("table"))
    while at < head.end() and (listed := compiled(_LISTED).match(text, at)):
        names.append(as_written(listed["name"]))
        at = listed.end()
    return names


def _clause_refusal(text: str, at: int) -> SqlUnsupportedError | SqlInvalidError:
    found = _word_at(text, at)
    return unsupported(text, at, f"INSERT … {found} is not accepted") if found else _not_understood(text, at)


def _after_literal(text: str, at: int) -> SqlUnsupportedError | SqlInvalidError:
    operator = compiled(_OPERATOR).match(text, at)
    if operator is None:
        return _not_understood(text, at)
    return unsupported(text, at, f"cells are literals, and an expression with {operator[0]} is not one")


def _cell_refusal(text: str, at: int) -> SqlUnsupportedError | SqlInvalidError:
    call = compiled(_CALL).match(text, at)
    if call:
        hint = _UNISTR_HINT if call["function"].upper() == "UNISTR" else _SUBSET_HINT
        return unsupported(text, at, "INSERT … VALUES takes literals, not a function call", hint)
    is_name = compiled(lexicon.NAME).match(text, at)
    if text[at : at + 1] in ("'", '"', "`") and not is_name:
        return unclosed_quote(text, at)
    if is_name or text.startswith("(", at):
        return unsupported(text, at, "INSERT … VALUES takes literals only")
    return _not_understood(text, at)


def _end(pattern: str, text: str, start: int) -> int:
    match = compiled(pattern).match(text, start)
    return match.end() if match else start


def _word_at(text: str, at: int) -> str:
    found = compiled(_NEXT_WORD).match(text, at)
    return found[0].upper() if found else ""


def _shown(text: str, at: int) -> str:
    """The beginning of what stands there, on one line."""
    return " ".join(text[at : at + _SHOWN].split()) or "the end of the text"


def unsupported(text: str, at: int, reason: str, hint: str = _SUBSET_HINT, **where: object) -> SqlUnsupportedError:
    """A statement, or a part of one, outside the subset; `where` holds identifiers besides the line."""
    line = line_of(text, at)
    message = f"Line {line}: {reason}, at: {_shown(text, at)}"
    return SqlUnsupportedError(message, hint=hint, line=line, **where)


def invalid(line: int, reason: str, **where: object) -> SqlInvalidError:
    """A statement that is not SQLite's SQL; `where` holds identifiers besides the line."""
    return SqlInvalidError(f"Line {line}: {reason}.", hint=_SYNTAX_HINT, line=line, **where)


def _not_understood(text: str, at: int) -> SqlInvalidError:
    return invalid(line_of(text, at), f"SQLite's syntax allows nothing like this here: {_shown(text, at)}")


def too_long(text: str, at: int, limit: int, **where: object) -> SourceLimitError:
    """A statement at `at` that takes SQLite too much memory."""
    line = line_of(text, at)
    return SourceLimitError(
        f"Line {line}: the statement has more than {limit:,} characters, at: {_shown(text, at)}",
        hint="A definition needs no such length: CHECK with a long list is better kept as rows of a table. Run the "
        "script in SQLite, and load the database that comes of it.",
        line=line,
        limit=limit,
        **where,
    )


def unclosed_quote(text: str, at: int, **where: object) -> SqlInvalidError:
    """A text, name or bracket that begins at `at` and never ends."""
    return invalid(line_of(text, at), f"a quote is never closed: {_shown(text, at)}", **where)
