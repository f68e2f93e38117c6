"""Random relational sources: 1 to 5 tables with every kind of key, affinity and collation, and rows that hit and miss.

`random_sources()` draws a `RandomSource`, whose statements are all within the accepted SQL subset. All keys that
foreign keys reference are unique without their NULLs under their own collation, declared or not, so that every
source has a graph; child rows reference parents exactly, in another spelling that may or may not match, not at all
(NULL), or in vain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import apsw
from hypothesis import strategies as st

Scalar = int | float | str | None

TABLE_NAMES = ("orders", "Customer", "Order Details", 'we"ird', "Größe", "select", "a.b")
COLUMN_NAMES = ("id", "Name", "amount", "group", "two words", 'qu"ote', "ünï", "note", "x.y", "rowid")
TYPES = ("INTEGER", "INT", "TEXT", "VARCHAR(20)", "REAL", "DOUBLE", "NUMERIC", "DECIMAL(10,2)", "DATE", "BLOB", "")
COLLATIONS = ("", "", "", " COLLATE BINARY", " COLLATE NOCASE", " COLLATE RTRIM")

INTEGERS = st.one_of(st.integers(-3, 9), st.sampled_from([2**31, 2**53 + 1, -(2**63), 2**63 - 1]))
REALS = st.one_of(
    st.sampled_from([0.5, 1.0, -0.0, 2.0, 2.25, -7.75, 0.1, 1e300, 1e-9, 9007199254740992.0]),
    st.floats(allow_nan=False, allow_infinity=False),
)
TEXTS = st.one_of(
    st.sampled_from(
        ["", "a", "A", "a ", "b", "B  ", "ab\t", "ä", "Ä", "1", "01", "1.0", " 2", "2 ", "3e1", "2x", "0x1F", "it's"]
    ),
    st.sampled_from(["línea\nzwei", "日本", "🙂", "e\u0301", "--", "/*", ";", "a\x1fb", "null", "-0", "1e5"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6),
)
SCALARS: st.SearchStrategy[Scalar] = st.one_of(INTEGERS, REALS, TEXTS)


@dataclass(frozen=True)
class RandomColumn:
    """A column as declared, and the values that its rows may hold before affinity is applied."""

    name: str
    type: str
    collation: str
    values: st.SearchStrategy[Scalar] = field(compare=False, repr=False)

    @property
    def sql(self) -> str:
        return f"{quoted(self.name)} {self.type}{self.collation}".replace("  ", " ").rstrip()


@dataclass
class RandomTable:
    """A table under construction; `rows` are planned, and not all of them need survive its unique keys."""

    name: str
    columns: list[RandomColumn]
    primary_key: tuple[str, ...] = ()
    unique_keys: list[tuple[str, ...]] = field(default_factory=list)
    hidden_keys: list[tuple[str, ...]] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    without_rowid: bool = False
    rows: list[list[Scalar]] = field(default_factory=list)

    def places(self, names: Sequence[str]) -> list[int]:
        known = [column.name for column in self.columns]
        return [known.index(name) for name in names]

    @property
    def create(self) -> str:
        parts = [column.sql for column in self.columns]
        if self.primary_key:
            parts.append(f"PRIMARY KEY ({listed(self.primary_key)})")
        parts += [f"UNIQUE ({listed(key)})" for key in self.unique_keys]
        suffix = " WITHOUT ROWID" if self.without_rowid else ""
        return f"CREATE TABLE {quoted(self.name)} ({', '.join(parts + self.references)}){suffix}"


@dataclass(frozen=True)
class RandomSource:
    """Statements that make the source, without semicolons: CREATE TABLE, INSERT … VALUES, one a row."""

    statements: tuple[str, ...]

    def __repr__(self) -> str:
        return f"RandomSource.of({self.script!r})"

    @property
    def script(self) -> str:
        """The statements as SQL text."""
        return "".join(statement + ";\n" for statement in self.statements)

    def connect(self) -> apsw.Connection:
        """A new in-memory database with the source in it."""
        connection = apsw.Connection(":memory:")
        with connection:
            for statement in self.statements:
                connection.execute(statement)
        return connection

    @cached_property
    def image(self) -> bytes:
        """The bytes of a SQLite image."""
        return self.connect().serialize("main")

    def rows(self, order: Mapping[str, str] | None = None) -> dict[str, list[tuple[Scalar, ...]]]:
        """The rows by table, in the order of storage: of their row ids, or of the key if there are none."""
        connection = self.connect()
        tables = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'"
        without_rowid = {str(name) for name, has_none in connection.execute(tables) if has_none}
        names = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        orders = {name: _key_order(connection, name) for name in names if name in without_rowid} | dict(order or {})
        return {
            name: connection.execute(f"SELECT * FROM {quoted(name)} NOT INDEXED {orders.get(name, '')}").fetchall()
            for name in names
        }

    def write_image(self, folder: Path) -> Path:
        """Write the image as `source.db` and return its path."""
        path = folder / "source.db"
        path.write_bytes(self.image)
        return path

    def write_script(self, folder: Path) -> Path:
        """Write the SQL text as `source.sql` and return its path."""
        path = folder / "source.sql"
        path.write_text(self.script, encoding="utf-8")
        return path


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def listed(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names))


def literal(value: Scalar) -> str:
    """A value as SQL; Python and SQLite may read the last digit of a real differently, so compare stored values."""
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def values_of(type_name: str) -> st.SearchStrategy[Scalar]:
    """Mostly what the type suggests, sometimes NULL, sometimes anything: SQLite does not insist."""
    if type_name in ("INTEGER", "INT"):
        usual: st.SearchStrategy[Scalar] = INTEGERS
    elif type_name in ("TEXT", "VARCHAR(20)", "DATE"):
        usual = TEXTS
    elif type_name == "":
        usual = SCALARS
    else:
        usual = st.one_of(REALS, INTEGERS)
    return st.one_of(usual, usual, usual, usual, st.none(), SCALARS)


@st.composite
def random_sources(
    draw: st.DrawFn, *, max_tables: int = 5, max_rows: int = 8, max_columns: int = 4, with_foreign_keys: bool = True
) -> RandomSource:
    """A strategy for whole sources; every statement runs in SQLite as it stands."""
    names = draw(st.lists(st.sampled_from(TABLE_NAMES), min_size=1, max_size=max_tables, unique=True))
    tables = [_draw_table(draw, name, max_columns) for name in names]
    for table in tables:
        strategies = [column.values for column in table.columns]
        table.rows = [list(row) for row in draw(st.lists(st.tuples(*strategies), max_size=max_rows))]
    if with_foreign_keys:
        for table in tables:
            for _ in range(draw(st.integers(0, 2))):
                _draw_reference(draw, table, draw(st.sampled_from(tables)))
    return RandomSource(tuple(_accepted_statements(tables)))


def _draw_table(draw: st.DrawFn, name: str, max_columns: int) -> RandomTable:
    names = draw(st.lists(st.sampled_from(COLUMN_NAMES), min_size=1, max_size=max_columns, unique=True))
    table = RandomTable(name, [_draw_column(draw, column) for column in names])
    shape = draw(st.sampled_from(["integer", "integer", "one", "some", "none"]))
    if shape == "integer":
        table.columns[0] = RandomColumn(names[0], "INTEGER", "", INTEGERS)
        table.primary_key = (names[0],)
    elif shape != "none":
        width = 1 if shape == "one" else min(len(names), draw(st.integers(1, 3)))
        table.primary_key = tuple(draw(st.permutations(names))[:width])
        table.without_rowid = draw(st.integers(0, 5)) == 0
    if draw(st.booleans()):
        table.unique_keys.append(tuple(draw(st.permutations(names))[: draw(st.integers(1, 2))]))
    return table


def _draw_column(draw: st.DrawFn, name: str) -> RandomColumn:
    type_name = draw(st.sampled_from(TYPES))
    return RandomColumn(name, type_name, draw(st.sampled_from(COLLATIONS)), values_of(type_name))


def _draw_reference(draw: st.DrawFn, child: RandomTable, parent: RandomTable) -> None:
    """Add new columns to `child` that reference a declared or undeclared key of `parent`, which may be `child`."""
    declared = ([parent.primary_key] if parent.primary_key else []) + parent.unique_keys
    undeclared = (draw(st.sampled_from([column.name for column in parent.columns])),)
    targets = draw(st.sampled_from([*declared, *declared, undeclared]))
    if targets not in declared:
        parent.hidden_keys.append(targets)
    wanted = parent.places(targets)
    keys = [[row[place] for place in wanted] for row in parent.rows]
    columns = [_draw_child_column(draw, child, parent.columns[place]) for place in wanted]
    for row in child.rows:
        row.extend(_draw_child_key(draw, keys, len(wanted)))
    child.columns += columns
    named = "" if targets == parent.primary_key and draw(st.booleans()) else f" ({listed(targets)})"
    own = listed([column.name for column in columns])
    child.references.append(f"FOREIGN KEY ({own}) REFERENCES {quoted(parent.name)}{named}")


def _draw_child_column(draw: st.DrawFn, child: RandomTable, target: RandomColumn) -> RandomColumn:
    """A column of the parent's type, or of any other."""
    name = f"fk{len(child.columns)}_{draw(st.integers(0, 99))}_{len(child.references)}_{target.name}"
    if draw(st.booleans()):
        return RandomColumn(name, target.type, target.collation, target.values)
    return _draw_column(draw, name)


def _draw_child_key(draw: st.DrawFn, keys: list[list[Scalar]], width: int) -> list[Scalar]:
    kind = draw(st.sampled_from(["hit", "hit", "respelled", "null", "miss"]))
    if not keys or kind == "miss":
        return [draw(SCALARS) for _ in range(width)]
    key = list(draw(st.sampled_from(keys)))
    if kind == "null":
        key[draw(st.integers(0, width - 1))] = None
    return [draw(st.sampled_from(_spellings(part))) for part in key] if kind == "respelled" else key


def _spellings(value: Scalar) -> list[Scalar]:
    """Values that equal `value` under some affinity or collation."""
    if value is None:
        return [None]
    if isinstance(value, str):
        return [value, value.swapcase(), value + " ", " " + value, value + "\t"]
    return [value, str(value), f" {value}", f"0{value}", float(value)]


def _accepted_statements(tables: Sequence[RandomTable]) -> list[str]:
    """All statements that SQLite accepts: rows that would break a declared or hidden unique key are left out."""
    twins = [apsw.Connection(":memory:"), apsw.Connection(":memory:")]
    statements = [table.create for table in tables]
    _run_all(twins, statements)
    for table in tables:
        for number, key in enumerate(table.hidden_keys):
            index = quoted(f"{table.name} {number}")
            _run_all(twins, [f"CREATE UNIQUE INDEX {index} ON {quoted(table.name)} ({listed(key)})"])
        for row in table.rows:
            insert = f"INSERT INTO {quoted(table.name)} VALUES ({', '.join(map(literal, row))})"
            if _inserts_alike(twins, insert):
                statements.append(insert)
    return statements


def _run_all(twins: Sequence[apsw.Connection], statements: Sequence[str]) -> None:
    for connection in twins:
        for statement in statements:
            connection.execute(statement)


def _inserts_alike(twins: Sequence[apsw.Connection], statement: str) -> bool:
    """Whether both accept the row under the same row id: SQLite draws one by chance where the greatest is taken."""
    _run_all(twins, ["SAVEPOINT row"])
    try:
        _run_all(twins, [statement])
        kept = twins[0].last_insert_rowid() == twins[1].last_insert_rowid()
    except (apsw.ConstraintError, apsw.MismatchError):
        kept = False
    _run_all(twins, ["RELEASE row"] if kept else ["ROLLBACK TO row", "RELEASE row"])
    return kept


def _key_order(connection: apsw.Connection, table: str) -> str:
    """Without it SQLite may take the order of an index that has all columns."""
    key = "SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk"
    return f"ORDER BY {', '.join(quoted(str(name)) for (name,) in connection.execute(key, (table,)))}"
