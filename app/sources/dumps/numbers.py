"""Finds cells that a numeric column of the dump cannot have held: SQLite would keep them as something else."""

from app.errors import CellInvalidError
from app.sources.dumps.catalogue import FinalTable
from app.sources.dumps.model import DumpColumn, Storage
from app.tables.column import Column, Kind
from app.tables.table import Table

_WHOLE = frozenset({Storage.INTEGER, Storage.BOOLEAN, Storage.BITS})
_NUMERIC = _WHOLE | {Storage.NUMERIC, Storage.REAL}


def refuse_odd_numbers(final: FinalTable, table: Table) -> None:
    """Raise `CellInvalidError` for a text in a numeric column, and for all but 64-bit integers in one of integers."""
    for column in final.columns:
        if column.stored.storage in _NUMERIC:
            _check(table, column, table.columns[column.name])


def _check(table: Table, declared: DumpColumn, column: Column) -> None:
    whole = declared.stored.storage in _WHOLE
    if column.kind is Kind.INT64 or (column.kind is Kind.FLOAT64 and not whole) or column.null_count() == len(column):
        return
    for row, cell in enumerate(column.to_list()):
        if isinstance(cell, str) or (whole and isinstance(cell, float)):
            what = "no whole number of 64 bits" if whole else "no finite number"
            raise CellInvalidError(
                f"Table {table.schema.name}, column {declared.name}, row {row} (counted from 0) holds "
                f"{str(cell)[:60]!r}, which is {what}; the column is declared {declared.declared}.",
                hint="Correct the value, or dump the column as text.",
                table=table.schema.name,
                column=declared.name,
                row=row,
            )
