"""Dumps that first remove what they are to make, as `pg_dump --clean`, `--if-exists` and `--create` write them."""

import re
from pathlib import Path

import pytest

from app.errors import SqlUnsupportedError
from tests.sources.dumps.support import mysql, postgres, rows

CLEANING = [
    "ALTER TABLE public.a ALTER COLUMN id DROP DEFAULT;",
    "ALTER TABLE ONLY public.a DROP CONSTRAINT a_pkey;",
    "ALTER TABLE ONLY public.a ALTER COLUMN id DROP IDENTITY, ALTER n DROP NOT NULL;",
    "ALTER TABLE public.a DETACH PARTITION public.b;",
    "ALTER TABLE public.v OWNER TO x;",
    "ALTER TABLE IF EXISTS ONLY public.a ALTER COLUMN id SET DEFAULT 1;",
    "DROP TRIGGER tr ON public.a;\nDROP INDEX public.i;\nDROP VIEW public.v;\nDROP RULE r ON public.v;",
    "DROP SEQUENCE public.a_id_seq;\nDROP TABLE public.a;\nDROP FUNCTION public.f(integer);\nDROP TYPE public.mood;",
    "DROP DOMAIN public.year;\nDROP EXTENSION citext;\nDROP MATERIALIZED VIEW public.m;",
    "-- *not* dropping schema, since initdb creates it\nDROP SCHEMA public;\nCREATE SCHEMA public;",
    "DROP DATABASE shop;\nCREATE DATABASE shop WITH TEMPLATE = template0;\nALTER DATABASE shop OWNER TO x;",
]


@pytest.mark.parametrize("cleaning", CLEANING)
@pytest.mark.parametrize("if_exists", [False, True])
def test_a_dump_may_remove_what_it_is_to_make(tmp_path: Path, cleaning: str, if_exists: bool) -> None:
    if if_exists:
        cleaning = re.sub(r"(?m)^(DROP (?:MATERIALIZED )?\w+|ALTER TABLE)(?! IF)", r"\1 IF EXISTS", cleaning)
    source = postgres(tmp_path, f"{cleaning}\nCREATE TABLE public.a (id int, n int);\nINSERT INTO a VALUES (1, 2);")

    assert rows(source, "a") == [(1, 2)]


def test_a_schema_is_dropped_with_its_empty_tables_only(tmp_path: Path) -> None:
    text = "CREATE TABLE old.a (id int);\nCREATE TABLE a (id int);\nINSERT INTO a VALUES (1);\nDROP SCHEMA old;"
    assert list(postgres(tmp_path, text).tables) == ["a"]

    with pytest.raises(SqlUnsupportedError, match=r"line 5: table public\.a is dropped with its rows"):
        postgres(tmp_path, text + "\nDROP SCHEMA IF EXISTS other, Public CASCADE;")


def test_a_database_of_mysql_is_dropped_before_it_has_rows(tmp_path: Path) -> None:
    text = "DROP DATABASE IF EXISTS `b`;\nUSE `a`;\nCREATE TABLE t (x int);\nINSERT INTO t VALUES (1);\n"
    source = mysql(tmp_path, text + "DROP DATABASE IF EXISTS `b`;\nUSE `b`;\nCREATE TABLE u (x int);")
    assert list(source.tables) == ["t", "u"]

    with pytest.raises(SqlUnsupportedError, match=r"line 5: table a\.t is dropped with its rows"):
        mysql(tmp_path, text + "DROP DATABASE `A`;")
