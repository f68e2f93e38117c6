"""The header record: the names of the columns, as they are written."""

from app.errors import CsvHeaderInvalidError, SourceEmptyError, SourceLimitError
from app.sources.csv.columns import block_columns
from app.sources.csv.scanner import MAX_COLUMNS, Block, CsvText
from app.values import fold_identifier

MAX_NAME = 1_000
"""Characters of a table's or a column's name."""


def no_header(name: str) -> SourceEmptyError:
    """The refusal of a file without a byte of text."""
    return SourceEmptyError(
        f"The file {name} is empty: it has no header.",
        hint="The first line of a CSV file names its columns.",
        file=name,
    )


def header_names(text: CsvText, first: Block) -> tuple[str, ...]:
    """The names in the first record of the first block; the header rules are checked."""
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
    names = tuple(str(column.cell(0)) for column in block_columns(header, width))
    check_names(names, text.name)
    return names


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
        hint="Give each column a name of its own in the first line.",
        file=source,
        line=1,
        position=position,
    )
