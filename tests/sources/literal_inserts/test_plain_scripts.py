"""What is read without SQLite is what SQLite makes of the script, and everything else is left to it."""

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from app.errors import SourceError
from app.oracle.sqlite_oracle import SqliteOracle
from app.sources.input_file import InputFile
from app.sources.literal_inserts.groups import UnusualScriptError
from app.sources.literal_inserts.plain_script import read_plain_script
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.parallel import Helper
from app.sources.sql_text import ScriptImage, load_through_sqlite
from app.tables.schema import RelationalSchema
from app.tables.table import Table
from app.workload.binding import bind_plan
from app.workload.parsing import parse_plan
from tests.support.random_scripts import random_scripts

Described = tuple[Any, ...]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scripts") / "script.sql"


def described(schema: RelationalSchema, tables: dict[str, Table]) -> Described:
    """All that the rest of the program sees of rows: values with their types, and how columns hold them."""
    cells = {
        (name, column): (values.kind, [(type(cell), repr(cell)) for cell in values.to_list()])
        for name, table in tables.items()
        for column, values in table.columns.items()
    }
    return [table.to_dict() for table in schema], cells, {name: table.row_count for name, table in tables.items()}


def through_sqlite(path: Path, content: bytes) -> Described:
    path.write_bytes(content)
    options = SourceOptions()
    source = load_through_sqlite(InputFile.open(path, options.max_source_bytes), options)
    warnings = [warning.to_dict() for warning in source.warnings]
    return *described(source.schema, dict(source.tables)), warnings, source.notes


def plainly(content: bytes, block_bytes: int) -> Described | None:
    """The same without SQLite, or None for a script that is left to it."""
    try:
        with Helper() as helper:
            read, outcome = read_plain_script(content, SourceOptions(), helper, block_bytes)
    except UnusualScriptError:
        return None
    skipped = ", ".join(dict.fromkeys(outcome.bookkeeping))
    note = (f"Skipped {len(outcome.bookkeeping)} bookkeeping statements of the dump: {skipped}.",) if skipped else ()
    warnings = [warning.to_dict() for warning in (*outcome.objects, *read.warnings)]
    return *described(read.schema, dict(read.tables)), warnings, (*note, *read.notes)


def check(path: Path, content: bytes, block_bytes: int) -> bool:
    """Compare both ways, and say whether the script was read without SQLite."""
    found = plainly(content, block_bytes)
    if found is not None:
        assert found == through_sqlite(path, content)
    return found is not None


@given(random_scripts(), st.sampled_from([40, 200, 10_000]))
def test_random_scripts_mean_what_sqlite_makes_of_them(path: Path, script: str, block_bytes: int) -> None:
    event("plain" if check(path, script.encode(), block_bytes) else "left to SQLite")


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
def test_plain_scripts_are_read_where_they_stand(path: Path, rows: str) -> None:
    assert check(path, (TABLE + rows).encode(), 64)


EDITS = st.lists(
    st.tuples(
        st.floats(0, 1), st.integers(0, 2), st.sampled_from([*"'(),;-/* \n0x.e\"a", "''", "--", "NULL", "é", ""])
    ),
    min_size=1,
    max_size=2,
)


@given(st.sampled_from(list(PLAIN.values())), EDITS, st.sampled_from([40, 10_000]))
def test_a_script_with_a_few_changes_means_what_sqlite_makes_of_it(
    path: Path, script: str, edits: list[tuple[float, int, str]], block_bytes: int
) -> None:
    for place, removed, added in edits:
        at = int(place * len(script))
        script = script[:at] + added + script[at + removed :]
    event("plain" if check(path, (TABLE + script).encode(), block_bytes) else "left to SQLite")


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
    check(path, f"CREATE TABLE r (a REAL, b NUMERIC, c);\nINSERT INTO r VALUES{rows};".encode(), 10_000)


def test_reals_of_up_to_19_digits_next_to_middles_are_read_where_they_stand(path: Path) -> None:
    reals = [midpoint(value, digits) for value in (0.1, 1.5, 123456.789, 2.0**60) for digits in (15, 17, 19)]
    rows = ",".join(f"({real})" for real in reals)
    assert check(path, f"CREATE TABLE r (a REAL);\nINSERT INTO r VALUES{rows};".encode(), 10_000)


UNUSUAL = {
    "a number in a text column": "INSERT INTO t VALUES(1,5,1,1);",
    "a text that is a number": "INSERT INTO t VALUES(1,'x',1,'12');",
    "texts beside numbers": "INSERT INTO t VALUES(1,'x',1,'a'),(2,'x',1,2);",
    "bytes": "INSERT INTO t VALUES(1,'x',1,X'00');",
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
def test_everything_else_is_left_to_sqlite(rows: str) -> None:
    assert plainly((TABLE + rows).encode(), 10_000) is None


@pytest.mark.parametrize(("second", "is_plain"), [("2", False), ("'b'", True), ("'2'", False), ("NULL", True)])
def test_blocks_of_texts_and_of_numbers_do_not_mix_under_numeric_affinity(
    path: Path, second: str, is_plain: bool
) -> None:
    rows = f"INSERT INTO t VALUES(1,'x',1,'a');\nINSERT INTO t VALUES(2,'x',1,{second});"
    assert check(path, (TABLE + rows).encode(), 40) is is_plain


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
    "an infinite number": "INSERT INTO t VALUES(1,'x',1e999,1);",
    "not UTF-8": "INSERT INTO t VALUES(1,'\udcff',1,1);",
}


@pytest.mark.parametrize("rows", REFUSED.values(), ids=REFUSED.keys())
def test_what_sqlite_refuses_is_refused_in_its_words(path: Path, rows: str) -> None:
    path.write_bytes((TABLE + rows).encode("utf-8", "surrogateescape"))
    options = SourceOptions()
    with pytest.raises(SourceError) as wanted:
        load_through_sqlite(InputFile.open(path, options.max_source_bytes), options)
    with pytest.raises(SourceError) as caught:
        load_source(path)
    assert (str(caught.value), caught.value.where) == (str(wanted.value), wanted.value.where)


def test_too_many_rows_are_refused(path: Path) -> None:
    path.write_text(TABLE + "".join(f"INSERT INTO t VALUES({row},'x',1,1);\n" for row in range(50)))
    with pytest.raises(SourceError, match="more than 49 rows"):
        load_source(path, SourceOptions(max_source_rows=49))


COUNT = {
    "id": "q1",
    "question": "How many rows?",
    "root": {"table": "t", "alias": "t0"},
    "aggregations": [{"function": "count", "column": "*", "as": "rows"}],
}


def test_the_oracle_runs_the_script_itself(path: Path) -> None:
    path.write_text(TABLE + PLAIN["as a dump says it"])
    source = load_source(path)
    assert isinstance(source.image, ScriptImage)
    with SqliteOracle.over_image(source.image) as oracle:
        plan = bind_plan(parse_plan(COUNT), source.schema)
        assert oracle.answers(plan).rows == [(2,)]


@pytest.mark.parametrize("statement", ["CREATE TABLE x{} (a);", "ANALYZE;"])
def test_a_script_of_many_short_runs_is_left_to_sqlite(statement: str) -> None:
    lines = (statement.format(run) + f"INSERT INTO t VALUES({run},'x',1,1);\n" for run in range(1, 700))
    assert plainly((TABLE + "".join(lines)).encode(), 10_000) is None
