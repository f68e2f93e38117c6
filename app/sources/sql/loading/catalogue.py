"""Settles what tables a source has in the end: names, partitions, and references by name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.errors import SourceError
from app.sources.dialect import Dialect
from app.sources.foreign_keys import DeclaredReference
from app.sources.options import Unsupported
from app.sources.relational_source import SourceWarning, WarningCode
from app.sources.sql.definitions.model import Constraint, RowBlock, Rule, SqlColumn, SqlTable, Storage
from app.sources.sql.lexing.names import final_names
from app.sources.sql.reading.definitions import Definitions
from app.sources.sql.rows.blocks import columns_given
from app.sources.sqlite.plain_ddl import PlainColumn, PlainTable

SQLITE_TYPES = {
    Storage.INTEGER: "INT",
    Storage.BOOLEAN: "INT",
    Storage.BITS: "INT",
    Storage.REAL: "REAL",
    Storage.NUMERIC: "NUMERIC",
    Storage.TEXT: "TEXT",
    Storage.BINARY: "BLOB",
}
"""INT, unlike INTEGER, never names the row id, so that rows keep the order of the dump."""


@dataclass(frozen=True, slots=True)
class FinalTable:
    """A table under the name that it has in the source, and its columns that hold values of their own."""

    declared: SqlTable
    columns: tuple[SqlColumn, ...]
    plain: PlainTable

    @property
    def name(self) -> str:
        """Its name in the source."""
        return self.plain.name


class FinalCatalogue:
    """All tables of a source in order of definition; a partition is part of the table that it belongs to.

    A computed column whose values stand in the dump, as MariaDB writes them, is a column like any other.
    """

    def __init__(self, definitions: Definitions, unsupported: Unsupported) -> None:
        namespace = self._namespace = definitions.namespace
        self._unsupported = unsupported
        self._blocks: dict[int, list[RowBlock]] = {}
        for event in definitions.events:
            if isinstance(event, RowBlock):
                self._blocks.setdefault(id(event.table.whole), []).append(event)
        self.warnings: list[SourceWarning] = []
        self._partitions: dict[int, list[SqlTable]] = {}
        for table in namespace.tables.values():
            if table.partition_of is not None:
                self._partitions.setdefault(id(table.whole), []).append(table)
        whole = [table for table in namespace.tables.values() if table.partition_of is None]
        names = final_names([table.name for table in whole])
        self._names = dict(zip(map(id, whole), names, strict=True))
        self.tables = [self._final(table) for table in whole]
        self._by_table: Mapping[int, FinalTable] = {id(table.declared): table for table in self.tables}

    @property
    def partition_count(self) -> int:
        """How many tables are parts of others."""
        return sum(map(len, self._partitions.values()))

    def holder(self, table: SqlTable) -> FinalTable:
        """The table that holds the rows of a table or partition."""
        return self._by_table[id(table.whole)]

    def _final(self, table: SqlTable) -> FinalTable:
        columns = tuple(column for column in table.columns if not column.is_generated or self._is_given(table, column))
        if len(columns) < len(table.columns) and self._unsupported is Unsupported.ERROR:
            raise _generated(table, next(column for column in table.columns if column not in columns))
        constraints = [*table.constraints, *self._lifted(table)]
        kept = [each for each in constraints if {column.name for column in columns}.issuperset(each.columns)]
        primary = next((each.columns for each in kept if each.rule is Rule.PRIMARY), ())
        unique = dict.fromkeys(each.columns for each in kept if each.rule is Rule.UNIQUE)
        name = self._names[id(table)]
        plain = PlainTable(
            name,
            tuple(_plain_column(column, column.name in primary) for column in columns),
            primary,
            tuple(unique),
            tuple(dict.fromkeys(self._declared(name, each) for each in kept if each.rule is Rule.REFERENCE)),
        )
        return FinalTable(table, columns, plain)

    def _is_given(self, table: SqlTable, column: SqlColumn) -> bool:
        """Whether all rows bring the value of a computed column; those of PostgreSQL bring no more than DEFAULT."""
        blocks = self._blocks.get(id(table), [])
        if blocks and self._namespace.session.dialect is not Dialect.MYSQL:
            return False
        return all(column.name in {each.name for each in columns_given(block)} for block in blocks)

    def _lifted(self, table: SqlTable) -> Iterator[Constraint]:
        """Foreign keys that all partitions with rows declare alike, which are then those of the whole table.

        Of rows that go to a divided table only its database knows the partition: then all partitions count.
        """
        parts = self._partitions.get(id(table), [])
        divided = {id(part.partition_of) for part in parts}
        direct = {id(block.table) for block in self._blocks.get(id(table), [])}
        filled = [part for part in parts if id(part) not in divided and (divided & direct or id(part) in direct)]
        declared = {_meaning(each): each for part in parts for each in part.of_rule(Rule.REFERENCE)}
        own = {_meaning(each) for each in table.of_rule(Rule.REFERENCE)}
        for meaning, constraint in declared.items():
            if meaning in own:
                continue
            if all(meaning in self._meanings(part) for part in filled):
                yield constraint
            else:
                self._warn_of_key(table, constraint)

    def _meanings(self, part: SqlTable) -> set[tuple[object, ...]]:
        """What the references of a partition, and of those that it is part of, say."""
        meanings = {_meaning(each) for each in part.of_rule(Rule.REFERENCE)}
        return meanings if part.partition_of is None else meanings | self._meanings(part.partition_of)

    def _warn_of_key(self, table: SqlTable, constraint: Constraint) -> None:
        """A key that cannot be one of the whole table is left out."""
        name = self._names[id(table)]
        what = f"{constraint.rule.value} {constraint.label}"
        message = f"The {what} of table {name} is that of some partitions only, and is left out."
        where = {"table": name, "columns": list(constraint.columns)}
        self.warnings.append(SourceWarning(WarningCode.UNSUPPORTED_SKIPPED, message, where))

    def _declared(self, name: str, constraint: Constraint) -> DeclaredReference:
        assert constraint.parent is not None, "references name their parents"
        parent = self._namespace.table(constraint.parent)
        parent_name = constraint.parent.label if parent is None else self._names[id(parent.whole)]
        return DeclaredReference(name, constraint.columns, parent_name, constraint.targets)


def _meaning(reference: Constraint) -> tuple[object, ...]:
    assert reference.parent is not None, "references name their parents"
    return reference.columns, reference.parent.key, reference.targets


def _plain_column(column: SqlColumn, in_key: bool) -> PlainColumn:
    storage = column.type.storage
    not_null = (column.not_null or in_key) and storage is not Storage.BINARY
    return PlainColumn(column.name, SQLITE_TYPES[storage], column.type.collation, not_null)


def _generated(table: SqlTable, column: SqlColumn) -> SourceError:
    reason = f"column {column.name} of table {table.name.label} is computed, and its values are not in the dump"
    hint = "unsupported=skip leaves computed columns out. To keep one, turn it into an ordinary column first."
    return table.script.unsupported(table.at, reason, hint=hint, table=table.name.label, column=column.name)
