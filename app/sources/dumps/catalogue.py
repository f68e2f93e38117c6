"""Settles what tables a dump has in the end: names, partitions, and references by name."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.sources.dumps.definitions import Definitions
from app.sources.dumps.model import DumpColumn, DumpTable, Storage, TableName, final_names
from app.sources.foreign_keys import DeclaredReference
from app.sources.options import Unsupported
from app.sources.plain_ddl import PlainColumn, PlainTable

_SQLITE_TYPES = {
    Storage.INTEGER: "INT",
    Storage.BOOLEAN: "INT",
    Storage.BITS: "INT",
    Storage.REAL: "REAL",
    Storage.NUMERIC: "NUMERIC",
    Storage.TEXT: "TEXT",
    Storage.DATE: "TEXT",
    Storage.MOMENT: "TEXT",
    Storage.BINARY: "BLOB",
}
"""INT, unlike INTEGER, never names the row id, so that rows keep the order of the dump."""


@dataclass(frozen=True, slots=True)
class FinalTable:
    """A table under the name that it has in the source, and its columns that hold values of their own."""

    dump: DumpTable
    columns: tuple[DumpColumn, ...]
    plain: PlainTable

    @property
    def name(self) -> str:
        """Its name in the source."""
        return self.plain.name


class FinalCatalogue:
    """All tables of a dump in order of definition; a partition is part of the table that it belongs to."""

    def __init__(self, definitions: Definitions, unsupported: Unsupported) -> None:
        self._definitions = definitions
        self._unsupported = unsupported
        whole = [table for table in definitions.tables.values() if table.partition_of is None]
        names = [table.name for table in whole]
        self._names = dict(zip((name.key for name in names), final_names(names), strict=True))
        self.tables = [self._final(table) for table in whole]
        self._by_key: Mapping[tuple[str, str], FinalTable] = {table.dump.name.key: table for table in self.tables}
        self.partitions = [table.name.label for table in definitions.tables.values() if table.partition_of is not None]

    def holder(self, name: TableName) -> FinalTable | None:
        """The table that holds the rows of the table, or of the partition, of that name."""
        table = self._whole(self._definitions.resolve(name))
        return None if table is None else self._by_key.get(table.name.key)

    def columns_of(self, name: TableName) -> list[DumpColumn]:
        """The columns in the order in which the table or partition of that name lists them."""
        table = self._definitions.resolve(name)
        while table is not None and not table.columns and table.partition_of is not None:
            table = self._definitions.resolve(table.partition_of)
        return [] if table is None else [column for column in table.columns if not column.generated]

    def _whole(self, table: DumpTable | None) -> DumpTable | None:
        """The table that a partition is part of, at any depth."""
        steps = 0
        while table is not None and table.partition_of is not None:
            steps += 1
            if steps > len(self._definitions.tables):
                raise table.script.invalid(table.at, f"table {table.name.label} is a partition of itself")
            table = self._definitions.resolve(table.partition_of)
        return table

    def _final(self, table: DumpTable) -> FinalTable:
        columns = tuple(column for column in table.columns if not column.generated)
        if len(columns) < len(table.columns) and self._unsupported is Unsupported.ERROR:
            raise _generated(table)
        name = self._names[table.name.key]
        plain = PlainTable(
            name,
            tuple(self._plain_column(column, column.name in table.primary_key) for column in columns),
            table.primary_key,
            tuple(dict.fromkeys(table.unique_keys)),
            tuple(self._declared(name, table)),
        )
        return FinalTable(table, columns, plain)

    def _plain_column(self, column: DumpColumn, in_key: bool) -> PlainColumn:
        stored = column.stored
        not_null = (column.not_null or in_key) and stored.storage is not Storage.BINARY
        return PlainColumn(column.name, _SQLITE_TYPES[stored.storage], stored.collation, not_null)

    def _declared(self, name: str, table: DumpTable) -> list[DeclaredReference]:
        declared = []
        for reference in table.references:
            parent = self._whole(self._definitions.resolve(reference.parent))
            parent_name = self._names[parent.name.key] if parent is not None else reference.parent.name
            declared.append(DeclaredReference(name, reference.columns, parent_name, reference.targets))
        return declared


def _generated(table: DumpTable) -> Exception:
    column = next(column.name for column in table.columns if column.generated)
    reason = f"column {column} of table {table.name.label} is computed, and its values are not in the dump"
    error = table.script.unsupported(table.at, reason, table=table.name.label, column=column)
    error.hint = "unsupported=skip leaves computed columns out. To keep one, turn it into an ordinary column first."
    return error
