"""Reads the head of a statement with rows: which columns they have, and where they begin."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from app.errors import SourceError
from app.sources.dialect import Dialect
from app.sources.dumps.catalogue import FinalCatalogue, FinalTable
from app.sources.dumps.definitions import RowBlock
from app.sources.dumps.lexicon import STOP, Lexicon, compiled
from app.sources.dumps.rows import RowBatch, copy_rows, insert_rows
from app.sources.dumps.script import Script
from app.sources.dumps.statements import Statement, StatementKind
from app.sources.dumps.tokens import Cursor, tokens_of


@dataclass(frozen=True, slots=True)
class PlacedRows:
    """The rows of one statement: `columns` are names of the table's columns in the order of the cells."""

    table: FinalTable
    script: Script
    columns: Sequence[str]


def placed(block: RowBlock, catalogue: FinalCatalogue) -> tuple[PlacedRows, Iterator[RowBatch]]:
    """Where the rows of a block belong, and the rows; `SqlInvalidError` for a table or column that is not there."""
    statement = block.statement
    script = statement.script
    table = catalogue.holder(block.table)
    if table is None:
        raise script.invalid(statement.start, f"there is no table {block.table.label}", table=block.table.label)
    listed, after = _listed_columns(block)
    names = [column.name for column in catalogue.columns_of(block.table)] if listed is None else listed
    rows = PlacedRows(table, script, [_column(block, table, name) for name in names])
    if len(set(rows.columns)) < len(names):
        raise script.invalid(statement.start, f"a column of table {table.name} is listed twice", table=table.name)
    with _of_table(table):
        if statement.kind is StatementKind.COPY:
            return rows, _each(table, copy_rows(script, *_lines(block, after), len(names)))
        values = _values(block, after)
        head, lexicon = script.text[statement.start : values], _lexicon_of_rows(statement)
        batches = insert_rows(script, lexicon, values, _end_of_values(block), rows.columns, head)
        return rows, _each(table, batches)


@contextmanager
def _of_table(table: FinalTable) -> Iterator[None]:
    """Say of errors which table they are about."""
    try:
        yield
    except SourceError as error:
        error.where.setdefault("table", table.name)
        raise


def _each(table: FinalTable, batches: Iterator[RowBatch]) -> Iterator[RowBatch]:
    with _of_table(table):
        yield from batches


def _lexicon_of_rows(statement: Statement) -> Lexicon:
    lexicon = statement.lexicon
    if lexicon.dialect is Dialect.MYSQL and statement.script.text.find("/*", statement.start, statement.end) >= 0:
        return lexicon.with_marks()
    return lexicon


def _listed_columns(block: RowBlock) -> tuple[list[str] | None, int]:
    """The columns in the brackets after the table's name, if there are any, and the offset after them."""
    statement, lexicon = block.statement, block.statement.lexicon
    names = rf"{lexicon.name}{lexicon.space}(?:,{lexicon.space}{lexicon.name}{lexicon.space})*+"
    found = compiled(rf"{lexicon.space}\({lexicon.space}{names}\)").match(statement.script.text, block.after_name)
    if found is None:
        return None, block.after_name
    tokens = tokens_of(statement.script, found.start(), found.end(), lexicon)
    cursor = Cursor(statement.script, lexicon.dialect, tokens, statement.start)
    return [part.name() for part in cursor.elements(cursor.group())], found.end()


def _column(block: RowBlock, table: FinalTable, name: str) -> str:
    column = table.dump.column(name)
    if column is None or column.generated:
        statement = block.statement
        reason = f"table {table.name} has no column {name} that rows could fill"
        raise statement.script.invalid(statement.start, reason, table=table.name, column=name)
    return column.name


def _values(block: RowBlock, after: int) -> int:
    """Where the first row of an INSERT begins."""
    lexicon, script = block.statement.lexicon, block.statement.script
    overriding = rf"(?:(?i:OVERRIDING)\b{lexicon.space}(?i:SYSTEM|USER)\b{lexicon.space}(?i:VALUE)\b{lexicon.space})?+"
    head = compiled(rf"{lexicon.space}{overriding}(?i:VALUES?)\b{lexicon.space}")
    found = head.match(script.text, after)
    if found is None:
        raise script.unsupported(after, "INSERT is read as VALUES with literal rows, and nothing else")
    return found.end()


def _end_of_values(block: RowBlock) -> int:
    """Where the rows end: before ON CONFLICT DO NOTHING, which changes nothing while all keys differ."""
    statement = block.statement
    tail = statement.script.text[max(statement.start, statement.end - 40) : statement.end]
    found = compiled(r"\bON\ CONFLICT\ DO\ NOTHING\s*+\Z").search(tail)
    return statement.end - (len(tail) - found.start() if found else 0)


def _lines(block: RowBlock, after: int) -> tuple[int, int]:
    """Where the lines of a COPY begin and end."""
    statement, lexicon = block.statement, block.statement.lexicon
    options = (
        rf"(?:(?i:WITH)\b{lexicon.space})?+(?:\({lexicon.space}(?i:FORMAT)\b{lexicon.space}'?text'?{lexicon.space}\))?+"
    )
    head = compiled(rf"{lexicon.space}{lexicon.words('FROM STDIN')}{options}{lexicon.space}{STOP}")
    text = statement.script.text
    found = head.match(text, after)
    if found is None or found.end() <= statement.end - 1:
        raise statement.script.unsupported(after, "COPY is read FROM stdin in the text format only")
    return text.index("\n", statement.end) + 1, text.rindex("\n", 0, statement.after) + 1
