"""What is read of a script is what SQLite makes of it when it runs the whole text; what it refuses is refused."""

import math
from decimal import Decimal
from pathlib import Path

import apsw
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from app.errors import SourceError
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.sql.lexing.syntax import compiled
from app.sources.sql.running.inserts import INSERT, PLAIN_INSERT
from app.sources.sqlite.schema import quoted
from app.values import Scalar
from tests.support.random_scripts import random_scripts

Cells = dict[str, list[list[tuple[type, str]]]]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scripts") / "script.sql"


def exact(row: tuple[Scalar, ...]) -> list[tuple[type, str]]:
    return [(type(cell), repr(cell)) for cell in row]


def by_sqlite(script: str) -> Cells | None:
    """All rows of all tables once SQLite has run the text, or None if it refuses to."""
    connection = apsw.Connection(":memory:")
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)
    try:
        connection.execute(script).fetchall()
    except apsw.Error:
        return None
    tables = "SELECT name, wr FROM pragma_table_list WHERE name NOT LIKE 'sqlite%' AND schema = 'main'"
    # Without row ids a covering index would decide the order; the key of such a table is its first column.
    return {
        name: [exact(row) for row in connection.execute(f"SELECT * FROM {quoted(name)} ORDER BY {order}")]
        for name, without_rowid in connection.execute(tables).fetchall()
        for order in ["1" if without_rowid else "rowid"]
    }


def by_us(path: Path, script: str) -> Cells | None:
    """The same as it is read, or None if it is refused."""
    path.write_text(script, encoding="utf-8", newline="")
    try:
        tables = load_source(path).tables
    except SourceError:
        return None
    columns = {name: [column.to_list() for column in table.columns.values()] for name, table in tables.items()}
    return {name: list(map(exact, zip(*cells, strict=True))) for name, cells in columns.items()}


def check(path: Path, script: str) -> bool:
    """Compare both, and say whether the script was read."""
    found = by_us(path, script)
    if found is not None:
        assert found == by_sqlite(script)
    return found is not None


@given(random_scripts())
def test_random_scripts_mean_what_sqlite_makes_of_them(path: Path, script: str) -> None:
    event("read" if check(path, script) else "refused")


TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b REAL, c NUMERIC);\n"
PLAIN = {
    "as a dump says it": "INSERT INTO t VALUES(1,'x',0.5,NULL);\nINSERT INTO t VALUES(2,NULL,2.0,7);\n",
    "one statement": "INSERT INTO t VALUES\n(1,'x',0.5,NULL),\n(2,NULL,2.0,7);",
    "columns listed": "INSERT INTO [t] ([b], [id], \"a\", `c`) VALUES (0.5, 2, 'x', 1), (1.5, 1, 'y', 2);",
    "columns left out": "INSERT INTO t (id, c) VALUES (1, 2.5); INSERT INTO t (a, id) VALUES ('x', 9);",
    "no row has its key": "INSERT INTO t (a) VALUES ('x'); INSERT INTO t VALUES (NULL, 'y', 1, 2);",
    "rows in another order": "INSERT INTO t VALUES(7,'x',1,1);INSERT INTO t VALUES(3,'y',2,2);",
    "a real of twenty digits": "INSERT INTO t VALUES(1,'x',0.10000000000000000555,80744.541878866941261);",
    "numbers with and without fraction": "INSERT INTO t VALUES(1,'x',1,1.5),(2,'x',2,3.0),(3,'x',-3,4);",
    "texts where dates stand": "INSERT INTO t VALUES(1,'x',1,'2023-10-01'),(2,'x',2,'');",
    "quotes and more in texts": "INSERT INTO t VALUES(1,'it''s; (a), -- ''b''',1,1),(2,'''',1,1);",
    "other characters": "INSERT INTO t VALUES(1,'Größe 日本',1,1),(2,'🙂',1,1);",
    "notes between": "INSERT INTO t VALUES(1,'x',1,1); -- it's\n/* ( */ INSERT INTO t VALUES(2,'x',1,1)",
    "names in single quotes": "INSERT INTO 't' ('id', 'a') VALUES (1,'x'); INSERT INTO 'T' VALUES (2,'y',1,1);",
    "keys that hold": "CREATE UNIQUE INDEX u ON t (a, c);INSERT INTO t VALUES(1,'x',1,1),(2,'x',1,2),(3,NULL,1,2);",
}


@pytest.mark.parametrize("rows", PLAIN.values(), ids=PLAIN.keys())
def test_scripts_are_read(path: Path, rows: str) -> None:
    assert check(path, TABLE + rows)


EDITS = st.lists(
    st.tuples(
        st.floats(0, 1), st.integers(0, 2), st.sampled_from([*"'(),;-/* \n0x.e\"a", "''", "--", "NULL", "é", ""])
    ),
    min_size=1,
    max_size=2,
)


@given(st.sampled_from(list(PLAIN.values())), EDITS)
def test_a_script_with_a_few_changes_means_what_sqlite_makes_of_it(
    path: Path, script: str, edits: list[tuple[float, int, str]]
) -> None:
    for place, removed, added in edits:
        at = int(place * len(script))
        script = script[:at] + added + script[at + removed :]
    event("read" if check(path, TABLE + script) else "refused")


WORDS = ("1 0 2.5 . , - + e E5 x X 0x1f 'a' '' ' \"b\" NULL TRUE _ --", "/* */ a ( ) || X'00' NOT IN")
TOKENS = st.lists(
    st.sampled_from([*" ".join(WORDS).split(), " ", ", ", "\n", r"replace('a\n','\n',char(10))"]), max_size=7
).map("".join)


@given(TOKENS)
def test_nothing_but_literals_passes_as_a_plain_row_that_sqlite_takes(cells: str) -> None:
    insert = f"INSERT INTO t VALUES({cells});"
    if compiled(PLAIN_INSERT).fullmatch(insert) is None:
        event("not plain")
        return
    connection = apsw.Connection(":memory:")
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)
    connection.execute(f"CREATE TABLE t ({', '.join(f'c{column}' for column in range(cells.count(',') + 1))})")
    try:
        connection.execute(insert)
    except apsw.SQLError:
        event("plain, and refused by SQLite")
        return
    event("plain")
    assert compiled(INSERT).fullmatch(insert)


def midpoint(value: float, digits: int) -> str:
    """A decimal next to the middle between two reals, where rounding is hardest."""
    middle = (Decimal(value) + Decimal(math.nextafter(value, math.inf))) / 2
    return format(middle, f".{digits - 1}e")


HARD_REALS = st.one_of(
    st.builds(midpoint, st.floats(1e-300, 1e300), st.integers(14, 24)),
    st.builds(midpoint, st.floats(1e-6, 1e15), st.integers(17, 19)),
    st.decimals(-(10**17), 10**17, places=2).map(str),
    st.from_regex(r"\A-?[0-9]{1,20}\.[0-9]{0,20}(e-?[0-9]{1,2})?\Z"),
)


@given(st.lists(HARD_REALS, min_size=1, max_size=20))
def test_reals_are_those_that_sqlite_reads(path: Path, reals: list[str]) -> None:
    rows = ",".join(f"({real},{real},{real})" for real in reals)
    assert check(path, f"CREATE TABLE r (a REAL, b NUMERIC, c);\nINSERT INTO r VALUES{rows};")


UNUSUAL = {
    "a number in a text column": "INSERT INTO t VALUES(1,5,1,1);",
    "a text that is a number": "INSERT INTO t VALUES(1,'x',1,'12');",
    "texts beside numbers": "INSERT INTO t VALUES(1,'x',1,'a'),(2,'x',1,2);",
    "a hexadecimal number": "INSERT INTO t VALUES(1,'x',1,0x1F);",
    "a truth value": "INSERT INTO t VALUES(1,'x',1,TRUE);",
    "a marked line end": "INSERT INTO t VALUES(1,replace('a\\nb','\\n',char(10)),1,1);",
    "a key beside none": "INSERT INTO t VALUES(5,'x',1,1),(NULL,'y',1,1);",
    "a default": "CREATE TABLE d (a, b DEFAULT 3); INSERT INTO d (a) VALUES (1);",
    "a rule of its own": "CREATE TABLE d (a CHECK (a > 0)); INSERT INTO d VALUES (1);",
    "strict types": "CREATE TABLE d (a INT) STRICT; INSERT INTO d VALUES (1);",
    "no row ids": "CREATE TABLE d (a PRIMARY KEY) WITHOUT ROWID; INSERT INTO d VALUES (1);",
    "an index over a part": "CREATE UNIQUE INDEX u ON t (a) WHERE b > 1; INSERT INTO t VALUES(1,'x',1,1);",
    "an index over an expression": "CREATE INDEX u ON t (a || 'x'); INSERT INTO t VALUES(1,'x',1,1);",
    "another collation": "CREATE UNIQUE INDEX u ON t (a COLLATE NOCASE); INSERT INTO t VALUES(1,'x',1,1);",
    "a column listed twice": "INSERT INTO t (a, a) VALUES('x','y');",
    "a quote in a name": "CREATE TABLE [it's] (\"a'b\");INSERT INTO [it's] VALUES(1);INSERT INTO \"it's\" VALUES (2);",
    "minus nought": "CREATE TABLE d (a); INSERT INTO d VALUES (-0.0);",
}


@pytest.mark.parametrize("rows", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_unusual_scripts_are_read(path: Path, rows: str) -> None:
    assert check(path, TABLE + rows)


REFUSED = {
    "two rows of one key": "INSERT INTO t VALUES(1,'x',1,1),(1,'y',1,1);",
    "two rows of one unique text": "CREATE UNIQUE INDEX u ON t (a); INSERT INTO t VALUES(1,'x',1,1),(2,'x',1,1);",
    "a value too many": "INSERT INTO t VALUES(1,'x',1,1,5);",
    "a row that undoes all": "CREATE TABLE d (a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO d VALUES (1),(1);",
    "no value where one must be": "CREATE TABLE d (a NOT NULL); INSERT INTO d VALUES (NULL);",
    "no such table": "INSERT INTO u VALUES(1);",
    "no such column": "INSERT INTO t (z) VALUES(1);",
    "no end of a row": "INSERT INTO t VALUES(1,'x',1,1;",
    "two texts for one column": "INSERT INTO t VALUES(1,'a' 'b',1,1);",
    "a word between texts": "INSERT INTO t VALUES(1,'a'b'c',1,1);",
    "a text after a word": "INSERT INTO t VALUES(1,a'b',1,1);",
    "a text before a word": "INSERT INTO t VALUES(1,'b'a,1,1);",
}


@pytest.mark.parametrize("rows", REFUSED.values(), ids=REFUSED.keys())
def test_what_sqlite_refuses_is_refused(path: Path, rows: str) -> None:
    assert by_sqlite(TABLE + rows) is None
    assert by_us(path, TABLE + rows) is None


@pytest.mark.parametrize("cell", ["1e999", "-1e999", "X'00'"])
def test_cells_that_cannot_be_kept_are_refused(path: Path, cell: str) -> None:
    script = f"{TABLE}INSERT INTO t VALUES(1,'x',1,{cell});"
    assert by_sqlite(script) is not None
    assert by_us(path, script) is None


def test_too_many_rows_are_refused(path: Path) -> None:
    path.write_text(TABLE + "".join(f"INSERT INTO t VALUES({row},'x',1,1);\n" for row in range(50)))
    with pytest.raises(SourceError, match="more than 49 rows"):
        load_source(path, SourceOptions(max_source_rows=49))


@pytest.mark.parametrize("statement", ["CREATE TABLE x{} (a);", "ANALYZE;"])
def test_many_short_runs_are_read(path: Path, statement: str) -> None:
    lines = (statement.format(run) + f"INSERT INTO t VALUES({run},'x',1,1);\n" for run in range(1, 700))
    assert check(path, TABLE + "".join(lines))
