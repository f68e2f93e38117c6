"""A table of a relational source: its schema and its columns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.tables.column import Column
from app.tables.schema import RelationalSchema, TableSchema


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


@dataclass(frozen=True, eq=False, slots=True)
class TableSet:
    """All tables of a source; `tables` has one entry for each table of `schema`, by name and in its order."""

    schema: RelationalSchema
    tables: Mapping[str, Table]

    @classmethod
    def of(cls, tables: Iterable[Table]) -> "TableSet":
        """These tables, in this order."""
        by_name = {table.schema.name: table for table in tables}
        return cls(RelationalSchema.of(table.schema for table in by_name.values()), by_name)
