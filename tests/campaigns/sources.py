"""Random relational sources by what SQL allows: nulls, mixed types, collations, composite and text keys, references to
oneself, in vain or in another spelling, empty tables, tables of one row, duplicates, and tables of some thousand rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

import apsw

from app.tables.column import column_of
from app.tables.schema import ColumnSchema, ForeignKey, TableSchema
from app.tables.table import Table, TableSet
from app.values import Scalar
from tests.evolution.test_differential import loaded
from tests.support.random_source import listed, literal, quoted
from tests.support.sql_tables import SqlTables

Row = tuple[Scalar, ...]

_NAMES = ("customer", "Orders", "item", "a b", "Größe")
_SIZES = (0, 0, 1, 1, 2, 3, 3, 5, 5, 8, 8, 13, 13, 40, 40, 40, 150, 150, 600, 2_500)
_TYPES = ("INTEGER", "INTEGER", "REAL", "REAL", "TEXT", "TEXT", "NUMERIC", "", "DATE", "BOOLEAN", "VARCHAR(9)")
_COLLATIONS = ("", "", "", "NOCASE", "RTRIM")
_TEXTS = (
    "",
    "a",
    "A",
    "a ",
    "b",
    "B",
    "ab",
    "Ab ",
    "ä",
    "Ä",
    "1",
    "01",
    "1.0",
    "0.0",
    "-0",
    "1e1",
    "x,y",
    "日本",
    "%_'\"",
)
_REALS = (0.0, -0.0, 0.1, 0.2, 0.5, 1.0, 2.0, -1.5, 2.25, 1e15, -1e15, 1e-9, 123456.789, 3.0)
_ODD_REALS = (1.7e308, -1.7e308, 1e300, -1e270, 9e269, -9e269, 5e-324, -1e-300, 2.0**53)
_ODD_INTEGERS = (2**31, 2**53 + 1, 2**63 - 1, -(2**63), -(2**53) - 1)


@dataclass(frozen=True)
class Column:
    """A column as declared."""

    name: str
    type: str
    collation: str = ""

    @property
    def sql(self) -> str:
        collation = f" COLLATE {self.collation}" if self.collation else ""
        return f"{quoted(self.name)} {self.type}{collation}"


@dataclass(frozen=True)
class Reference:
    """A foreign key."""

    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]

    @property
    def sql(self) -> str:
        target = f"{quoted(self.ref_table)} ({listed(self.ref_columns)})"
        return f"FOREIGN KEY ({listed(self.columns)}) REFERENCES {target}"


@dataclass(frozen=True)
class SourceTable:
    """A table with its rows as SQL writes them."""

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    references: tuple[Reference, ...] = ()
    without_rowid: bool = False
    rows: tuple[Row, ...] = ()

    @property
    def create(self) -> str:
        parts = [column.sql for column in self.columns]
        if self.primary_key:
            parts.append(f"PRIMARY KEY ({listed(self.primary_key)})")
        parts += [f"UNIQUE ({listed(key)})" for key in self.unique]
        parts += [reference.sql for reference in self.references]
        return f"CREATE TABLE {quoted(self.name)} ({', '.join(parts)}){' WITHOUT ROWID' if self.without_rowid else ''}"

    @property
    def without_types(self) -> Table:
        """The same rows as JSON holds them."""
        referring = {name for reference in self.references for name in reference.columns}
        columns = tuple(ColumnSchema(c.name, empty_is_missing=c.name in referring) for c in self.columns)
        keys = tuple(ForeignKey(self.name, own.columns, own.ref_table, own.ref_columns) for own in self.references)
        schema = TableSchema(self.name, columns, self.primary_key, keys, self.unique)
        cells = zip(*self.rows, strict=True) if self.rows else [()] * len(columns)
        held = {column.name: column_of(list(values)) for column, values in zip(columns, cells, strict=True)}
        return Table(schema, held, len(self.rows))

    @property
    def keys(self) -> list[tuple[str, ...]]:
        """The keys that references may name."""
        return ([self.primary_key] if self.primary_key else []) + list(self.unique)

    def cells(self, names: Sequence[str]) -> list[Row]:
        """These columns of each row."""
        known = [column.name for column in self.columns]
        offsets = [known.index(name) for name in names]
        return [tuple(row[offset] for offset in offsets) for row in self.rows]


@dataclass(frozen=True)
class CampaignSource:
    """Tables, each after those that it references (but for itself).

    A `typeless` source is as CSV files and inline tables are: without affinities and collations, and an empty text is
    a missing reference.
    """

    tables: tuple[SourceTable, ...]
    typeless: bool = False

    @property
    def script(self) -> str:
        statements = [table.create for table in self.tables]
        for table in self.tables:
            rows = [f"({', '.join(map(literal, row))})" for row in table.rows]
            for start in range(0, len(rows), 200):
                statements.append(f"INSERT INTO {quoted(table.name)} VALUES {', '.join(rows[start : start + 200])}")
        return "".join(f"{statement};\n" for statement in statements)

    def with_table(self, table: SourceTable) -> "CampaignSource":
        """The source with a table in place of that of the same name."""
        tables = tuple(table if known.name == table.name else known for known in self.tables)
        return replace(self, tables=tables)

    def read(self) -> SqlTables:
        """The source as a build reads it."""
        if not self.typeless:
            return loaded(self.script)
        tables = TableSet.of([table.without_types for table in self.tables])
        return SqlTables(tables.schema, tables.tables, tables)


def random_source(random: Random) -> CampaignSource:
    """A source of 1 to 5 tables; every statement of its script runs."""
    made: list[SourceTable] = []
    for name in _NAMES[: random.choice((1, 2, 2, 3, 3, 4, 5))]:
        made.append(_Maker(random, made).table(name))
    return CampaignSource(tuple(made), typeless=random.random() < 0.2)


@dataclass
class _Maker:
    """Makes one table after others."""

    random: Random
    before: Sequence[SourceTable]
    columns: list[Column] = field(default_factory=list)
    pools: list[list[Row]] = field(default_factory=list)

    def table(self, name: str) -> SourceTable:
        self.columns, self.pools = [], []
        primary_key = self._primary_key()
        for number in range(self.random.randint(0 if primary_key else 1, 4)):
            self._add([Column(f"c{number}", self.random.choice(_TYPES), self.random.choice(_COLLATIONS))])
        unique = ((self.random.choice(self.columns).name,),) if self.random.random() < 0.25 else ()
        table = SourceTable(name, tuple(self.columns), primary_key, unique)
        table = replace(table, without_rowid=bool(primary_key) and self.random.random() < 0.1)
        return self._filled(self._referring(table))

    def _primary_key(self) -> tuple[str, ...]:
        shape = self.random.choice(("integer", "integer", "integer", "text", "pair", "none"))
        if shape == "integer":
            self._add([Column("id", "INTEGER")], [(number,) for number in range(-2, 700)])
        elif shape == "text":
            column = Column("code", "TEXT", self.random.choice(_COLLATIONS))
            self._add([column], [(f"k{number}",) for number in range(700)] + [(text,) for text in _TEXTS])
        elif shape == "pair":
            self._add([Column("k1", self.random.choice(_TYPES))])
            self._add([Column("k2", "INTEGER")], [(number,) for number in range(40)])
        return tuple(column.name for column in self.columns)

    def _add(self, columns: list[Column], pool: list[Row] | None = None) -> None:
        self.columns += columns
        self.pools.append(pool or [(value,) for value in self._values(columns[0].type)])

    def _values(self, type_: str) -> list[Scalar]:
        """What a column draws its cells from: few values, so that groups and ties come about."""
        random = self.random
        integers = [random.randint(-3, 9) for _ in range(random.randint(1, 6))]
        if random.random() < 0.1:
            integers.append(random.choice(_ODD_INTEGERS))
        reals = [random.choice(_REALS) for _ in range(random.randint(1, 6))]
        if random.random() < 0.1:
            reals.append(random.choice(_ODD_REALS))
        texts = [random.choice(_TEXTS) for _ in range(random.randint(1, 6))]
        usual: dict[str, list[Scalar]] = {"INTEGER": [*integers], "BOOLEAN": [0, 1], "REAL": [*reals]}
        found = usual.get(type_) or [*texts]
        if type_ in ("NUMERIC", ""):
            found = random.choice(([*integers], [*reals], [*integers, *reals], [*integers, *reals, *texts]))
        elif random.random() < 0.08:
            found = [*found, *integers[:1], *reals[:1], *texts[:1]]
        return found + [None] * random.choice((0, 0, 1, 1, 3, 12))

    def _referring(self, table: SourceTable) -> SourceTable:
        """The table with references to tables before it and to itself."""
        targets = [known for known in (*self.before, table) if known.keys]
        for number in range(self.random.choice((0, 1, 1, 1, 2, 3)) if targets else 0):
            target = self.random.choice(targets)
            key = self.random.choice(target.keys)
            parents = {column.name: column for column in target.columns}
            own = [self._child_column(f"f{number}_{name}", parents[name]) for name in key]
            found = target.cells(key) if target.rows else self._own_keys(target, key)
            self._add(own, self._spelled(found, len(key)))
            reference = Reference(tuple(column.name for column in own), target.name, key)
            table = replace(table, columns=tuple(self.columns), references=(*table.references, reference))
        return table

    def _own_keys(self, table: SourceTable, key: tuple[str, ...]) -> list[Row]:
        """Keys that rows of this very table may have; a table without rows has none."""
        if table in self.before:
            return []
        by_name = {column.name: pool for column, pool in zip(self.columns, self.pools, strict=False)}
        return [tuple(self.random.choice(by_name[name])[0] for name in key) for _ in range(30)]

    def _child_column(self, name: str, parent: Column) -> Column:
        same = self.random.random() < 0.7
        return replace(parent, name=name) if same else Column(name, self.random.choice(_TYPES))

    def _spelled(self, keys: list[Row], width: int) -> list[Row]:
        """References to a part of the keys (often to few), some missing, some in vain, some in another spelling."""
        random = self.random
        keys = random.sample(keys, min(len(keys), random.choice((1, 2, 5, 1000)))) or [(7,) * width]
        pool = keys * (1 + 8 // len(keys))
        few = max(1, len(pool) // random.choice((3, 10, 10_000)))
        lost: list[Row] = [random.choice(((None,) * width, (99, *keys[0][1:]), (None, *keys[0][1:])))] * few
        return pool + lost + [tuple(map(_respelled, key)) for key in keys[: random.choice((0, 0, 1, 5))]]

    def _filled(self, table: SourceTable) -> SourceTable:
        """The table with those of its random rows that SQLite accepts."""
        connection = apsw.Connection(":memory:")
        connection.execute(replace(table, references=()).create)
        insert = f"INSERT OR IGNORE INTO {quoted(table.name)} VALUES ({', '.join('?' * len(table.columns))})"
        rows = []
        for _ in range(self.random.choice(_SIZES)):
            row = tuple(cell for pool in self.pools for cell in self.random.choice(pool))
            if None in row and any(self._is_null(row, name) for name in table.primary_key):
                continue
            connection.execute(insert, row)
            if connection.changes():
                rows.append(row)
        return replace(table, rows=tuple(rows))

    def _is_null(self, row: Row, name: str) -> bool:
        return row[[column.name for column in self.columns].index(name)] is None


def _respelled(value: Scalar) -> Scalar:
    if isinstance(value, str):
        return value.swapcase() + " "
    return value if value is None else str(value)
