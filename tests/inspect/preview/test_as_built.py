"""A preview names tables and columns, counts rows, and shows cells as the build of the same script has them."""

from pathlib import Path

import pytest

from app.inspect.preview.preview import preview_source
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.tables.table import Table

PG, MYSQL, SQLITE = "postgres", "mysql", "sqlite"
HEADS = {
    PG: "--\n-- PostgreSQL database dump\n--\n",
    MYSQL: "-- MySQL dump 10.13\n",
    SQLITE: "PRAGMA foreign_keys=OFF;\n",
}

SCRIPTS = {
    "two schemas": (
        PG,
        """CREATE TABLE public.a (id integer PRIMARY KEY);
        CREATE TABLE s.a (id integer, up integer REFERENCES public.a);
        CREATE TABLE b (a integer REFERENCES s.a (id));
        INSERT INTO s.a VALUES (1, NULL); INSERT INTO public.a VALUES (2); INSERT INTO a VALUES (3);""",
    ),
    "search path": (
        PG,
        """SET search_path = s, pg_catalog; CREATE TABLE a (id integer); INSERT INTO a VALUES (1);
        SET search_path TO "$user", 'public'; CREATE TABLE a (id text); INSERT INTO a VALUES ('x'), ('y');""",
    ),
    "two databases": (
        MYSQL,
        """CREATE DATABASE `x`; USE `x`; CREATE TABLE `a` (`id` int); INSERT INTO `a` VALUES (1),(2);
        USE `y`; CREATE TABLE `a` (`no` int); INSERT INTO `a` VALUES (3);""",
    ),
    "inherits": (
        PG,
        """CREATE TABLE public.p (a integer, b text); CREATE TABLE public.q (c integer);
        CREATE TABLE public.c (b text NOT NULL, d integer) INHERITS (public.p, public.q);
        CREATE TABLE public.e (
        ) INHERITS (public.p);
        COPY public.c (a, b, c, d) FROM stdin;\n1\tx\t2\t3\n\\.\n
        COPY public.e (a, b) FROM stdin;\n4\ty\n\\.\n""",
    ),
    "partitions": (
        PG,
        """CREATE TABLE public.m (id integer, at date) PARTITION BY RANGE (at);
        CREATE TABLE public.m1 (at date, id integer);
        ALTER TABLE ONLY public.m ATTACH PARTITION public.m1 FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
        CREATE TABLE public.m2 PARTITION OF public.m FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
        COPY public.m1 (at, id) FROM stdin;\n2020-05-01\t1\n\\.\n
        INSERT INTO public.m2 VALUES (2, '2021-5-1');
        CREATE TABLE public.r (m integer REFERENCES public.m2 (id));""",
    ),
    "partition attached after its rows": (
        PG,
        """CREATE TABLE m (id integer) PARTITION BY LIST (id); CREATE TABLE m1 (id integer);
        INSERT INTO m1 VALUES (1), (2); ALTER TABLE m ATTACH PARTITION m1 FOR VALUES IN (1, 2);""",
    ),
    "place holder of a view": (
        MYSQL,
        """CREATE TABLE t (a int); /*!50001 CREATE TABLE `v` (`a` tinyint NOT NULL) ENGINE=MyISAM */;
        /*!50001 DROP TABLE IF EXISTS `v`*/;
        /*!50001 CREATE ALGORITHM=UNDEFINED */ /*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
        /*!50001 VIEW `v` AS select `t`.`a` AS `a` from `t` */;""",
    ),
    "defined if new": (
        MYSQL,
        """CREATE TABLE a (x int); INSERT INTO a VALUES (1);
        CREATE TABLE IF NOT EXISTS a (y int); INSERT INTO a VALUES (2);""",
    ),
    "defined if new in SQLite": (
        SQLITE,
        """CREATE TABLE a (x int); INSERT INTO a VALUES (1);
        CREATE TABLE IF NOT EXISTS a (y int); INSERT INTO a VALUES (2);""",
    ),
    "names as texts": (
        SQLITE,
        """CREATE TABLE users ('id' INTEGER PRIMARY KEY, 'name' TEXT, UNIQUE ('name'));
        CREATE TABLE "x" (a INTEGER, b TEXT, FOREIGN KEY ('a') REFERENCES 'users' ('id'));
        INSERT INTO users VALUES (1, 'x');""",
    ),
    "words as names": (SQLITE, "CREATE TABLE temp (key TEXT PRIMARY KEY, period); INSERT INTO temp VALUES (1, 2);"),
    "folded names": (PG, 'CREATE TABLE Foo (Bar integer, "Baz" text); INSERT INTO FOO (BAR, "Baz") VALUES (1, \'x\');'),
    "counters": (
        PG,
        "CREATE TABLE t (a int); SELECT pg_catalog.setval('s', 1); SELECT set_config('role', '', false);"
        "SELECT * FROM pg_catalog.pg_restore_relation_stats('version', '180000'::integer);",
    ),
    "counters of SQLite": (
        SQLITE,
        """CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (1);
        DELETE FROM sqlite_sequence; INSERT INTO sqlite_sequence VALUES ('t', 1);""",
    ),
    "literals": (
        MYSQL,
        r"""CREATE TABLE t (a bigint, b text, c datetime, d decimal(5,2), e char(3) CHARACTER SET binary, f bit(4));
        INSERT INTO t VALUES (0x10, '\%\'', '2021/1/9', 1.5, 'abc', b'101'), (-1, "x", NULL, 2, NULL, 1);""",
    ),
    "types of its own": (
        PG,
        """CREATE DOMAIN public.raw AS bytea; CREATE DOMAIN public."Day" date CHECK (VALUE > '2000-01-01');
        CREATE TABLE t (a public.raw, b public."Day" NOT NULL); INSERT INTO t VALUES ('abc', '2021/1/9');""",
    ),
    "modes of MySQL": (
        MYSQL,
        r"""/*!50003 SET @saved = @@sql_mode */ ; SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES';
        CREATE TABLE "t" ("a" text, "b" int); INSERT INTO "t" ("b", "a") VALUES (1, 'C:\'); SET sql_mode = @saved;
        INSERT INTO t VALUES ("it\'s", 2);""",
    ),
    "literals of SQLite": (
        SQLITE,
        "CREATE TABLE t (a, b); INSERT INTO t VALUES (9223372036854775808, 0x7f), (-1.5, '');",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_as_built(tmp_path: Path, name: str) -> None:
    dialect, script = SCRIPTS[name]
    path = tmp_path / "s.sql"
    path.write_text(HEADS[dialect] + script)
    built = load_source(path, SourceOptions.from_options({"unsupported": "skip"}))
    shown = preview_source(path)
    assert shown.dialect == dialect
    assert [(table.name, table.row_count) for table in shown.tables] == [
        (name, table.row_count) for name, table in built.tables.items()
    ]
    for found, table in zip(shown.tables, built.tables.values(), strict=True):
        assert [column.name for column in found.columns] == list(table.schema.column_names)
        assert found.primary_key == table.schema.primary_key
        assert [key.ref_table for key in found.references] == [key.ref_table for key in table.schema.foreign_keys]
        assert [_plain(row) for row in found.rows] == _rows(table)
    assert [warning.message for warning in shown.warnings] == (
        ["1 × view: not shown."] if name == "place holder of a view" else []
    )


def _rows(table: Table) -> list[tuple[str, ...]]:
    columns = [table.columns[name].to_list() for name in table.schema.column_names]
    return [tuple(map(str, row)) for row in zip(*columns, strict=True)]


def _plain(row: tuple[object, ...]) -> tuple[str, ...]:
    """Cells as text, since those of COPY are shown as they are written; bytes are NULL in a build."""
    return tuple("None" if str(cell).startswith("‹binary") else str(cell) for cell in row)
