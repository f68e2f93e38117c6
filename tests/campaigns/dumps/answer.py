"""What a database says: its tables, rows and edges; and the same of what Graphwright reads."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

Cell = int | float | str | Decimal | None
Row = tuple[Cell, ...]


class Kind(StrEnum):
    """How values of a column are kept (docs/sources.md)."""

    INTEGER = "integer"
    BOOLEAN = "boolean"
    NUMERIC = "numeric"
    REAL = "real"
    BYTES = "bytes"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ColumnAnswer:
    """A column; `computed` ones have values that the database makes itself."""

    name: str
    kind: Kind
    computed: bool = False


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """A table with its rows in the order in which they were told."""

    name: str
    columns: tuple[ColumnAnswer, ...]
    primary_key: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class Key:
    """A foreign key, by names of tables and columns; its pairs of columns in the order of their names."""

    table: str
    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]

    @classmethod
    def of(cls, table: str, columns: tuple[str, ...], ref_table: str, ref_columns: tuple[str, ...]) -> "Key":
        pairs = sorted(zip(columns, ref_columns, strict=True))
        return cls(table, tuple(a for a, _ in pairs), ref_table, tuple(b for _, b in pairs))

    def __str__(self) -> str:
        return f"{self.table}({', '.join(self.columns)}) -> {self.ref_table}({', '.join(self.ref_columns)})"


Edges = Counter[tuple[Row, Row]]
"""How often a child row of these cells refers to a parent row of those."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole database; `warnings` and `notes` are only Graphwright's."""

    tables: Mapping[str, TableAnswer]
    edges: Mapping[Key, Edges]
    warnings: tuple[str, ...] = ()
    skipped_cells: Mapping[tuple[str, str], int] = field(default_factory=dict)


def shared_names(names: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """What Graphwright calls each (schema, table): the bare name unless two schemas have it."""
    bare = Counter(fold(table) for _, table in names)
    return {(schema, table): table if bare[fold(table)] == 1 else f"{schema}.{table}" for schema, table in names}


def fold(name: str) -> str:
    """ASCII case rules of identifiers."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)
