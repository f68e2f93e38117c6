"""Values end up as their server prints them, or are refused: what MariaDB 10.11 and PostgreSQL 15 answer."""

from pathlib import Path

import pytest

from app.errors import SourceError
from app.values import Scalar
from tests.sources.dumps.support import column, mysql, postgres

MYSQL: dict[tuple[str, str], Scalar] = {
    ("char(5)", "'ab  '"): "ab",
    ("varchar(3)", "'abc  '"): "abc",
    ("varchar(9)", "007"): "7",
    ("varchar(9)", "-0.50"): "-0.50",
    ("varchar(9)", "+.5"): "0.5",
    ("decimal(5,2)", "7.769"): 7.77,
    ("decimal(5,2)", "-7.765"): -7.77,
    ("decimal(4,0)", "'2.5'"): 3,
    ("time", "'10:11'"): "10:11:00",
    ("time(2)", "'10:11:12'"): "10:11:12.00",
    ("datetime(3)", "'2021-1-9 3:4:5'"): "2021-01-09 03:04:05.000",
    ("date", "'2024-01-05 10:00:00'"): "2024-01-05",
    ("enum('x','y')", "2"): "y",
    ("enum('small','Big')", "'BIG'"): "Big",
    ("set('a','b','c')", "5"): "a,c",
    ("set('a','b','c')", "'c,A,c'"): "a,c",
    ("set('a','b')", "''"): "",
    ("year", "24"): 2024,
    ("year", "'99'"): 1999,
    ("uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"): "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    ("varchar(9) CHARACTER SET latin1", "0xE9"): "é",
    ("varchar(9)", "_utf8mb4 0xC3A9"): "é",
    ("bit(8)", "'A'"): 65,
}
POSTGRES: dict[tuple[str, str], Scalar] = {
    ("character(4)", "'ab'"): "ab  ",
    ("character(2)", "'ab   '"): "ab",
    ("character varying(3)", "'abc  '"): "abc",
    ("text", "007"): "7",
    ("text", "2.50"): "2.50",
    ("text", "true"): "true",
    ("numeric(5,2)", "7.769"): 7.77,
    ("numeric(5)", "'2.5'"): 3,
    ("real", "16777217"): 16777216.0,
    ("real", "0.1"): 0.1,
    ("date", "'2024-1-5 10:00'"): "2024-01-05",
    ("date", "'0044-03-15 BC'"): "0044-03-15 BC",
    ("timestamp", "'2024-01-05T10:00:00.500'"): "2024-01-05 10:00:00.5",
    ("timestamp", "'infinity'"): "infinity",
    ("timestamp with time zone", "'2024-05-13 04:47:28.123456+02'"): "2024-05-13 02:47:28.123456+00",
    ("timestamp with time zone", "'2024-05-13 04:47:28Z'"): "2024-05-13 04:47:28+00",
    ("time", "'10:11'"): "10:11:00",
    ("uuid", "'{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'"): "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    ("jsonb", """'{"a": 1, "bb": [true, null]}'"""): '{"a": 1, "bb": [true, null]}',
    ("json", """'{"b":1,"a" :2}'"""): '{"b":1,"a" :2}',
    ("integer[]", "'{1,NULL,3}'"): "{1,NULL,3}",
    ("text[]", """'{a,"b c","NULL"}'"""): '{a,"b c","NULL"}',
    ("text[]", """'{"a"}'"""): "{a}",
    ("inet", "'198.51.100.5'"): "198.51.100.5",
    ("interval", "'1 day 02:03:04'"): "1 day 02:03:04",
    ("int4range", "'[1,5)'"): "[1,5)",
    ("bit(3)", "B'101'"): "101",
    ("character varying(9)", "'abc'::varchar(3)"): "abc",
    ("numeric", "'1.5'::numeric"): 1.5,
}
REFUSED_BY_MYSQL = [
    ("varchar(2)", "'abc'"),
    ("varchar(9)", "1e3"),
    ("decimal(4,2)", "123.4"),
    ("tinyint", "128"),
    ("decimal(4,2) unsigned", "-1"),
    ("int unsigned", "-1"),
    ("float", "3.14159265"),
    ("double(10,2)", "1.005"),
    ("datetime", "'2021-01-09 10:00:00.5'"),
    ("date", "'0000-13-01'"),
    ("enum('x','y')", "'z'"),
    ("set('a','b')", "'a,z'"),
    ("year", "'0'"),
    ("json", """'{"b":1}'"""),
    ("bit(1)", "'1'"),
    ("varchar(9) CHARACTER SET latin1", "'→'"),
    ("varchar(9)", "_latin1'é'"),
]
REFUSED_BY_POSTGRES = [
    ("character varying(2)", "'abc'"),
    ("character varying(9)", "'abcdef'::varchar(2)"),
    ("numeric", "2.5::int"),
    ("numeric(4,2)", "123.4"),
    ("smallint", "40000"),
    ('"char"', "'ab'"),
    ("timestamp with time zone", "'2024-01-05 10:00:00'"),
    ("timestamp", "'now'"),
    ("interval", "'36 hours 5'"),
    ("inet", "'198.51.100.5/32'"),
    ("int4range", "'[1,5]'"),
    ("integer[]", "'{1, 2}'"),
    ("jsonb", """'{"b":1}'"""),
    ("uuid", "'abc'"),
    ("bit(3)", "B'10'"),
    ("name", f"'{'x' * 64}'"),
]


@pytest.mark.parametrize(("declared", "literal"), MYSQL)
def test_mysql_prints(tmp_path: Path, declared: str, literal: str) -> None:
    source = mysql(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ({literal}), (NULL);")

    assert column(source, "t", "a") == [MYSQL[declared, literal], None]


@pytest.mark.parametrize(("declared", "literal"), POSTGRES)
def test_postgres_prints(tmp_path: Path, declared: str, literal: str) -> None:
    source = postgres(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ({literal}), (NULL);")

    assert column(source, "t", "a") == [POSTGRES[declared, literal], None]


@pytest.mark.parametrize(("declared", "literal"), REFUSED_BY_MYSQL)
def test_refused_for_mysql(tmp_path: Path, declared: str, literal: str) -> None:
    with pytest.raises(SourceError, match=r"line 2: a cell of table t, column a, ") as caught:
        mysql(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ({literal});")
    assert (caught.value.where["line"], caught.value.where["column"]) == (2, "a")


@pytest.mark.parametrize(("declared", "literal"), REFUSED_BY_POSTGRES)
def test_refused_for_postgres(tmp_path: Path, declared: str, literal: str) -> None:
    with pytest.raises(SourceError, match=r"line 2: a cell of table t, column a, ") as caught:
        postgres(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ({literal});")
    assert (caught.value.where["line"], caught.value.where["column"]) == (2, "a")


def test_the_zone_of_a_session_is_followed(tmp_path: Path) -> None:
    text = "SET TIME ZONE 'UTC';\nCREATE TABLE t (a timestamptz);\nINSERT INTO t VALUES ('2024-01-05 10:00');"

    assert column(postgres(tmp_path, text), "t", "a") == ["2024-01-05 10:00:00+00"]
