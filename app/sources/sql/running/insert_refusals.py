"""Says why an INSERT is not accepted: its clause, or the first cell that is not a literal."""

import re
from collections.abc import Callable, Sequence

from app.errors import SqlInvalidError, SqlUnsupportedError
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.syntax import END_OF_WORD, WORD, compiled
from app.sources.sql.running.inserts import LITERAL, ROW, SQLITE, TARGET, VALUES, written_name
from app.sources.sql.running.refusals import SUBSET_HINT, SYNTAX_HINT, beginning, main_name, not_understood, unsupported
from app.sources.sql.statements.splitter import Statement

_UNISTR_HINT = (
    "INSERT … VALUES takes literal values. If the sqlite3 shell wrote this for a text with line ends, "
    "`.dump --newlines` writes them as they are."
)

ColumnsOf = Callable[[str], Sequence[str]]
"""The columns of a table by its name; none of one that is not known."""

_SPACE, _NAME = SQLITE.space, SQLITE.name
_ROWS_SO_FAR = rf"(?:{ROW}{_SPACE}(?:,{_SPACE})?+)*+"
_OPENING = rf"\({_SPACE}"
_CELL = rf"{LITERAL}{_SPACE},{_SPACE}"
_LITERAL = rf"{LITERAL}{_SPACE}"
_OPERATOR = rf"""(?:\|\||->>?+|<<|>>|<>|[<>=!]=?+|[-+*/%&|~]
    |(?i:AND|BETWEEN|COLLATE|GLOB|IN|IS|ISNULL|LIKE|MATCH|NOT|NOTNULL|OR|REGEXP){END_OF_WORD})"""
_CALL = rf"(?P<function>{_NAME}){_SPACE}\("
_LISTED = rf"[(,]{_SPACE}(?P<name>{_NAME}){_SPACE}"


def insert_refusal(statement: Statement, columns_of: ColumnsOf) -> SqlUnsupportedError | SqlInvalidError:
    """Why the INSERT at the beginning of a statement is not accepted."""
    script = statement.script
    target = compiled(TARGET).match(script.text, statement.start)
    if target is None or script.text.startswith(".", target.end()):
        return _target_refusal(statement)
    values = compiled(VALUES).match(script.text, target.end())
    if values is None:
        error = _clause_refusal(script, target.end())
    else:
        error = _row_refusal(script, target, values.end(), columns_of)
    error.add_where(table=written_name(target["table"]))
    return error


def _target_refusal(statement: Statement) -> SqlUnsupportedError | SqlInvalidError:
    """A table of another schema, or no name at all."""
    cursor = beginning(statement)
    if not cursor.accept("INSERT INTO", "REPLACE INTO"):
        return unsupported(cursor.script, cursor.at, f"{cursor.word} {cursor.peek().word} is not accepted")
    main_name(cursor)
    return not_understood(cursor.script, cursor.at)


def _row_refusal(
    script: Script, target: re.Match[str], start: int, columns_of: ColumnsOf
) -> SqlUnsupportedError | SqlInvalidError:
    after_rows = _end(_ROWS_SO_FAR, script.text, start)
    row = compiled(_OPENING).match(script.text, after_rows)
    if row is None:
        return _clause_refusal(script, after_rows)
    cell, position = _after_cells(script.text, row.end())
    literal = compiled(_LITERAL).match(script.text, cell)
    error = _after_literal(script, literal.end()) if literal else _cell_refusal(script, cell)
    columns = _listed_columns(target) or columns_of(written_name(target["table"]))
    error.add_where(column=columns[position] if position < len(columns) else None)
    return error


def _after_cells(text: str, start: int) -> tuple[int, int]:
    """The offset after literals with their commas, and how many there are."""
    count = 0
    while cell := compiled(_CELL).match(text, start):
        start, count = cell.end(), count + 1
    return start, count


def _listed_columns(target: re.Match[str]) -> list[str]:
    """The columns that an INSERT lists; none if it lists none."""
    names = []
    at = _end(_SPACE, target.string, target.end("table"))
    while at < target.end() and (listed := compiled(_LISTED).match(target.string, at)):
        names.append(written_name(listed["name"]))
        at = listed.end()
    return names


def _clause_refusal(script: Script, at: int) -> SqlUnsupportedError | SqlInvalidError:
    found = compiled(WORD).match(script.text, at)
    if found is None:
        return not_understood(script, at)
    return unsupported(script, at, f"INSERT … {found[0].upper()} is not accepted")


def _after_literal(script: Script, at: int) -> SqlUnsupportedError | SqlInvalidError:
    operator = compiled(_OPERATOR).match(script.text, at)
    if operator is None:
        return not_understood(script, at)
    return unsupported(script, at, f"cells are literals, and an expression with {operator[0]} is not one")


def _cell_refusal(script: Script, at: int) -> SqlUnsupportedError | SqlInvalidError:
    call = compiled(_CALL).match(script.text, at)
    if call:
        hint = _UNISTR_HINT if call["function"].upper() == "UNISTR" else SUBSET_HINT
        return unsupported(script, at, "INSERT … VALUES takes literals, not a function call", hint)
    is_name = compiled(_NAME).match(script.text, at)
    if script.text[at : at + 1] in ("'", '"', "`", "[") and not is_name:
        return script.invalid(at, f"a quote is never closed: {script.shown(at)}", hint=SYNTAX_HINT)
    if is_name or script.text.startswith("(", at):
        return unsupported(script, at, "INSERT … VALUES takes literals only")
    return not_understood(script, at)


def _end(pattern: str, text: str, start: int) -> int:
    match = compiled(pattern).match(text, start)
    return match.end() if match else start
