"""The header record: the names of the columns, as they are written, or numbered ones if there is no header."""

import re
from collections.abc import Sequence

from app.errors import CsvHeaderInvalidError, SourceEmptyError, SourceLimitError
from app.sources.csv.columns import block_columns
from app.sources.csv.faults import shown
from app.sources.csv.scanner import MAX_COLUMNS, Block, CsvText
from app.tables.column import Column, Kind
from app.values import fold_identifier

MAX_NAME = 1_000
"""Characters of a table's or a column's name."""

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def no_header(text: CsvText) -> SourceEmptyError:
    """The refusal of a file without a byte of text."""
    return SourceEmptyError(
        f"The file {text.name} is empty: it has no {'header' if text.has_header else 'record'}.",
        hint="The first line of a CSV file names its columns, or says how many there are.",
        file=text.name,
    )


def header_names(text: CsvText, first: Block) -> tuple[str, ...]:
    """The names in the first record of the first block, which are checked; without a header `column_1` and so on."""
    header = first.after(0, 1)
    width = len(header.separators)
    if width > MAX_COLUMNS:
        raise SourceLimitError(
            f"{text.name} has {width:,} columns; the limit is {MAX_COLUMNS:,}.",
            hint="Split the table, or turn columns into rows.",
            file=text.name,
            columns=width,
            limit=MAX_COLUMNS,
        )
    if not text.has_header:
        return tuple(f"column_{number}" for number in range(1, width + 1))
    names = tuple(str(column.cell(0)) for column in block_columns(header, width))
    check_names(names, text.name)
    return names


def header_doubt(names: Sequence[str], columns: Sequence[Column]) -> str | None:
    """Why a header looks like a record, if it does: a name is a number, or stands in its own column as well."""
    for name, column in zip(names, columns, strict=True):
        if _NUMBER.fullmatch(name):
            return f"the name {shown(name)} is a number"
        if column.kind is Kind.TEXT and column.texts.code_of(name) >= 0:
            return f"the name {shown(name)} stands in its column as well"
    return None


def check_names(names: tuple[str, ...], source: str) -> None:
    """Raise `CsvHeaderInvalidError` for a blank name, or for two that are the same to SQLite."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise _invalid(source, f"column {position} has no name", position)
        if len(name) > MAX_NAME:
            raise _invalid(source, f"the name of column {position} has more than {MAX_NAME:,} characters", position)
        before = seen.setdefault(fold_identifier(name), position)
        if before != position:
            raise _same(source, names, before, position)


def _same(source: str, names: tuple[str, ...], first: int, second: int) -> CsvHeaderInvalidError:
    one, other = names[first - 1], names[second - 1]
    if one == other:
        problem = f'column "{one}" is there twice (positions {first} and {second})'
    else:
        problem = (
            f'"{one}" and "{other}" (positions {first} and {second}) are one column for SQLite, '
            "against which the workload is checked"
        )
    return _invalid(source, problem, second)


def _invalid(source: str, problem: str, position: int) -> CsvHeaderInvalidError:
    return CsvHeaderInvalidError(
        f"{source}: {problem}.",
        hint="Give each column its own name in the first line, or set the option header to false if that is a record.",
        file=source,
        line=1,
        position=position,
    )
