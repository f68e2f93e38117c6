"""Reads the head of a statement with rows: which columns they have, and where they begin."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from app.errors import SourceError
from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import RowBlock, Rule, SqlColumn
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.syntax import Syntax, compiled
from app.sources.sql.lexing.tokens import TokenBudget, tokens_of
from app.sources.sql.reading.definitions import COPY_ONLY
from app.sources.sql.rows.batches import RowBatch
from app.sources.sql.rows.copied import copied_rows
from app.sources.sql.rows.inserted import ROWS_ONLY, end_of_rows, inserted_row_count, inserted_rows
from app.values import fold_identifier

_MAY_SKIP = r"(?:/\*M?+![0-9]*+\s*+)?+(?i:REPLACE\b|INSERT\b[^(]*?\b(?:IGNORE|OR)\b)"


@dataclass(frozen=True, slots=True)
class PlacedRows:
    """The rows of one statement: `columns` are those of the table in the order of the cells.

    `overrides` says that rows may give numbers that an identity column always draws.
    """

    block: RowBlock
    columns: Sequence[SqlColumn]
    overrides: bool

    @property
    def script(self) -> Script:
        """Where the rows stand."""
        return self.block.statement.script


def placed(block: RowBlock, table: str) -> tuple[PlacedRows, Iterator[RowBatch]]:
    """The columns of a block's rows, and the rows; errors name the table that they end up in, `table`.

    Raises `SqlInvalidError` for a column that is not there, `SqlUnsupportedError` for whatever is not VALUES or lines.
    """
    statement, script = block.statement, block.statement.script
    with _of_table(table):
        columns, after = _different_columns(block, table)
        if statement.has_lines:
            lines = copied_rows(script, *_lines(block, after), len(columns))
            return PlacedRows(block, columns, overrides=True), _each(table, lines)
        values, overrides = _values(block, after)
        end, head = _end_and_head(block, values)
        rows = inserted_rows(script, statement.settings.syntax, values, end, _names(columns), head)
        return PlacedRows(block, columns, overrides), _each(table, rows)


def row_count(block: RowBlock, table: str) -> int:
    """How many rows a block has; raises what `placed` and its batches raise, except for lines of a wrong width."""
    statement, script = block.statement, block.statement.script
    with _of_table(table):
        columns, after = _different_columns(block, table)
        if statement.has_lines:
            return script.text.count("\n", *_lines(block, after))
        values, _ = _values(block, after)
        end, head = _end_and_head(block, values)
        return inserted_row_count(script, statement.settings.syntax, values, end, _names(columns), head)


def columns_given(block: RowBlock) -> Sequence[SqlColumn]:
    """The columns of which the rows of a block have values; names that the table does not have are passed over."""
    names, _ = _listed_columns(block)
    folded = set(map(fold_identifier, names or ()))
    return (
        _own_columns(block)
        if names is None
        else [each for each in block.columns if fold_identifier(each.name) in folded]
    )


def _names(columns: Sequence[SqlColumn]) -> list[str]:
    return [column.name for column in columns]


def _different_columns(block: RowBlock, table: str) -> tuple[list[SqlColumn], int]:
    columns, after = _columns(block, table)
    if len({column.name for column in columns}) < len(columns):
        statement = block.statement
        raise statement.script.invalid(statement.start, f"a column of table {table} is listed twice")
    return columns, after


def _columns(block: RowBlock, table: str) -> tuple[list[SqlColumn], int]:
    """The columns of a block's rows, and the offset after them."""
    names, after = _listed_columns(block)
    if names is not None:
        return [_column(block, table, name) for name in names], after
    return _own_columns(block), after


def _own_columns(block: RowBlock) -> list[SqlColumn]:
    """The columns of rows that name none; those of COPY are never computed ones."""
    is_copy = block.statement.has_lines
    return [each for each in block.columns if not (each.is_invisible or (is_copy and each.is_generated))]


@contextmanager
def _of_table(table: str) -> Iterator[None]:
    """Say of errors which table they are about."""
    try:
        yield
    except SourceError as error:
        error.where.setdefault("table", table)
        raise


def _each(table: str, batches: Iterator[RowBatch]) -> Iterator[RowBatch]:
    with _of_table(table):
        yield from batches


def _listed_columns(block: RowBlock) -> tuple[list[str] | None, int]:
    """The columns in the brackets after the table's name, if there are any, and the offset after them."""
    script, syntax = block.statement.script, block.statement.settings.syntax
    space = syntax.space
    names = rf"{syntax.name}{space}(?:,{space}{syntax.name}{space})*+"
    found = compiled(rf"{space}\({space}{names}\)").match(script.text, block.after_name)
    if found is None:
        return None, block.after_name
    tokens = list(tokens_of(script.text, block.after_name, found.end(), syntax, TokenBudget()))
    words = [token for token in tokens if token.kind.value != "comment"]
    cursor = Cursor(script, syntax, words, found.end())
    return [part.name() for part in cursor.elements_of_group()], found.end()


def _column(block: RowBlock, table: str, name: str) -> SqlColumn:
    folded = fold_identifier(name)
    column = next((each for each in block.columns if fold_identifier(each.name) == folded), None)
    if column is None:
        reason = f"table {table} has no column {name} that rows could fill"
        raise block.statement.script.invalid(block.statement.start, reason, table=table, column=name)
    return column


def _end_and_head(block: RowBlock, values: int) -> tuple[int, str]:
    """Where the rows of an INSERT end that begin at `values`, and what stands before them."""
    statement, script = block.statement, block.statement.script
    end = end_of_rows(script, statement.start, statement.end)
    head = script.text[statement.start : values]
    if end < statement.end or may_skip(block):
        _refuse_uncertain_keys(block)
    return end, head


def may_skip(block: RowBlock) -> bool:
    """Whether the head of an INSERT says that some rows may be left out, or replace others."""
    statement = block.statement
    return compiled(_MAY_SKIP).match(statement.script.text, statement.start, block.after_name) is not None


def _values(block: RowBlock, after: int) -> tuple[int, bool]:
    """Where the first row of an INSERT begins, and whether rows may give numbers that are always drawn."""
    script, syntax = block.statement.script, block.statement.settings.syntax
    space = syntax.space
    overriding = rf"(?:(?i:OVERRIDING)\b{space}(?P<whose>(?i:SYSTEM|USER))\b{space}(?i:VALUE)\b{space})?+"
    values = "VALUES?" if syntax.dialect is Dialect.MYSQL else "VALUES"
    found = compiled(rf"{space}{overriding}(?i:{values})\b{space}").match(script.text, after)
    if found is None:
        raise script.unsupported(_after_space(script, syntax, after), ROWS_ONLY)
    whose = (found["whose"] or "").upper()
    if whose == "USER":
        raise script.unsupported(after, "with OVERRIDING USER VALUE the database draws numbers that rows give")
    return found.end(), whose == "SYSTEM"


def _after_space(script: Script, syntax: Syntax, at: int) -> int:
    found = compiled(syntax.space).match(script.text, at)
    return found.end() if found else at


def _refuse_uncertain_keys(block: RowBlock) -> None:
    """Rows that are inserted unless a key occurs twice are certain only if all keys are kept here."""
    table = block.table.whole
    generated = {column.name for column in table.columns if column.is_generated}
    for owner in {block.table, table}:
        for each in owner.constraints:
            is_key = each.rule in (Rule.PRIMARY, Rule.UNIQUE)
            if each.rule is Rule.PARTIAL or (is_key and generated & set(each.columns)):
                reason = f"whether a row is inserted depends on {each.name or 'a key'}, a key that is not kept here"
                raise block.statement.script.unsupported(block.statement.start, reason)


def _lines(block: RowBlock, after: int) -> tuple[int, int]:
    """Where the lines of a COPY begin and end."""
    statement, syntax = block.statement, block.statement.settings.syntax
    space = syntax.space
    options = rf"(?:(?i:WITH)\b{space})?+(?:\({space}(?i:FORMAT)\b{space}'?text'?{space}\))?+"
    from_stdin = rf"(?i:FROM)\b{space}(?i:STDIN)\b{space}"
    text = statement.script.text
    found = compiled(rf"{space}{from_stdin}{options}{space}").match(text, after, statement.end)
    if found is None or found.end() < statement.end:
        raise statement.script.unsupported(_after_space(statement.script, syntax, after), COPY_ONLY)
    return text.index("\n", statement.end) + 1, text.rindex("\n", 0, statement.after) + 1
