"""What a script defines: tables, columns, keys, references and sequences as written, before names are resolved.

What happens to rows is kept in order: blocks of rows, and changes of what numbers are drawn next.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from app.sources.sql.lexing.names import TableName, word_set
from app.sources.sql.lexing.script import Script
from app.sources.sql.statements.splitter import Statement
from app.values import Collation, fold_identifier

FOREIGN_ENGINES = word_set("mrg_myisam merge federated federatedx blackhole connect spider s3")
"""Engines of MySQL whose rows are kept elsewhere, or nowhere."""

MOST_COLUMNS = 2_000
MOST_TABLES = 2_000
MOST_COLUMNS_IN_ALL = 200_000
"""Inherited columns included, of which a short script could make millions."""


class Storage(Enum):
    """How the values of a declared type are kept."""

    INTEGER = "integer"
    BOOLEAN = "boolean"
    BITS = "bits"
    REAL = "real"
    NUMERIC = "numeric"
    TEXT = "text"
    BINARY = "binary"

    @property
    def is_numeric(self) -> bool:
        """Whether values are numbers, of which a truth value is one too."""
        return self not in (Storage.TEXT, Storage.BINARY)

    @property
    def is_whole(self) -> bool:
        """Whether values are whole numbers of 64 bits."""
        return self in (Storage.INTEGER, Storage.BOOLEAN, Storage.BITS)


@dataclass(frozen=True, slots=True)
class SqlType:
    """A declared type: its canonical `name`, by which the rules of values go, and what stands with it.

    `numbers` are length, or precision and scale; `members` are those of an enum or set; `element` is the type of an
    array's elements; `charset` is that of a text of MySQL, "" if it is the server's; `domain` is the name of the domain
    that a script makes of the type; `attributes` are the types of a composite type's fields.
    """

    name: str
    storage: Storage
    collation: Collation = Collation.BINARY
    numbers: tuple[int, ...] = ()
    members: tuple[str, ...] = ()
    charset: str = ""
    element: "SqlType | None" = None
    is_unsigned: bool = False
    domain: str = ""
    attributes: tuple["SqlType", ...] = ()


@dataclass(slots=True)
class Sequence:
    """A generator of numbers: `next` is drawn next, and what is beyond `least` and `greatest` is refused.

    `is_known` turns false once a statement sets it to what only the server can tell.
    """

    name: TableName
    step: int = 1
    next: int = 1
    least: int = 1
    greatest: int = 2**63 - 1
    is_known: bool = True

    def draw(self) -> int | None:
        """The next number; None if there is none left, or nobody knows it."""
        number = self.next
        if not self.is_known or not self.least <= number <= self.greatest:
            return None
        self.next = number + self.step
        return number


@dataclass(frozen=True, slots=True)
class Literal:
    """A default that is written out, as a row would write it."""

    written: str = "NULL"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A default that draws the next number of a sequence; `always` refuses numbers that rows give."""

    sequence: Sequence
    always: bool = False


class AutoIncrement(Enum):
    """The default of MySQL that counts on from the greatest number of its table."""

    NEXT = "next"


@dataclass(frozen=True, slots=True)
class Computed:
    """A default that the database would compute, and its beginning as written."""

    written: str


Default: TypeAlias = Literal | Drawn | AutoIncrement | Computed
NULL = Literal()


@dataclass(frozen=True, slots=True)
class SqlColumn:
    """A column as declared at `at` to `end` of a script: `declared` is its type as written.

    Rows of an INSERT without a list of columns leave out those that are invisible, those of a COPY computed ones too.
    """

    name: str
    declared: str
    type: SqlType
    not_null: bool = False
    is_generated: bool = False
    is_invisible: bool = False
    default: Default = NULL
    comment: str = ""
    at: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


class Rule(Enum):
    """What a constraint or index says; of OTHER only the name is known."""

    PRIMARY = "primary key"
    UNIQUE = "unique key"
    REFERENCE = "foreign key"
    PARTIAL = "unique key of some rows or of expressions"
    OTHER = "constraint"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A key, a reference or another rule; a reference without `targets` means the parent's primary key.

    `at` is the offset of its columns in the script that declares it.
    """

    rule: Rule
    name: str = ""
    columns: tuple[str, ...] = ()
    parent: TableName | None = None
    targets: tuple[str, ...] = ()
    script: Script | None = None
    at: int = 0

    @property
    def label(self) -> str:
        """How messages name it, for example `u (a, b)`."""
        return f"{self.name} ({', '.join(self.columns)})".lstrip()


@dataclass(slots=True)
class Trigger:
    """A trigger or rule on INSERT, where it stands, and whether it fires."""

    name: str
    script: Script
    at: int
    is_enabled: bool = True


@dataclass(slots=True, eq=False)
class SqlTable:
    """A table as all statements together define it, and where its definition begins.

    Of MySQL, `next_number` is what AUTO_INCREMENT counts from. Comments are by column name; "" is the table itself.
    """

    name: TableName
    script: Script
    at: int
    constraints: list[Constraint] = field(default_factory=list)
    partition_of: "SqlTable | None" = None
    has_rows: bool = False
    next_number: int = 1
    comments: dict[str, str] = field(default_factory=dict)
    collation: str = ""
    """Of MySQL, the collation or charset of texts that name none."""
    is_strict: bool = False
    """Of SQLite, whether columns refuse other types, and those of type ANY change nothing."""
    triggers: list[Trigger] = field(default_factory=list)
    """Triggers and rules that fire when rows are inserted."""
    _columns: dict[str, SqlColumn] = field(default_factory=dict)

    @property
    def columns(self) -> list[SqlColumn]:
        """All columns in order of declaration."""
        return list(self._columns.values())

    @property
    def whole(self) -> "SqlTable":
        """The table that a partition is part of, at any depth."""
        table = self
        while table.partition_of is not None:
            table = table.partition_of
        return table

    @property
    def owner_of_columns(self) -> "SqlTable":
        """The table that declares the columns: of a partition without any it is the one that it is part of."""
        table = self
        while not table._columns and table.partition_of is not None:
            table = table.partition_of
        return table

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns of the primary key; () if there is none."""
        return next((each.columns for each in self.of_rule(Rule.PRIMARY)), ())

    def of_rule(self, rule: Rule) -> Iterator[Constraint]:
        """The constraints of one kind in order of declaration."""
        return (each for each in self.constraints if each.rule is rule)

    def column(self, name: str) -> SqlColumn | None:
        """The column of that name by ASCII case."""
        return self._columns.get(fold_identifier(name))

    def put(self, column: SqlColumn) -> None:
        """Add a column, or replace the one of its name at its place."""
        self._columns[fold_identifier(column.name)] = column

    def switch_triggers(self, name: str, *, enables: bool) -> None:
        """Let a trigger fire or not, or all of them; names are folded."""
        for trigger in self.triggers:
            if name in ("", fold_identifier(trigger.name)):
                trigger.is_enabled = enables

    def remove(self, column: SqlColumn) -> None:
        """Take a column away."""
        del self._columns[fold_identifier(column.name)]


@dataclass(frozen=True, slots=True)
class RowBlock:
    """A statement with rows, its table, and the columns of the table as they are then.

    `after_name` is the offset after the table's name.
    """

    statement: Statement
    table: SqlTable
    columns: tuple[SqlColumn, ...]
    after_name: int

    @property
    def checks_references(self) -> bool:
        """Whether its server looks for the parents of the rows."""
        return self.statement.settings.checks_references


@dataclass(frozen=True, slots=True)
class NumberChange:
    """AUTO_INCREMENT of a table counts from `least`, or from its greatest number.

    A `column` that begins to count is numbered if it holds 0, unless a mode keeps zeros (`keeps_zeros`).
    """

    table: SqlTable
    least: int
    column: str
    keeps_zeros: bool
    script: Script
    at: int


@dataclass(frozen=True, slots=True)
class SequenceChange:
    """A sequence gets other numbers; what is None stays. Without a `sequence` that holds for all of them.

    `is_known` is false if only the server can tell what is drawn next.
    """

    sequence: Sequence | None
    next: int | None = None
    step: int | None = None
    greatest: int | None = None
    is_known: bool = True

    def apply(self, sequences: Iterable[Sequence]) -> None:
        """Carry it out; `sequences` are all that there are."""
        for sequence in sequences if self.sequence is None else [self.sequence]:
            sequence.step = sequence.step if self.step is None else self.step
            sequence.greatest = sequence.greatest if self.greatest is None else self.greatest
            if self.next is not None:
                sequence.next = self.next
            sequence.is_known = self.is_known and (sequence.is_known or self.next is not None)


Change: TypeAlias = NumberChange | SequenceChange
Event: TypeAlias = RowBlock | Change
