"""Inline tables: JSON objects in an option become columns that keep the type of each scalar."""

from typing import Any

from app.budget import checked
from app.errors import CellInvalidError, TableInvalidError
from app.sources.csv.header import check_names
from app.sources.declared.assembly import ParsedTable
from app.sources.declared.json_models import InlineTable
from app.tables.column import column_of
from app.values import is_finite_scalar

_HINT = "Cells are finite numbers, texts, true, false and null."


def parse_inline(table: InlineTable) -> ParsedTable:
    """The table with its rows checked cell by cell.

    Raises `CsvHeaderInvalidError` for column names, `TableInvalidError` for rows of other columns, `CellInvalidError`.
    """
    check_names(tuple(table.columns), f"inline table {table.name}")
    for number, row in enumerate(checked(table.rows), start=1):
        _check_row(table, number, row)
    columns = {name: column_of([row[name] for row in table.rows]) for name in table.columns}
    references = tuple(key.of_table(table.name) for key in table.foreign_keys)
    return ParsedTable(table.name, columns, len(table.rows), table.primary_key, references)


def _check_row(table: InlineTable, number: int, row: dict[str, Any]) -> None:
    if row.keys() != set(table.columns):
        stray = next((name for name in row if name not in table.columns), None)
        missing = next((name for name in table.columns if name not in row), None)
        problem = (
            f"has no cell for column {missing}" if stray is None else f"has a cell for {stray}, which is not a column"
        )
        raise TableInvalidError(
            f"Inline table {table.name}, row {number} {problem}.",
            hint="Each row has each column once; write null if there is no value.",
            table=table.name,
            row=number,
            column=stray or missing,
        )
    for name, cell in row.items():
        if not is_finite_scalar(cell):
            raise CellInvalidError(
                f"Inline table {table.name}, column {name}, row {number} holds {_named(cell)}.",
                hint=_HINT,
                table=table.name,
                column=name,
                row=number,
            )


def _named(cell: object) -> str:
    if isinstance(cell, list | tuple):
        return "an array"
    if isinstance(cell, dict):
        return "an object"
    if isinstance(cell, float):
        return f"the number {cell}"
    return "an integer of more than 64 bits" if isinstance(cell, int) else "text that is not valid Unicode"
