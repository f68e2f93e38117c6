"""Says why a statement is not accepted: its kind, its line, and the words where it leaves the subset."""

import re

from app.errors import SqlInvalidError, SqlUnsupportedError
from app.sources import sql_lexicon as lexicon
from app.sources.sql_lexicon import compiled, word

_SYNTAX_HINT = (
    "SQLite's own syntax is wanted. A quote inside text is written twice (''); a backslash escapes nothing in SQLite."
)
_SUBSET_HINT = (
    "SQLite syntax is wanted, and of it CREATE TABLE, CREATE INDEX, INSERT … VALUES with literal values, and the "
    "transaction markers of a dump. Run anything else in SQLite first, and load the database that comes of it."
)
_UNISTR_HINT = (
    "INSERT … VALUES takes literal values. If the sqlite3 shell wrote this for a text with line ends, "
    "`.dump --newlines` writes them as they are."
)
_SHOWN = 40

_WORDS = rf"(?:[A-Za-z_]++{lexicon.END_OF_WORD}{lexicon.SPACE}){{1,4}}+"
_TABLE_NAME = rf"{word('CREATE TABLE')}(?:{word('IF NOT EXISTS')})?+{lexicon.NAME}{lexicon.SPACE}"
_WORD = re.compile("[A-Za-z_]+")
_NEXT_WORD = r"[A-Za-z_]++"
_VALUES = word("VALUES")
_ROWS_SO_FAR = rf"(?:{lexicon.ROW}{lexicon.SPACE}(?:,{lexicon.SPACE})?+)*+"
_CELLS_SO_FAR = rf"\({lexicon.SPACE}(?:{lexicon.LITERAL}{lexicon.SPACE},{lexicon.SPACE})*+"
_LITERAL = rf"{lexicon.LITERAL}{lexicon.SPACE}"
_CALL = rf"(?P<function>{lexicon.NAME}){lexicon.SPACE}\("
_OBJECTS = frozenset({"TABLE", "VIEW", "TRIGGER", "INDEX"})
_WITH_OBJECT = frozenset({"ALTER", "DROP", "LOCK", "UNLOCK", "PRAGMA", "INSERT"})


def line_of(text: str, offset: int) -> int:
    """The line of a character offset, counted from 1."""
    return text.count("\n", 0, offset) + 1


def refusal(text: str, start: int) -> SqlUnsupportedError | SqlInvalidError:
    """Why the statement at `start` is not accepted."""
    insert = compiled(lexicon.INSERT_HEAD).match(text, start)
    if insert:
        return _insert_refusal(text, insert.end())
    table = compiled(_TABLE_NAME).match(text, start)
    if table:
        return _table_refusal(text, start, table.end())
    words = compiled(_WORDS).match(text, start)
    if words is None:
        return _not_understood(text, start)
    return unsupported(text, start, f"{_kind(_WORD.findall(words[0]))} is not accepted")


def _kind(words: list[str]) -> str:
    """The words that tell what a statement does, for example CREATE VIRTUAL TABLE."""
    first = words[0].upper()
    if first == "CREATE":
        objects = [place for place, each in enumerate(words) if each.upper() in _OBJECTS]
        return " ".join(words[: objects[0] + 1 if objects else 2]).upper()
    return " ".join([first, *words[1:2]]) if first in _WITH_OBJECT else first


def _table_refusal(text: str, start: int, after_name: int) -> SqlUnsupportedError | SqlInvalidError:
    if _word_at(text, after_name) == "AS":
        return unsupported(text, start, "CREATE TABLE … AS SELECT is not accepted")
    return _not_understood(text, after_name)


def _insert_refusal(text: str, after_head: int) -> SqlUnsupportedError | SqlInvalidError:
    values = compiled(_VALUES).match(text, after_head)
    if values is None:
        return _clause_refusal(text, after_head)
    after_rows = _end(_ROWS_SO_FAR, text, values.end())
    if not text.startswith("(", after_rows):
        return _clause_refusal(text, after_rows)
    cell = _end(_CELLS_SO_FAR, text, after_rows)
    literal = compiled(_LITERAL).match(text, cell)
    if literal:
        return _not_understood(text, literal.end())
    return _cell_refusal(text, cell)


def _clause_refusal(text: str, at: int) -> SqlUnsupportedError | SqlInvalidError:
    found = _word_at(text, at)
    return unsupported(text, at, f"INSERT … {found} is not accepted") if found else _not_understood(text, at)


def _cell_refusal(text: str, at: int) -> SqlUnsupportedError | SqlInvalidError:
    call = compiled(_CALL).match(text, at)
    if call:
        hint = _UNISTR_HINT if call["function"].upper() == "UNISTR" else _SUBSET_HINT
        return unsupported(text, at, "INSERT … VALUES takes literals, not a function call", hint)
    if text[at : at + 1] in ("'", '"', "`"):
        return unclosed_quote(text, at)
    if _word_at(text, at) or text.startswith("(", at):
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


def unsupported(text: str, at: int, reason: str, hint: str = _SUBSET_HINT) -> SqlUnsupportedError:
    """A statement, or a part of one, outside the subset."""
    line = line_of(text, at)
    message = f"Line {line}: {reason}, at: {_shown(text, at)}"
    return SqlUnsupportedError(message, hint=hint, line=line)


def invalid(line: int, reason: str) -> SqlInvalidError:
    """A statement that is not SQLite's SQL."""
    return SqlInvalidError(f"Line {line}: {reason}.", hint=_SYNTAX_HINT, line=line)


def _not_understood(text: str, at: int) -> SqlInvalidError:
    return invalid(line_of(text, at), f"SQLite's syntax allows nothing like this here: {_shown(text, at)}")


def unclosed_quote(text: str, at: int) -> SqlInvalidError:
    """A text, name or bracket that begins at `at` and never ends."""
    return invalid(line_of(text, at), f"a quote is never closed: {_shown(text, at)}")
