"""What a dump defines: tables, columns, keys and references as written, before names are resolved."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from app.sources.dumps.script import Script
from app.values import Collation, fold_identifier

MOST_COLUMNS = 2_000
MOST_TABLES = 2_000


class Storage(Enum):
    """How the values of a declared type are kept."""

    INTEGER = "integer"
    BOOLEAN = "boolean"
    BITS = "bits"
    REAL = "real"
    NUMERIC = "numeric"
    TEXT = "text"
    DATE = "date"
    MOMENT = "moment"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class StoredType:
    """A column's storage and how its texts compare."""

    storage: Storage
    collation: Collation = Collation.BINARY


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name with its schema or database; "" stands for the one in force by default."""

    schema: str
    name: str

    @property
    def key(self) -> tuple[str, str]:
        """What equal names have in common, by ASCII case."""
        return fold_identifier(self.schema), fold_identifier(self.name)

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


def final_names(names: Sequence[TableName]) -> list[str]:
    """What tables are called in a source: the bare name where no other schema has the same one, else with its schema.

    >>> final_names([TableName("public", "a"), TableName("s", "A"), TableName("s", "b")])
    ['public.a', 's.A', 'b']
    """
    counts = Counter(name.key[1] for name in names)
    return [name.name if counts[name.key[1]] == 1 else name.label for name in names]


class Default(Enum):
    """What stands in for a column that a row leaves out."""

    LITERAL = "literal"
    COUNTER = "counter"
    COMPUTED = "computed"


@dataclass(slots=True)
class DumpColumn:
    """A column as declared: `declared` is its type as written; `default_text` (None: NULL) belongs to a LITERAL."""

    name: str
    declared: str
    stored: StoredType
    not_null: bool = False
    generated: bool = False
    default: Default = Default.LITERAL
    default_text: str | None = None


@dataclass(frozen=True, slots=True)
class DumpReference:
    """A foreign key as declared; no `targets` means the parent's primary key."""

    columns: tuple[str, ...]
    parent: TableName
    targets: tuple[str, ...]


@dataclass(slots=True)
class DumpTable:
    """A table as all statements together define it, and where its definition begins."""

    name: TableName
    script: Script
    at: int
    primary_key: tuple[str, ...] = ()
    unique_keys: list[tuple[str, ...]] = field(default_factory=list)
    references: list[DumpReference] = field(default_factory=list)
    partition_of: TableName | None = None
    comments: dict[str, str] = field(default_factory=dict)
    """Comments by column name; "" is the table itself."""
    _columns: dict[str, DumpColumn] = field(default_factory=dict)

    @property
    def columns(self) -> list[DumpColumn]:
        """All columns in order of declaration."""
        return list(self._columns.values())

    def column(self, name: str) -> DumpColumn | None:
        """The column of that name by ASCII case."""
        return self._columns.get(fold_identifier(name))

    def put(self, column: DumpColumn) -> None:
        """Add a column, or replace the one of its name where that stands."""
        self._columns[fold_identifier(column.name)] = column
