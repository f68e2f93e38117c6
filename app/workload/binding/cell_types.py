"""What each column really stores: types of values, and how large; SQL declares types without enforcing them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from app.budget import check_deadline
from app.tables.column import Column, Kind
from app.tables.schema import ColumnSchema
from app.tables.table import Table
from app.values import Affinity

MOST_SUMMED = 1e270
"""Reals up to this can be added up in any order and number: 2**62 of them stay far below the limit of REAL, 1.8e308."""


class CellType(StrEnum):
    """The type of one stored value that is not NULL."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BOOLEAN = "boolean"


_NUMBERS = frozenset({CellType.INTEGER, CellType.REAL})
_OF_KIND = {
    Kind.INT64: CellType.INTEGER,
    Kind.FLOAT64: CellType.REAL,
    Kind.BOOL: CellType.BOOLEAN,
    Kind.TEXT: CellType.TEXT,
}
_OF_PYTHON = {int: CellType.INTEGER, float: CellType.REAL, bool: CellType.BOOLEAN, str: CellType.TEXT}
_SECOND_ROUNDING = 2.0**-90


@dataclass(frozen=True, slots=True)
class ColumnCells:
    """What a column stores: the types of its cells that are not NULL, and the greatest magnitude if all are numbers."""

    types: frozenset[CellType]
    largest: float = 0.0

    @property
    def sum_noise(self) -> float:
        """How far apart two careful sums of the column may be, however small they are.

        SQLite keeps what each addition rounds off in a second real (Kahan's and Babuška's sum as Neumaier has it).
        If the sum cancels, the roundings of that second real are left: each 2**-106 of the largest value, here 65,536.
        """
        return self.largest * _SECOND_ROUNDING if CellType.REAL in self.types else 0.0


CellTypes: TypeAlias = Mapping[str, Mapping[str, ColumnCells]]
"""By table and column, as spelled in the schema; NULL is not counted as a type."""


def cell_types(tables: Mapping[str, Table]) -> CellTypes:
    """What all columns of these tables store."""
    found: dict[str, dict[str, ColumnCells]] = {}
    for name, table in tables.items():
        check_deadline()
        found[name] = {column: column_cells(values) for column, values in table.columns.items()}
    return found


def column_cells(column: Column) -> ColumnCells:
    """What one column stores; no type at all if all cells are NULL."""
    types = _types(column)
    if not types or not types <= _NUMBERS:
        return ColumnCells(types)
    if column.kind is Kind.MIXED:
        return ColumnCells(types, float(max(abs(value) for value in column.values if value is not None)))
    # NULL cells are 0.
    return ColumnCells(types, max(abs(float(column.values.min())), abs(float(column.values.max()))))


def _types(column: Column) -> frozenset[CellType]:
    if column.kind is Kind.MIXED:
        return frozenset(_OF_PYTHON[kind] for kind in set(map(type, column.values)) if kind in _OF_PYTHON)
    return frozenset() if column.null_count() == len(column) else frozenset({_OF_KIND[column.kind]})


def is_numeric(column: ColumnSchema, stored: ColumnCells | None) -> bool:
    """Whether `sum` and `avg` may take a column.

    Without `stored` (nothing known of the data) a numeric affinity decides. With it, a value that is not a number
    rules the column out whatever it declares, and a column without affinity is numeric if it stores numbers only. So
    does a real beyond `MOST_SUMMED`: whether sums of such overflow depends on the order of their rows.
    """
    if stored is None:
        return column.affinity.is_numeric
    if column.affinity is Affinity.TEXT or not stored.types <= _NUMBERS or stored.largest > MOST_SUMMED:
        return False
    return column.affinity.is_numeric or bool(stored.types)
