"""Settles what tables a source has in the end: names, partitions, and references by name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.errors import SourceError
from app.sources.foreign_keys import DeclaredReference
from app.sources.options import Unsupported
from app.sources.plain_ddl import PlainColumn, PlainTable
from app.sources.relational_source import SourceWarning, WarningCode
from app.sources.sql.definitions.model import Constraint, Rule, SqlColumn, SqlTable, Storage
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.names import final_names

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
    """All tables of a source in order of definition; a partition is part of the table that it belongs to."""

    def __init__(self, namespace: Namespace, unsupported: Unsupported) -> None:
        self._namespace = namespace
        self._unsupported = unsupported
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
        columns = tuple(column for column in table.columns if not column.is_generated)
        if len(columns) < len(table.columns) and self._unsupported is Unsupported.ERROR:
            raise _generated(table)
        kept = self._kept_constraints(table, {column.name for column in columns})
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

    def _kept_constraints(self, table: SqlTable, columns: set[str]) -> list[Constraint]:
        """The constraints of stored columns; keys of columns that the database computes go with these."""
        kept = []
        for constraint in [*table.constraints, *self._lifted(table)]:
            if set(constraint.columns) <= columns:
                kept.append(constraint)
            elif constraint.rule in (Rule.PRIMARY, Rule.UNIQUE, Rule.REFERENCE):
                self._warn_of_key(table, constraint, "is left out with the computed column that it is of")
        return kept

    def _lifted(self, table: SqlTable) -> Iterator[Constraint]:
        """Foreign keys that all partitions with rows declare alike, which are then those of the whole table."""
        parts = self._partitions.get(id(table), [])
        filled = [part for part in parts if part.has_rows and not self._is_divided(part, parts)]
        declared = {_meaning(each): each for part in parts for each in part.of_rule(Rule.REFERENCE)}
        own = {_meaning(each) for each in table.of_rule(Rule.REFERENCE)}
        for meaning, constraint in declared.items():
            if meaning in own:
                continue
            if all(meaning in self._meanings(part) for part in filled):
                yield constraint
            else:
                self._warn_of_key(table, constraint, "is that of some partitions only, and is left out")

    def _is_divided(self, part: SqlTable, parts: list[SqlTable]) -> bool:
        return any(each.partition_of is part for each in parts)

    def _meanings(self, part: SqlTable) -> set[tuple[object, ...]]:
        """What the references of a partition, and of those that it is part of, say."""
        meanings = {_meaning(each) for each in part.of_rule(Rule.REFERENCE)}
        return meanings if part.partition_of is None else meanings | self._meanings(part.partition_of)

    def _warn_of_key(self, table: SqlTable, constraint: Constraint, what: str) -> None:
        name = self._names[id(table)]
        key = f"{constraint.rule.value} {constraint.name}".strip()
        message = f"The {key} ({', '.join(constraint.columns)}) of table {name} {what}."
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


def _generated(table: SqlTable) -> SourceError:
    column = next(column.name for column in table.columns if column.is_generated)
    reason = f"column {column} of table {table.name.label} is computed, and its values are not in the dump"
    hint = "unsupported=skip leaves computed columns out. To keep one, turn it into an ordinary column first."
    return table.script.unsupported(table.at, reason, hint=hint, table=table.name.label, column=column)
