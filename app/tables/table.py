"""A table of a relational source: its schema and its columns."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.tables.column import Column
from app.tables.schema import TableSchema


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Rows in columns; `columns` has one entry for each column of the schema, all of length `row_count`."""

    schema: TableSchema
    columns: Mapping[str, Column]
    row_count: int

    @property
    def nbytes(self) -> int:
        """Bytes held by the columns."""
        return sum(column.nbytes for column in self.columns.values())
