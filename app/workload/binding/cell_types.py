"""Which types of values each column really stores; SQL declares types without enforcing them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

from app.budget import check_deadline
from app.tables.column import Column, Kind
from app.tables.schema import ColumnSchema
from app.tables.table import Table
from app.values import Affinity


class CellType(StrEnum):
    """The type of one stored value that is not NULL."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BOOLEAN = "boolean"


CellTypes: TypeAlias = Mapping[str, Mapping[str, frozenset[CellType]]]
"""By table and column, as spelled in the schema; NULL is not counted as a type."""

_NUMBERS = frozenset({CellType.INTEGER, CellType.REAL})
_OF_KIND = {
    Kind.INT64: CellType.INTEGER,
    Kind.FLOAT64: CellType.REAL,
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
    """The stored types of one column; empty where all cells are NULL."""
    if column.kind is Kind.MIXED:
        return frozenset(_OF_PYTHON[kind] for kind in set(map(type, column.values)) if kind in _OF_PYTHON)
    if column.null_count() == len(column):
        return frozenset()
    return frozenset({_OF_KIND[column.kind]})


def is_numeric(column: ColumnSchema, stored: frozenset[CellType] | None) -> bool:
    """Whether `sum` and `avg` may take a column.

    Without `stored` (nothing known of the data) a numeric affinity decides. With it, a value that is not a number
    rules the column out whatever it declares, and a column without affinity is numeric if it stores numbers only.
    """
    if stored is None:
        return column.affinity.is_numeric
    if column.affinity is Affinity.TEXT or not stored <= _NUMBERS:
        return False
    return column.affinity.is_numeric or bool(stored)
