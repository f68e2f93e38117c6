"""The oracle's connection: its own, read-only, bounded in time and rows; and SQLite's errors as ours."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from app.budget import RowLimit, deadline
from app.errors import (
    IntegerOverflowError,
    OracleError,
    QueryLimitError,
    SourceChangedError,
    TimeBudgetExhaustedError,
)
from app.oracle.compile_sql import compile_sql
from app.oracle.sqlite_oracle import SqliteOracle
from app.sources.files.input_file import InputFile
from app.sources.load import load_source
from app.sources.options import ResourceProfile, SourceOptions
from app.workload.binding.bind import bind_plan
from app.workload.binding.parsing import parse_plan
from app.workload.bound import BoundPlan
from tests.support.sql_tables import SqlTables, sql_tables

KEY = {"table": "b", "columns": ["a_id"], "ref_table": "a", "ref_columns": ["id"]}
SOURCE = sql_tables("""
CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, n INTEGER, r REAL);
CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id), note TEXT);
INSERT INTO a VALUES (1,'x',9223372036854775807,1e308),(2,'X',1,1e308),(3,'y',NULL,NULL),(4,'x',-5,0.5);
INSERT INTO b VALUES (1,1,'p'),(2,1,NULL),(3,2,'"; DROP TABLE a; --'),(4,9,'q');
""")


def plan(source: SqlTables = SOURCE, **parts: Any) -> BoundPlan:
    document = {"id": "q", "question": "?", "root": {"table": "a", "alias": "t0"}, **parts}
    return bind_plan(parse_plan(document), source.schema)


def aggregate(function: str, column: str) -> dict[str, str]:
    return {"function": function, "column": column, "as": "value"}


def join(kind: str = "inner") -> dict[str, Any]:
    return {"from": "t0", "table": "b", "alias": "t1", "foreign_key": KEY, "direction": "reverse", "type": kind}


def rows(bound: BoundPlan) -> list[tuple[Any, ...]]:
    with SqliteOracle.over_image(SOURCE.image) as oracle:
        return oracle.answers(bound).rows


def test_an_integer_sum_over_64_bits_is_refused_by_name() -> None:
    with pytest.raises(IntegerOverflowError, match="integer sum leaves 64 bits") as error:
        rows(plan(aggregations=[aggregate("sum", "t0.n")]))
    assert error.value.where == {"plan": "q"}


def test_an_infinite_real_sum_is_refused() -> None:
    with pytest.raises(OracleError, match="overflows REAL"):
        rows(plan(aggregations=[aggregate("sum", "t0.r")]))


def test_a_filter_on_the_right_side_of_a_left_join_applies_after_it() -> None:
    shown = {"projection": ["t0.id"], "order_by": [{"column": "t0.id"}], "joins": [join("left")]}
    lacking = plan(filters=[{"column": "t1.id", "op": "is_null"}], **shown)
    other = plan(filters=[{"column": "t1.note", "op": "ne", "value": "p"}], **shown)
    assert rows(lacking) == [(3,), (4,)]
    assert rows(other) == [(2,)]


def test_a_value_that_looks_like_sql_is_only_a_value() -> None:
    value = '"; DROP TABLE a; --'
    bound = plan(joins=[join()], filters=[{"column": "t1.note", "op": "eq", "value": value}], projection=["t0.id"])
    sql, parameters = compile_sql(bound)
    assert "DROP" not in sql
    assert parameters == (value,)
    assert rows(bound) == [(2,)]


def test_texts_that_tie_under_nocase_are_cut_by_their_bytes() -> None:
    bound = plan(projection=["t0.name"], order_by=[{"column": "t0.name"}], limit=1)
    assert rows(bound) == [("X",)]


def test_extremes_order_by_their_columns_collation() -> None:
    bound = plan(
        projection=["t0.id"],
        group_by=["t0.id"],
        aggregations=[aggregate("max", "t0.name")],
        order_by=[{"column": "value"}, {"column": "t0.id"}],
    )
    assert rows(bound) == [(1, "x"), (2, "X"), (4, "x"), (3, "y")]


def test_contains_takes_case_seriously_and_numbers_as_text() -> None:
    shown = {"projection": ["t0.id"], "order_by": [{"column": "t0.id"}]}
    assert rows(plan(filters=[{"column": "t0.name", "op": "contains", "value": "x"}], **shown)) == [(1,), (4,)]
    assert rows(plan(filters=[{"column": "t0.n", "op": "contains", "value": "5"}], **shown)) == [(1,), (4,)]
    assert rows(plan(filters=[{"column": "t0.r", "op": "contains", "value": "e+"}], **shown)) == [(1,), (2,)]


def test_an_answer_over_the_row_limit_is_refused() -> None:
    with (
        SqliteOracle.over_image(SOURCE.image, RowLimit(3)) as oracle,
        pytest.raises(QueryLimitError, match="the limit is 3"),
    ):
        oracle.answers(plan(projection=["t0.id"]))


def test_a_long_query_ends_with_the_deadline() -> None:
    source = sql_tables(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, up INTEGER REFERENCES a (id), kind INTEGER);"
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000)"
        "INSERT INTO a SELECT i, 1, i FROM c;"
    )
    key = {"table": "a", "columns": ["up"], "ref_table": "a", "ref_columns": ["id"]}
    shared = {"table": "a", "foreign_key": key, "type": "inner"}
    hops = [("t0", "t1", "forward"), ("t1", "t2", "reverse"), ("t1", "t3", "reverse")]
    joins = [{**shared, "from": start, "alias": alias, "direction": way} for start, alias, way in hops]
    bound = plan(source, joins=joins, aggregations=[aggregate("sum", "t3.kind")])
    with (
        SqliteOracle.over_image(source.image) as oracle,
        deadline(0.2, "the test"),
        pytest.raises(TimeBudgetExhaustedError, match="during the test"),
    ):
        oracle.answers(bound)


def test_a_file_is_read_without_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "odd name?#.db"
    path.write_bytes(SOURCE.image)
    with SqliteOracle.over_image(InputFile.open(path, 2**20)) as oracle:
        answer = oracle.answers(plan(joins=[join()], aggregations=[aggregate("count", "*")]))
    assert answer.columns == ("value",)
    assert answer.rows == [(3,)]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == SOURCE.image


@pytest.mark.parametrize("as_file", [True, False])
def test_an_image_in_wal_mode_is_read_as_it_is(tmp_path: Path, as_file: bool) -> None:
    path = tmp_path / "wal.db"
    writer = apsw.Connection(str(path))
    writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER)").fetchall()
    writer.execute("INSERT INTO a VALUES (1, 2)")
    writer.close()
    assert 2 in path.read_bytes()[18:20]
    bound = plan(aggregations=[aggregate("count", "*")])
    with SqliteOracle.over_image(InputFile.open(path, 2**20) if as_file else path.read_bytes()) as oracle:
        assert oracle.answers(bound).rows == [(1,)]


def test_what_sqlite_cannot_answer_names_the_plan() -> None:
    with (
        SqliteOracle.over_image(sql_tables("CREATE TABLE other (x)").image) as oracle,
        pytest.raises(OracleError, match="Plan q: SQLite could not answer it"),
    ):
        oracle.answers(plan(projection=["t0.id"]))


def test_a_file_that_changed_after_it_was_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "source.db"
    path.write_bytes(SOURCE.image)
    file = InputFile.open(path, 2**20)
    path.write_bytes(SOURCE.image + b"\0" * 4096)
    with pytest.raises(SourceChangedError, match="changed after it was read"):
        SqliteOracle.over_image(file)


@pytest.mark.parametrize("profile", ResourceProfile)
@pytest.mark.parametrize("name", ["source.db", "source.sql"])
def test_every_kind_of_source_hands_over_its_database(tmp_path: Path, name: str, profile: ResourceProfile) -> None:
    path = tmp_path / name
    script = "CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO a VALUES (7, 8);"
    path.write_bytes(sql_tables(script).image if name.endswith("db") else script.encode())
    source = load_source(path, SourceOptions(resource_profile=profile))
    assert isinstance(source.image, InputFile) == (name.endswith("db") and profile is ResourceProfile.FULL_SCALE)
    with SqliteOracle.over_image(source.image) as oracle:
        assert oracle.answers(plan(aggregations=[aggregate("max", "t0.id")])).rows == [(7,)]
