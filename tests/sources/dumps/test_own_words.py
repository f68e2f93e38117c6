"""What dump tools write that people rarely do, each as the servers' own tools wrote it."""

from pathlib import Path

import pytest

from app.errors import SourceEncodingError, SourceError, SqlUnsupportedError
from tests.sources.dumps.support import mysql, postgres, rows


def test_whoever_a_session_is_authorized_as_changes_no_row(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "SET SESSION AUTHORIZATION 'tester';\nCREATE TABLE public.t (a integer);\nSET SESSION AUTHORIZATION DEFAULT;\n"
        "SET LOCAL SESSION AUTHORIZATION DEFAULT;\nSET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE;\n"
        "INSERT INTO public.t VALUES (1);\n",
    )

    assert rows(source, "t") == [(1,)]


def test_types_of_a_script_go_by_schema_and_quotes(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "CREATE DOMAIN public.\"order\" AS text DEFAULT 'zz' NOT NULL;\n"
        "CREATE DOMAIN public.text AS integer DEFAULT 7;\n"
        'CREATE TABLE public.t (id integer, a public."order", b name, c text, d public.text, e pg_catalog.text,\n'
        "  f time without time zone);\nINSERT INTO public.t (id) VALUES (1);\n",
    )

    assert rows(source, "t") == [(1, "zz", None, None, 7, None, None)]


def test_a_column_of_copy_may_hold_a_semicolon(tmp_path: Path) -> None:
    source = postgres(tmp_path, 'CREATE TABLE t ("a;b" text);\nCOPY t ("a;b") FROM stdin;\nx\n\\.\n')

    assert rows(source, "t") == [("x",)]


def test_a_delimiter_within_quotes_ends_nothing(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        "CREATE TABLE t (a int);\nINSERT INTO t VALUES (1);\nDELIMITER ;;\n/*!50003 CREATE*/ /*!50003 TRIGGER tr "
        "BEFORE INSERT ON t FOR EACH ROW\nBEGIN SET @a = 'x;;y'; -- it's;;\nSET @b = 1; END */;;\nDELIMITER ;\n"
        "CREATE TABLE u (a int);\nINSERT INTO u VALUES (2);\n",
    )

    assert (rows(source, "t"), rows(source, "u")) == ([(1,)], [(2,)])


def test_names_within_version_comments_may_look_like_comments(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        "CREATE TABLE `a/*b*/` (`it's` int) ENGINE=InnoDB `PAGE_COMPRESSED`='0';\n"
        "/*!40000 ALTER TABLE `a/*b*/` DISABLE KEYS */;\nINSERT INTO `a/*b*/` VALUES (1);\n"
        "/*!40000 ALTER TABLE `a/*b*/` ENABLE KEYS */;\n"
        "CREATE SEQUENCE `s` start with 7 minvalue 1 increment by 1 cache 1000 nocycle TYPE=InnoDB;\n",
    )

    assert rows(source, "a/*b*/") == [(1,)]


def test_latin1_of_mysql_has_no_gaps(tmp_path: Path) -> None:
    text = "SET NAMES latin1;\nCREATE TABLE t (a varchar(20));\nINSERT INTO t VALUES ('ä€\x81\x8d');\n"
    source = mysql(tmp_path, b"".join(bytes([ord(c)]) if ord(c) < 256 else c.encode("cp1252") for c in text))

    assert rows(source, "t") == [("ä€\x81\x8d",)]


def test_bits_as_bytes_of_a_decoded_text_are_refused(tmp_path: Path) -> None:
    script = "SET NAMES latin1;\nCREATE TABLE t (a bit(20), b varchar(9));\nINSERT INTO t VALUES ('\\0{}','ä');\n"

    assert rows(mysql(tmp_path, script.format("A").encode("cp1252")), "t") == [(65, "ä")]
    with pytest.raises(SqlUnsupportedError, match="bits as bytes in the encoding cp1252"):
        mysql(tmp_path, script.format("ô").encode("cp1252"))


def test_names_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceEncodingError, match="line 1: a name of a table is not UTF-8"):
        mysql(tmp_path, b"CREATE TABLE `\xe9` (a int);\n")


@pytest.mark.parametrize("declared", ["interval", "interval(2)", "interval day to second(2)", "interval second"])
def test_intervals_as_they_are_printed(tmp_path: Path, declared: str) -> None:
    source = postgres(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ('1 day 02:03:04.57');\n")

    assert rows(source, "t") == [("1 day 02:03:04.57",)]


@pytest.mark.parametrize("declared", ["interval(1)", "interval day to second(0)", "interval day to minute"])
def test_intervals_that_lose_digits_are_refused(tmp_path: Path, declared: str) -> None:
    with pytest.raises(SqlUnsupportedError, match="print otherwise"):
        postgres(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ('1 day 02:03:04.57');\n")


def test_types_that_are_rare(tmp_path: Path) -> None:
    table = "CREATE TABLE t (a jsonpath, b txid_snapshot, c interval hour);\n"
    read = postgres(tmp_path, table + "INSERT INTO t VALUES ('$.\"a\"[*]', '10:20:10,14', NULL);\n")

    assert rows(read, "t") == [('$."a"[*]', "10:20:10,14", None)]
    with pytest.raises(SqlUnsupportedError, match="the type unheard is not known"):
        postgres(tmp_path, "CREATE TABLE t (b unheard, a integer);\n")


def test_a_reference_without_a_database_is_to_a_table_beside_its_own(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        "CREATE DATABASE a;\nCREATE DATABASE b;\nUSE a;\nCREATE TABLE p (id int PRIMARY KEY);\n"
        "CREATE TABLE b.p (id int PRIMARY KEY);\nCREATE TABLE b.c (p int PRIMARY KEY, q int REFERENCES a.p (id), "
        "FOREIGN KEY (p) REFERENCES p (id));\nINSERT INTO p VALUES (1);\nINSERT INTO b.p VALUES (2);\n"
        "INSERT INTO b.c VALUES (2, 1);\n",
    )

    assert [key.label for key in source.schema.foreign_keys] == ["c(q) -> a.p(id)", "c(p) -> b.p(id)"]
    assert source.warnings == ()


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE t (a int, PRIMARY (a));",
        "CREATE TABLE t (a int, INDEX (oops a));",
        "CREATE TABLE t (a int zerofill zerofill);",
        "CREATE TABLE t (a int, INDEX (a) USING BTRE);",
        "CREATE TABLE t (a int), ENGINE=InnoDB;",
        "CREATE TABLE t (a int) ENGINE=InnoDB,;",
        "CREATE TABLE t (a int) ENGINE=InnoDB,, CHARSET=utf8mb4;",
        "CREATE TABLE t (a int) PARTITION BY HASH (a) PARTITIONS;",
        "CREATE TABLE t (a int);\nALTER TABLE t ENGINE) = InnoDB;",
        "CREATE TABLE t (a int);\nINSERT INTO INTO t VALUES (1);",
        "CREATE TABLE t (a int);\nINSERT IGNORE IGNORE INTO t VALUES (1);",
    ],
)
def test_what_a_server_cannot_parse_is_refused(tmp_path: Path, script: str) -> None:
    with pytest.raises(SourceError):
        mysql(tmp_path, script)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE t (a int PRIMARY KEY, b int REFERENCES t (a a));",
        "CREATE TABLE t (a int PRIMARY KEY, b int, FOREIGN KEY (b DESC) REFERENCES t (a));",
        "CREATE TABLE t (a int, CONSTRAINT UNIQUE (a));",
        "CREATE TABLE t (a int, UNIQUE (a DESC));",
        "CREATE TABLE t (a int) WITH (fillfactor oops='70');",
        "CREATE TABLE t (a int) WITH (fillfactor='70'), TABLESPACE x;",
        "CREATE TABLE t (a int);\nCOPY t FROM stdin;,\n1\n\\.\n",
    ],
)
def test_what_postgres_cannot_parse_is_refused(tmp_path: Path, script: str) -> None:
    with pytest.raises(SourceError):
        postgres(tmp_path, script)


def test_what_pg_dumpall_does_to_the_catalogue_changes_no_row(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "UPDATE pg_catalog.pg_database SET datistemplate = false WHERE datname = 'template1';\n"
        "DROP DATABASE template1;\n"
        "\\connect template1\nCREATE TABLE t (a integer);\nINSERT INTO t VALUES (1);\n",
    )

    assert rows(source, "t") == [(1,)]
    with pytest.raises(SqlUnsupportedError):
        postgres(tmp_path, "CREATE TABLE t (a integer);\nINSERT INTO t VALUE (1);\n")


def test_modes_that_change_types_are_followed_or_refused(tmp_path: Path) -> None:
    table = "CREATE TABLE t (a real);\nINSERT INTO t VALUES (0.5);\n"

    assert rows(mysql(tmp_path, "SET sql_mode = 'ANSI';\n" + table), "t") == [(0.5,)]
    assert rows(mysql(tmp_path, table.replace("0.5", "0.123456789")), "t") == [(0.123456789,)]
    with pytest.raises(SqlUnsupportedError, match="of which a float of its database prints 6 digits"):
        mysql(tmp_path, "SET sql_mode = 'REAL_AS_FLOAT';\n" + table.replace("0.5", "0.123456789"))
    for mode in ("ORACLE", "EMPTY_STRING_IS_NULL"):
        with pytest.raises(SqlUnsupportedError, match=f"line 2: under the sql_mode {mode}"):
            mysql(tmp_path, f"SET sql_mode = 'PIPES_AS_CONCAT,{mode}';\n" + table)
    assert rows(mysql(tmp_path, f"SET sql_mode='ORACLE';\nCREATE PACKAGE p AS END;\nSET sql_mode='';\n{table}"), "t")
