"""Which database a script is for, and what each dialect makes of the same file."""

from pathlib import Path

import pytest

from app.errors import InvalidOptionError, SourceLimitError, SqlInvalidError, SqlUnsupportedError
from app.sources.dialect import Dialect, recognise
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import SourceKind
from tests.sources.dumps.support import column, read, rows

CASES = Path(__file__).parents[2] / "cases" / "07-sql-other-dialects"

MARKED = {
    "-- MySQL dump 10.13  Distrib 8.0.36\nCREATE TABLE t (a int);": Dialect.MYSQL,
    "-- MariaDB dump 10.19\nCREATE TABLE t (a int);": Dialect.MYSQL,
    "/*!40101 SET NAMES utf8mb4 */;\nCREATE TABLE t (a int);": Dialect.MYSQL,
    "/*M!999999\\- enable the sandbox mode */\nCREATE TABLE t (a int);": Dialect.MYSQL,
    "CREATE TABLE `t` (`a` int) ENGINE=InnoDB;": Dialect.MYSQL,
    "CREATE TABLE t (\n  id INT AUTO_INCREMENT PRIMARY KEY\n);": Dialect.MYSQL,
    "--\n-- PostgreSQL database dump\n--\nCREATE TABLE t (a int);": Dialect.POSTGRES,
    "\\restrict abc\nCREATE TABLE t (a int);": Dialect.POSTGRES,
    "\\c shop;\nCREATE TABLE t (a int);": Dialect.POSTGRES,
    "CREATE TABLE t (a int);\nCOPY t (a) FROM stdin;\n1\n\\.\n": Dialect.POSTGRES,
    "SET client_encoding = 'UTF8';\nCREATE TABLE t (a int);": Dialect.POSTGRES,
    "CREATE TABLE t (a text DEFAULT 'x'::text);": Dialect.POSTGRES,
    "CREATE TABLE t (\n  id serial PRIMARY KEY\n);": Dialect.POSTGRES,
}
UNMARKED = {
    "nothing special": "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);\nINSERT INTO t VALUES (1, 'x');",
    "backticks alone": "CREATE TABLE `t` (`a` INTEGER);",
    "markers inside a text": "CREATE TABLE t (a TEXT);\nINSERT INTO t VALUES ('\nLOCK TABLES x\n)::int ENGINE=1');",
    "markers inside a comment": "/* COPY t FROM stdin\n-- MySQL dump */ CREATE TABLE t (a TEXT);",
    "SQLite's own words beside a cast": "PRAGMA foreign_keys=OFF;\nCREATE TABLE t (a TEXT CHECK (a <> ')::x'));",
    "two databases alike": "CREATE TABLE t (a int) ENGINE=x;\nCOPY t FROM stdin;\n\\.\n",
}


@pytest.mark.parametrize("text", MARKED)
def test_markers_tell_the_dialect(text: str) -> None:
    recognition = recognise(text)

    assert recognition.dialect is MARKED[text]
    assert recognition.marker


@pytest.mark.parametrize("name", UNMARKED)
def test_anything_unsure_is_read_as_sqlite(name: str) -> None:
    assert recognise(UNMARKED[name]).dialect is Dialect.SQLITE


def test_auto_reads_what_sqlite_refuses() -> None:
    mysqldump = load_source(CASES / "a_mysqldump.sql")
    pg_copy = load_source(CASES / "b_pg_copy.sql")

    assert mysqldump.kind is SourceKind.MYSQL_DUMP
    assert rows(mysqldump, "crew") == [(1, "Person A"), (2, "Person B's deputy")]
    assert pg_copy.kind is SourceKind.POSTGRES_DUMP
    assert rows(pg_copy, "crew") == [(1, "Person A"), (2, None)]
    assert pg_copy.schema.table("crew").primary_key == ("id",)
    assert "dump of MySQL, by a version comment" in mysqldump.notes[0]
    assert "set the option dialect" in pg_copy.notes[0]


def test_a_lone_backslash_quote_is_no_marker() -> None:
    with pytest.raises(SqlInvalidError, match="Line 3"):
        load_source(CASES / "c_backslash_quote_only.sql")

    source = load_source(CASES / "c_backslash_quote_only.sql", SourceOptions(dialect=Dialect.MYSQL))
    assert column(source, "crew", "name") == ["Person A", "Person B's deputy"]


def test_a_given_dialect_is_not_guessed(tmp_path: Path) -> None:
    text = "CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES (1, 'a\\nb');"

    assert column(read(tmp_path, text, dialect="mysql"), "t", "b") == ["a\nb"]
    assert column(read(tmp_path, text, dialect="postgres"), "t", "b") == ["a\\nb"]
    assert column(read(tmp_path, text, dialect="sqlite"), "t", "b") == ["a\\nb"]
    assert not any("Read as" in note for note in read(tmp_path, text, dialect="mysql").notes)


@pytest.mark.parametrize("value", ["MySQL", "oracle", "", 1, None])
def test_dialects_are_strict(value: object) -> None:
    with pytest.raises(InvalidOptionError, match="dialect must be auto, sqlite, mysql or postgres"):
        SourceOptions.from_options({"dialect": value})


def test_several_files_are_one_dump_in_their_order(tmp_path: Path) -> None:
    schema, data = tmp_path / "schema.sql", tmp_path / "data.sql"
    schema.write_text("-- PostgreSQL database dump\nCREATE TABLE t (a int PRIMARY KEY);")
    data.write_text("INSERT INTO t VALUES (1);\nINSERT INTO t VALUES (2);\nINSERT INTO u VALUES (2);")

    with pytest.raises(SqlInvalidError, match=r"data\.sql, line 3: there is no table public\.u") as caught:
        load_source([schema, data])
    assert caught.value.where["file"] == "data.sql"

    data.write_text("INSERT INTO t VALUES (1);")
    source = load_source([schema, data])
    assert column(source, "t", "a") == [1]
    assert source.source_bytes == schema.stat().st_size + data.stat().st_size
    assert source.source_sha256 != load_source([schema]).source_sha256


def test_several_files_of_sqlite_are_refused(tmp_path: Path) -> None:
    paths = [tmp_path / "a.sql", tmp_path / "b.sql"]
    for path in paths:
        path.write_text("CREATE TABLE t (a INTEGER);")

    with pytest.raises(SqlUnsupportedError, match="2 files in SQLite's syntax"):
        load_source(paths)
    with pytest.raises(SourceLimitError, match="54 bytes together"):
        load_source(paths, SourceOptions(max_source_bytes=50))
