"""Dumps made to hurt: each ends in an error by name, at once, and nothing is kept."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import GraphwrightError, SourceError, SourceLimitError, SqlUnsupportedError
from app.sources.relational_source import RelationalSource
from tests.sources.dumps.support import column, mysql, postgres
from tests.sources.dumps.test_mysql import WHOLE as MYSQL_DUMP
from tests.sources.dumps.test_postgres import WHOLE as POSTGRES_DUMP

Reader = Callable[[Path, str], RelationalSource]

MIB = 1024 * 1024
NESTED = "(" * 50 + "1" + ")" * 50

HOSTILE = {
    "fifty brackets in a check": f"CREATE TABLE t (a int CHECK ({NESTED}));",
    "fifty brackets in a default": f"CREATE TABLE t (a int DEFAULT {NESTED});",
    "fifty brackets in a row": f"CREATE TABLE t (a int);\nINSERT INTO t VALUES {NESTED};",
    "a bracket that is never closed": "CREATE TABLE t (a int, b varchar(10;",
    "a definition of 2 MiB": f"CREATE TABLE t (a int /* {'x' * 2 * MIB} */);",
    "10,000 columns": f"CREATE TABLE t ({', '.join(f'c{number} int' for number in range(10_000))});",
    "2,001 tables": "".join(f"CREATE TABLE t{number} (a int);\n" for number in range(2_001)),
    "a quote that is never closed": "CREATE TABLE t (a text);\nINSERT INTO t VALUES ('x" + ";" * 100_000,
    "a name that is never closed": 'CREATE TABLE "t (a text);' + "x" * 100_000,
    "a comment that is never closed": "CREATE TABLE t (a text); INSERT /* x" + "y" * 100_000,
    "no tables": "SET x = 1;",
    "only a comment": "-- nothing",
    "a NUL": "CREATE TABLE t (a text);\nINSERT INTO t VALUES ('a\0b');",
    "a long row of brackets": "CREATE TABLE t (a text);\nINSERT INTO t VALUES " + "(" * 1_000_000,
    "many quotes": "CREATE TABLE t (a text);\nINSERT INTO t VALUES (" + "'" * 1_000_001,
    "many signs": "CREATE TABLE t (a text);\nINSERT INTO t VALUES (" + "-" * 1_000_000,
    "many words": "CREATE TABLE t (a text);\nINSERT " + "x " * 1_000_000,
    "partitions of each other": "CREATE TABLE a PARTITION OF b DEFAULT;\nCREATE TABLE b PARTITION OF a DEFAULT;"
    "INSERT INTO a VALUES (1);",
}
ONLY_POSTGRES = {
    "a dollar quote that is never closed": "CREATE FUNCTION f() RETURNS int AS $body$ SELECT 1; $$" + "x$y$" * 50_000,
    "lines that never end": "CREATE TABLE t (a text);\nCOPY t FROM stdin;\n" + "x\n" * 100_000,
    "comments in comments": "/*" * 1_000 + "CREATE TABLE t (a int);",
    "BEGIN ATOMIC that never ends": "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1;" + "SELECT 2;" * 1_000,
}
ONLY_MYSQL = {
    "a delimiter that never comes": "DELIMITER ;;\nCREATE PROCEDURE p() BEGIN SELECT 1; END;\n",
    "nothing but delimiters": "DELIMITER ;\n" * 10_000,
}


def seconds(read: Reader, folder: Path, text: str) -> float:
    started = time.monotonic()
    with pytest.raises(GraphwrightError) as caught:
        read(folder, text)
    assert caught.value.code not in ("internal_error", "construction_time_budget_exhausted")
    assert caught.value.message
    return time.monotonic() - started


@pytest.mark.parametrize("name", [*HOSTILE, *ONLY_POSTGRES])
def test_hostile_to_postgres(tmp_path: Path, name: str) -> None:
    assert seconds(postgres, tmp_path, {**HOSTILE, **ONLY_POSTGRES}[name]) < 10


@pytest.mark.parametrize("name", [*HOSTILE, *ONLY_MYSQL])
def test_hostile_to_mysql(tmp_path: Path, name: str) -> None:
    assert seconds(mysql, tmp_path, {**HOSTILE, **ONLY_MYSQL}[name]) < 10


def test_one_line_of_many_megabytes(tmp_path: Path) -> None:
    text = "CREATE TABLE t (a text);\nINSERT INTO t VALUES ('" + "x" * 20 * MIB + "');"

    assert len(str(column(mysql(tmp_path, text), "t", "a")[0])) == 20 * MIB
    with pytest.raises(SourceLimitError):
        mysql(tmp_path, text, max_source_bytes=MIB)


def test_rows_are_counted_while_they_are_read(tmp_path: Path) -> None:
    rows = ",".join(f"({number})" for number in range(3_000))
    text = f"CREATE TABLE t (a int);\nINSERT INTO t VALUES {rows};\nINSERT INTO t VALUES (no literal);"

    with pytest.raises(SourceLimitError, match="more than 1,000 rows") as caught:
        mysql(tmp_path, text, max_source_rows=1_000)
    assert caught.value.where == {"table": "t", "limit": 1_000}


def test_the_deadline_holds(tmp_path: Path) -> None:
    rows = "".join(f"INSERT INTO t VALUES ({number});\n" for number in range(60_000))

    with pytest.raises(GraphwrightError) as caught:
        postgres(tmp_path, f"CREATE TABLE t (a int);\n{rows}", source_timeout_seconds=0.01)
    assert caught.value.code == "construction_time_budget_exhausted"


def test_nothing_is_executed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    text = (
        f"CREATE TABLE t (a text DEFAULT (writefile('{victim}', 'x')));\nINSERT INTO t VALUES ('x');\n"
        f"CREATE VIEW v AS SELECT writefile('{victim}', 'x');\n"
        f"CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET @x = load_file('{victim}');\n"
    )

    assert column(mysql(tmp_path, text), "t", "a") == ["x"]
    assert not victim.exists()
    with pytest.raises(SourceError):
        mysql(tmp_path, text + f"SELECT 'x' INTO OUTFILE '{victim}';")


FRAGMENTS = [
    "'",
    '"',
    "`",
    "(",
    ")",
    ",",
    ";",
    "/*",
    "*/",
    "--",
    "\\",
    "$$",
    "::",
    "\n",
    "\\.\n",
    "COPY t FROM stdin;",
    "VALUES",
]
CUTS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(["", *FRAGMENTS])), min_size=1, max_size=4
)


@pytest.mark.parametrize(("read", "text"), [(mysql, MYSQL_DUMP), (postgres, POSTGRES_DUMP)], ids=["mysql", "postgres"])
@given(cuts=CUTS)
def test_damaged_dumps_are_read_or_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, read: Reader, text: str, cuts: list[tuple[float, int, str]]
) -> None:
    for place, length, fragment in cuts:
        at = int(place * len(text))
        text = text[:at] + fragment + text[at + length :]

    with suppress(GraphwrightError):
        assert read(tmp_path_factory.getbasetemp(), text).tables


def test_a_column_whose_type_is_only_a_bracket(tmp_path: Path) -> None:
    with pytest.raises(SqlUnsupportedError, match="column a has no type"):
        mysql(tmp_path, "CREATE TABLE t (a (10));")
