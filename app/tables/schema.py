"""The relational schema: tables, columns, keys and foreign keys, with SQLite's comparison rules on each column."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from app.errors import ForeignKeyInvalidError, NotFoundError
from app.values import Affinity, Collation, fold_identifier


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column as declared; `declared_type` is the text of the declaration, "" if there is none.

    `empty_is_missing`: in a foreign key, an empty text in this column is not a reference, just as NULL is not.
    `type_label` is what a user calls the type of a column that has none; nothing is converted by it.
    """

    name: str
    declared_type: str = ""
    affinity: Affinity = Affinity.BLOB
    collation: Collation = Collation.BINARY
    not_null: bool = False
    empty_is_missing: bool = False
    type_label: str = ""

    def to_dict(self) -> dict[str, object]:
        """The document form: `name`, `type`, `affinity`, `collation`, `not_null`, and `annotations`."""
        return {
            "name": self.name,
            "type": self.declared_type,
            "affinity": self.affinity.value,
            "collation": self.collation.value,
            "not_null": self.not_null,
            **self.annotations(),
        }

    def annotations(self) -> dict[str, object]:
        """`empty_is_missing` and `type_label`, each only if it says something."""
        found: dict[str, object] = {"empty_is_missing": True} if self.empty_is_missing else {}
        return found | {"type_label": self.type_label} if self.type_label else found


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A declared foreign key; tables and columns carry the spelling of their own CREATE TABLE."""

    table: str
    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "ForeignKey":
        """The foreign key of what `to_dict` gives; other members are passed over."""
        columns, ref_columns = (tuple(map(str, document[name])) for name in ("columns", "ref_columns"))
        return cls(str(document["table"]), columns, str(document["ref_table"]), ref_columns)

    def to_dict(self) -> dict[str, object]:
        """The document form: `table`, `columns`, `ref_table`, `ref_columns`."""
        return {
            "table": self.table,
            "columns": list(self.columns),
            "ref_table": self.ref_table,
            "ref_columns": list(self.ref_columns),
        }

    @property
    def label(self) -> str:
        """How messages name it, for example `orders(customer_id) -> customers(id)`."""
        return f"{self.table}({', '.join(self.columns)}) -> {self.ref_table}({', '.join(self.ref_columns)})"


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table's columns in order, its primary key in key order, and its foreign keys.

    `primary_key` is empty if no reliable key exists: such rows are identified by position.
    `unique_keys` are column sets that a full unique index of the columns' own collations declares.
    """

    name: str
    columns: tuple[ColumnSchema, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()

    @property
    def column_names(self) -> tuple[str, ...]:
        """Column names in declaration order."""
        return tuple(column.name for column in self.columns)

    def to_dict(self) -> dict[str, object]:
        """The document form: `name`, `columns`, `primary_key`, `foreign_keys`, `unique_keys`."""
        return {
            "name": self.name,
            "columns": [column.to_dict() for column in self.columns],
            "primary_key": list(self.primary_key),
            "foreign_keys": [key.to_dict() for key in self.foreign_keys],
            "unique_keys": [list(key) for key in self.unique_keys],
        }

    def column(self, name: str) -> ColumnSchema:
        """The column of that name, by SQLite's ASCII case rule; `NotFoundError` if there is none."""
        folded = fold_identifier(name)
        for column in self.columns:
            if fold_identifier(column.name) == folded:
                return column
        raise NotFoundError(f"Table {self.name} has no column {name}.", table=self.name, column=name)


@dataclass(frozen=True)
class RelationalSchema:
    """All tables of a source in their order; names resolve by SQLite's ASCII case rule."""

    tables: Mapping[str, TableSchema]
    _folded: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        folded = {fold_identifier(name): name for name in self.tables}
        object.__setattr__(self, "_folded", folded)

    @classmethod
    def of(cls, tables: Iterable[TableSchema]) -> "RelationalSchema":
        """A schema of these tables, in this order."""
        return cls({table.name: table for table in tables})

    def __iter__(self) -> Iterator[TableSchema]:
        return iter(self.tables.values())

    def table(self, name: str) -> TableSchema:
        """The table of that name; `NotFoundError` if there is none."""
        canonical = self._folded.get(fold_identifier(name))
        if canonical is None:
            raise NotFoundError(f"There is no table {name}.", table=name)
        return self.tables[canonical]

    @cached_property
    def foreign_keys(self) -> tuple[ForeignKey, ...]:
        """Every declared foreign key, by table order and then declaration order."""
        return tuple(key for table in self for key in table.foreign_keys)

    def foreign_key(self, wanted: ForeignKey) -> ForeignKey:
        """The declared key that equals `wanted` by identifier rules; `ForeignKeyInvalidError` if none does."""
        child = self._folded.get(fold_identifier(wanted.table))
        for declared in () if child is None else self.tables[child].foreign_keys:
            if _identity(declared) == _identity(wanted):
                return declared
        raise ForeignKeyInvalidError(
            f"The source declares no foreign key {wanted.label}.",
            hint="Joins follow declared foreign keys, with all their columns in order.",
            table=wanted.table,
        )


def _identity(key: ForeignKey) -> tuple[object, ...]:
    pairs = frozenset(
        (fold_identifier(child), fold_identifier(parent))
        for child, parent in zip(key.columns, key.ref_columns, strict=False)
    )
    return (fold_identifier(key.table), fold_identifier(key.ref_table), len(key.columns), pairs)
