"""Which types of values each column really stores; SQL declares types without enforcing them."""

from collections.abc import Mapping
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
    """The type of one stored value that is not NULL; a real that is huge has both types of reals."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BOOLEAN = "boolean"
    HUGE_REAL = "real beyond 1e270"


CellTypes: TypeAlias = Mapping[str, Mapping[str, frozenset[CellType]]]
"""By table and column, as spelled in the schema; NULL is not counted as a type."""

_NUMBERS = frozenset({CellType.INTEGER, CellType.REAL})
_OF_KIND = {
    Kind.INT64: CellType.INTEGER,
    Kind.BOOL: CellType.BOOLEAN,
    Kind.TEXT: CellType.TEXT,
}
_OF_PYTHON = {int: CellType.INTEGER, float: CellType.REAL, bool: CellType.BOOLEAN, str: CellType.TEXT}


def cell_types(tables: Mapping[str, Table]) -> CellTypes:
    """The stored types of all columns of these tables."""
    found: dict[str, dict[str, frozenset[CellType]]] = {}
    for name, table in tables.items():
        check_deadline()
        found[name] = {column: column_types(values) for column, values in table.columns.items()}
    return found


def column_types(column: Column) -> frozenset[CellType]:
    """The stored types of one column; empty if all cells are NULL."""
    if column.kind is Kind.MIXED:
        found = {_OF_PYTHON[kind] for kind in set(map(type, column.values)) if kind in _OF_PYTHON}
        reals = [value for value in column.values if isinstance(value, float)] if CellType.REAL in found else []
        return frozenset(found | _huge(max(map(abs, reals), default=0.0)))
    if column.null_count() == len(column):
        return frozenset()
    if column.kind is Kind.FLOAT64:
        return frozenset({CellType.REAL} | _huge(max(abs(column.values.min()), abs(column.values.max()))))
    return frozenset({_OF_KIND[column.kind]})


def _huge(largest: float) -> set[CellType]:
    return {CellType.HUGE_REAL} if largest > MOST_SUMMED else set()


def is_numeric(column: ColumnSchema, stored: frozenset[CellType] | None) -> bool:
    """Whether `sum` and `avg` may take a column.

    Without `stored` (nothing known of the data) a numeric affinity decides. With it, a value that is not a number
    rules the column out whatever it declares, and a column without affinity is numeric if it stores numbers only. So
    does a huge real: sums of such would depend on the order of their rows.
    """
    if stored is None:
        return column.affinity.is_numeric
    if column.affinity is Affinity.TEXT or not stored <= _NUMBERS:
        return False
    return column.affinity.is_numeric or bool(stored)
