"""CREATE TABLE statements that say columns, keys and references, and nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.sources.foreign_keys import DeclaredReference
from app.sources.sqlite.schema import quoted
from app.values import Collation


@dataclass(frozen=True, slots=True)
class PlainColumn:
    """A column: its name, the type that SQLite is told, its collation, and whether NULL is refused."""

    name: str
    type: str
    collation: Collation = Collation.BINARY
    not_null: bool = False


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table with its keys; references name their parents."""

    name: str
    columns: tuple[PlainColumn, ...]
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    references: tuple[DeclaredReference, ...] = ()
    without_rowid: bool = False

    def create_sql(self) -> str:
        """The CREATE TABLE statement."""
        parts = [_column_sql(column) for column in self.columns]
        if self.primary_key:
            parts.append(f"PRIMARY KEY {_names(self.primary_key)}")
        parts += [f"UNIQUE {_names(key)}" for key in self.unique_keys if key != self.primary_key]
        parts += [_reference_sql(reference) for reference in self.references]
        ending = " WITHOUT ROWID" if self.without_rowid else ""
        return f"CREATE TABLE {quoted(self.name)} ({', '.join(parts)}){ending}"

    def insert_sql(self) -> str:
        """The INSERT statement with a placeholder for each column."""
        names = _names(column.name for column in self.columns)
        return f"INSERT INTO {quoted(self.name)} {names} VALUES ({', '.join('?' * len(self.columns))})"  # noqa: S608


def _column_sql(column: PlainColumn) -> str:
    not_null = " NOT NULL" if column.not_null else ""
    collation = "" if column.collation is Collation.BINARY else f" COLLATE {column.collation}"
    return f"{quoted(column.name)} {column.type}{collation}{not_null}"


def _reference_sql(reference: DeclaredReference) -> str:
    targets = f" {_names(reference.targets)}" if reference.targets else ""
    return f"FOREIGN KEY {_names(reference.columns)} REFERENCES {quoted(reference.parent)}{targets}"


def _names(names: Iterable[str]) -> str:
    return f"({', '.join(map(quoted, names))})"
