"""What dump tools write that people rarely do, each as the servers' own tools wrote it."""

from pathlib import Path

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
