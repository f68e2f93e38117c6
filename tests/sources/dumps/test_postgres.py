"""What pg_dump and people write for PostgreSQL, and what becomes of it."""

from pathlib import Path

import pytest

from app.errors import CellInvalidError, SourceError, SqlInvalidError, SqlUnsupportedError
from app.sources.relational_source import WarningCode
from app.tables.schema import ForeignKey
from app.values import Affinity, Collation
from tests.sources.dumps.support import column, postgres, rows

WHOLE = r"""--
-- PostgreSQL database dump
--
\restrict 5fX0
SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET row_security = off;
CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;
COMMENT ON EXTENSION citext IS 'case; insensitive';
CREATE TYPE public.mood AS ENUM (
    'sad',
    'ok;'
);
CREATE DOMAIN public.year AS integer
	CONSTRAINT year_check CHECK (((VALUE >= 1901) AND (VALUE <= 2155)));
CREATE FUNCTION public.f(a integer) RETURNS trigger
    LANGUAGE plpgsql
    AS $_$ BEGIN; INSERT INTO x VALUES ('$$'); END; $_$;
CREATE FUNCTION public.g() RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT CASE WHEN true THEN 1 ELSE 2 END;
 SELECT 1;
END;
SET default_table_access_method = heap;
CREATE TABLE public."Crew" (
    id integer NOT NULL,
    "Full Name" character varying(40) DEFAULT 'x'::character varying NOT NULL,
    code character(5),
    mail public.citext,
    born public.year,
    feel public.mood DEFAULT 'ok;'::public.mood,
    active boolean DEFAULT true NOT NULL,
    made timestamp(3) without time zone DEFAULT now() NOT NULL,
    tags text[] DEFAULT '{}'::text[],
    share numeric(5,2),
    span interval,
    boss integer,
    CONSTRAINT c CHECK (((id > 0) AND (("Full Name")::text ~~ 'x;%'::text)))
)
WITH (fillfactor='70');
ALTER TABLE public."Crew" OWNER TO postgres;
COMMENT ON TABLE public."Crew" IS 'who''s on board';
COMMENT ON COLUMN public."Crew".born IS 'year of birth';
CREATE SEQUENCE public.crew_id_seq
    START WITH 1;
ALTER SEQUENCE public.crew_id_seq OWNED BY public."Crew".id;
CREATE VIEW public.old AS
 SELECT "Crew".id FROM public."Crew" WHERE ("Crew".code = ';'::bpchar);
ALTER TABLE ONLY public."Crew" ALTER COLUMN id SET DEFAULT nextval('public.crew_id_seq'::regclass);
COPY public."Crew" (id, "Full Name", code, mail, born, feel, active, made, tags, share, span, boss) FROM stdin;
2	B	b    	B@x	1999	sad	t	2020-01-02 03:04:05.678	{a,"b c"}	1.50	1 day	\N
1	A\\n\tb\nc	a    	\N	\N	ok;	f	2020-01-02 03:04:05	\N	2.00	00:00:10	2
\.
SELECT pg_catalog.setval('public.crew_id_seq', 2, true);
ALTER TABLE ONLY public."Crew"
    ADD CONSTRAINT crew_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."Crew"
    ADD CONSTRAINT crew_code UNIQUE (code);
CREATE UNIQUE INDEX crew_mail ON public."Crew" USING btree (mail);
CREATE UNIQUE INDEX crew_some ON public."Crew" USING btree (born) WHERE (born > 0);
CREATE INDEX crew_lower ON public."Crew" USING btree (lower(("Full Name")::text));
CREATE TRIGGER tr BEFORE INSERT ON public."Crew" FOR EACH ROW EXECUTE FUNCTION public.f();
ALTER TABLE ONLY public."Crew"
    ADD CONSTRAINT crew_boss FOREIGN KEY (boss) REFERENCES public."Crew"(id) ON DELETE SET NULL DEFERRABLE NOT VALID;
GRANT ALL ON TABLE public."Crew" TO PUBLIC;
\unrestrict 5fX0
"""


def test_a_dump_of_pg_dump(tmp_path: Path) -> None:
    source = postgres(tmp_path, WHOLE)
    crew = source.schema.table("Crew")

    assert list(source.tables) == ["Crew"]
    assert rows(source, "Crew") == [
        (2, "B", "b    ", "B@x", 1999, "sad", 1, "2020-01-02 03:04:05.678", '{a,"b c"}', 1.5, "1 day", None),
        (1, "A\\n\tb\nc", "a    ", None, None, "ok;", 0, "2020-01-02 03:04:05", None, 2, "00:00:10", 2),
    ]
    assert crew.primary_key == ("id",)
    assert crew.unique_keys == (("id",), ("code",), ("mail",))
    assert crew.foreign_keys == (ForeignKey("Crew", ("boss",), "Crew", ("id",)),)
    assert source.comments == {("Crew", None): "who's on board", ("Crew", "born"): "year of birth"}
    assert source.warnings == ()


def test_columns_keep_their_types_with_postgres_comparisons(tmp_path: Path) -> None:
    columns = {each.name: each for each in postgres(tmp_path, WHOLE).schema.table("Crew").columns}

    assert columns["made"].declared_type == "timestamp(3) without time zone"
    assert {name: columns[name].affinity for name in ("born", "active", "share", "span", "tags", "feel")} == {
        "born": Affinity.INTEGER,
        "active": Affinity.INTEGER,
        "share": Affinity.NUMERIC,
        "span": Affinity.TEXT,
        "tags": Affinity.TEXT,
        "feel": Affinity.TEXT,
    }
    assert {name: columns[name].collation for name in ("Full Name", "code", "mail")} == {
        "Full Name": Collation.BINARY,
        "code": Collation.RTRIM,
        "mail": Collation.NOCASE,
    }
    assert (columns["id"].not_null, columns["code"].not_null) == (True, False)


def test_what_is_left_out_is_named(tmp_path: Path) -> None:
    notes = "\n".join(postgres(tmp_path, WHOLE).notes)

    for words in (
        "2 functions: public.f, public.g.",
        "1 trigger: tr.",
        "1 view: public.old.",
        "1 sequence: public.crew_id_seq.",
        "1 type: public.mood.",
        "1 domain: public.year.",
        "1 extension: citext.",
        "2 indexes: crew_some, crew_lower.",
        "2 psql commands",
        "1 GRANT",
    ):
        assert words in notes


LITERALS = {
    "'it''s'": "it's",
    r"'a\nb'": r"a\nb",
    r"E'a\nb\'c\\'": "a\nb'c\\",
    r"e'\x41\101\u00e4\U0001F600\ud83d\ude00'": "AAä😀😀",
    r"E'\303\244 \xc3\xa4'": "ä ä",
    "'x'::text": "x",
    "'x'::character varying(10)": "x",
    "'x'::public.mood": "x",
    "'{a,b}'::text[]": "{a,b}",
    "N'x'": "x",
    "NULL": None,
    "null::text": None,
    "''": "",
    "B'101'": "101",
    "'$$; -- /*'": "$$; -- /*",
    "1.10": "1.10",
    "'ä€😀'": "ä€😀",
}


@pytest.mark.parametrize("literal", LITERALS)
def test_text_literals(tmp_path: Path, literal: str) -> None:
    source = postgres(tmp_path, f"CREATE TABLE t (id int, a text);\nINSERT INTO t VALUES (1, {literal}), (2, 'x');")

    assert column(source, "t", "a") == [LITERALS[literal], "x"]


def test_strings_with_escapes_while_the_setting_is_off(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "CREATE TABLE t (a text);\nSET standard_conforming_strings = off;\nINSERT INTO t VALUES ('a\\'b;');\n"
        "SET standard_conforming_strings = on;\nINSERT INTO t VALUES ('a\\');",
    )

    assert column(source, "t", "a") == ["a'b;", "a\\"]


NUMBERS = {
    "integer": {"1": 1, "'-1'::integer": -1, "-7": -7},
    "bigint": {"9223372036854775807": 2**63 - 1, "'-9223372036854775808'::bigint": -(2**63)},
    "numeric(10,2)": {"0.99": 0.99, "5.00": 5, "1e3": 1000},
    "double precision": {"1": 1.0, "1e+20": 1e20},
    "boolean": {"true": 1, "false": 0, "TRUE": 1, "'t'": 1, "'f'::boolean": 0, "'yes'": 1, "'OFF'": 0, "NULL": None},
}


@pytest.mark.parametrize(("declared", "literal"), [(kind, text) for kind in NUMBERS for text in NUMBERS[kind]])
def test_number_literals(tmp_path: Path, declared: str, literal: str) -> None:
    source = postgres(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ({literal});")

    [cell] = column(source, "t", "a")
    assert (cell, type(cell)) == (NUMBERS[declared][literal], type(NUMBERS[declared][literal]))


def test_fields_of_copy(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "CREATE TABLE t (id int, a text, b boolean);\nCOPY t FROM stdin;\n"
        "1\t\t\\N\n2\t\\\\N\tt\n3\t\\b\\f\\n\\r\\t\\v\\\\\\q\tf\n4\t\\303\\244\\x41\tt\n5\t'; --\tf\n\\.\n"
        "INSERT INTO t VALUES (6, 'x', NULL);",
    )

    assert rows(source, "t") == [
        (1, "", None),
        (2, "\\N", 1),
        (3, "\b\f\n\r\t\v\\q", 0),
        (4, "äA", 1),
        (5, "'; --", 0),
        (6, "x", None),
    ]


def test_copy_of_nothing_and_with_windows_lines(tmp_path: Path) -> None:
    text = "CREATE TABLE t (a text);\nCREATE TABLE u (a int);\nCOPY u FROM stdin;\n\\.\n\n"
    text += "COPY t (a) FROM stdin;\nx\n\ny\n\\.\n"

    source = postgres(tmp_path, text)
    assert (column(source, "u", "a"), column(source, "t", "a")) == ([], ["x", "", "y"])
    windows = postgres(tmp_path, text.replace("\n", "\r\n"))
    assert (column(windows, "u", "a"), column(windows, "t", "a")) == ([], ["x", "", "y"])


def test_many_lines_of_copy_keep_their_order(tmp_path: Path) -> None:
    lines = "".join(f"{number}\t{'x' * (number % 50)}\n" for number in range(30_000))
    source = postgres(tmp_path, f"CREATE TABLE t (a int, b text);\nCOPY t FROM stdin;\n{lines}\\.\n")

    assert column(source, "t", "a") == list(range(30_000))


def test_inherited_tables_stay_and_partitions_are_part_of_their_table(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "CREATE TABLE pay (id int NOT NULL, day date);\nCREATE TABLE pay_old (note text) INHERITS (pay);\n"
        "INSERT INTO pay_old VALUES (9, '2006-01-01', 'x');\n"
        "CREATE TABLE log (id int NOT NULL, day date) PARTITION BY RANGE (day);\n"
        "CREATE TABLE log_1 (day date, id int NOT NULL);\nCREATE TABLE log_2 PARTITION OF log FOR VALUES IN (1);\n"
        "ALTER TABLE ONLY log ATTACH PARTITION log_1 FOR VALUES FROM ('2007-01-01') TO ('2007-02-01');\n"
        "COPY log_1 (day, id) FROM stdin;\n2007-01-02\t1\n\\.\nINSERT INTO log_1 VALUES ('2007-01-03', 2);\n"
        "INSERT INTO log_2 VALUES (3, NULL);\nALTER TABLE ONLY log ADD CONSTRAINT k PRIMARY KEY (id);\n"
        "ALTER TABLE ONLY log_1 ADD CONSTRAINT k1 PRIMARY KEY (id);\nCREATE TABLE r (log int REFERENCES log_1);",
    )

    assert list(source.tables) == ["pay", "pay_old", "log", "r"]
    assert rows(source, "pay") == []
    assert rows(source, "pay_old") == [(9, "2006-01-01", "x")]
    assert rows(source, "log") == [(1, "2007-01-02"), (2, "2007-01-03"), (3, None)]
    assert source.schema.foreign_keys == (ForeignKey("r", ("log",), "log", ("id",)),)
    assert "Rows of 2 partitions belong to the tables that they are parts of." in source.notes


def test_schemas_share_names_only_with_their_schema(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "CREATE TABLE public.t (x int PRIMARY KEY);\nCREATE TABLE sales.t (x int REFERENCES t);\n"
        "CREATE TABLE sales.u (x int);\n"
        "SET search_path = sales, pg_catalog;\nINSERT INTO t VALUES (1);\nINSERT INTO public.t VALUES (1);",
    )

    assert list(source.tables) == ["public.t", "sales.t", "u"]
    assert (column(source, "public.t", "x"), column(source, "sales.t", "x")) == ([1], [1])
    assert source.schema.foreign_keys[0].ref_table == "public.t"


def test_names_fold_unless_quoted(tmp_path: Path) -> None:
    source = postgres(tmp_path, 'CREATE TABLE Crew (Id INT, "Id2" INT);\nINSERT INTO CREW (ID, "Id2") VALUES (1, 2);')

    assert source.schema.table("crew").column_names == ("id", "Id2")
    assert rows(source, "crew") == [(1, 2)]


def test_columns_that_rows_leave_out(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "CREATE TABLE t (id serial PRIMARY KEY, a text DEFAULT 'x'::text, b boolean DEFAULT false, "
        "c int GENERATED BY DEFAULT AS IDENTITY, d date DEFAULT NULL);\n"
        "INSERT INTO t (a) VALUES ('p'), (NULL);\nINSERT INTO t (b) VALUES (true) ON CONFLICT DO NOTHING;",
    )

    assert rows(source, "t") == [(1, "p", 0, 1, None), (2, None, 0, 2, None), (3, "x", 1, 3, None)]
    for default in ("now()", "'now'::timestamp", "('now'::text)::date", "gen_random_uuid()"):
        with pytest.raises(SqlUnsupportedError, match="leaves out column b, whose default the database would compute"):
            postgres(tmp_path, f"CREATE TABLE t (a int, b date DEFAULT {default});\nINSERT INTO t (a) VALUES (1);")


def test_empty_bytes_are_nothing_to_lose(tmp_path: Path) -> None:
    text = "CREATE TABLE t (id int, pic bytea);\n" + r"INSERT INTO t VALUES (1, '\x'), (2, ''), (3, NULL);"
    source = postgres(tmp_path, text)

    assert source.tables["t"].columns["pic"].to_list() == [None, None, None]
    (warning,) = [each for each in source.warnings if each.code is WarningCode.UNSUPPORTED_SKIPPED]
    assert (warning.where["column"], warning.where["cells"]) == ("pic", 2)


def test_bytes_are_refused_or_null(tmp_path: Path) -> None:
    text = "CREATE TABLE t (id int, pic bytea);\nCOPY t FROM stdin;\n1\t\\N\n2\t\\\\x00ff\n\\.\n"
    text += "INSERT INTO t VALUES (3, '\\x');"

    with pytest.raises(CellInvalidError, match=r"line 4: .*table t, column pic, is of type bytea") as caught:
        postgres(tmp_path, text)
    assert "unsupported=skip" in caught.value.hint
    source = postgres(tmp_path, text, unsupported="skip")
    assert column(source, "t", "pic") == [None, None, None]
    assert [each.to_dict() for each in source.warnings if each.code is WarningCode.UNSUPPORTED_SKIPPED] == [
        {
            "code": "unsupported_skipped",
            "message": "Table t, column pic: 2 cells with binary data read as NULL.",
            "count": 1,
            "where": {"table": "t", "column": "pic", "cells": 2, "first_row": 1},
        }
    ]


REFUSED = {
    "COPY t FROM stdin;\n1\n\\.\n": ("sql_invalid", "line 3: the line of COPY has 1 field, 2 are wanted"),
    "COPY t FROM stdin;\n1\t2\t3\n\\.\n": ("sql_invalid", "has 3 fields, 2 are wanted"),
    "COPY t FROM stdin;\n1\tx\n": ("sql_invalid", "line 2: the lines of COPY never end"),
    "COPY t FROM '/etc/passwd';\n1\tx\n\\.\n": ("sql_unsupported", "COPY is read FROM stdin in the text format only"),
    "COPY t FROM PROGRAM 'ls';\n\\.\n": ("sql_unsupported", "COPY is read FROM stdin"),
    "COPY t FROM stdin WITH (FORMAT csv);\n1,x\n\\.\n": ("sql_unsupported", "text format only"),
    "COPY t TO stdout;\n\\.\n": ("sql_unsupported", "COPY is read FROM stdin"),
    "\\copy t FROM 'x'": ("sql_unsupported", "line 2: this statement is not accepted, at: \\copy"),
    "\\i other.sql": ("sql_unsupported", "at: \\i other.sql"),
    "INSERT INTO t VALUES (1, now());": ("sql_unsupported", "a literal value is wanted, at: now()"),
    "INSERT INTO t VALUES (1, ARRAY['a']);": ("sql_unsupported", "a literal value is wanted, at: ARRAY"),
    "INSERT INTO t VALUES (1, U&'x');": ("sql_unsupported", "a literal value is wanted"),
    "INSERT INTO t VALUES (1, 'x') ON CONFLICT (a) DO UPDATE SET b = 1;": ("sql_unsupported", "at: ON CONFLICT"),
    "INSERT INTO t VALUES (1, 'x') RETURNING a;": ("sql_unsupported", "at: RETURNING"),
    "INSERT INTO t DEFAULT VALUES;": ("sql_unsupported", "VALUES with literal rows"),
    "UPDATE t SET a = 1;": ("sql_unsupported", "not accepted"),
    "DELETE FROM t;": ("sql_unsupported", "not accepted"),
    "TRUNCATE t;": ("sql_unsupported", "not accepted"),
    "DO $$ BEGIN DELETE FROM t; END $$;": ("sql_unsupported", "not accepted"),
    "CALL p();": ("sql_unsupported", "not accepted"),
    "SELECT lo_create(count(*)::oid) FROM t;": ("sql_unsupported", "not accepted"),
    "SELECT lo_import('/etc/passwd');": ("sql_unsupported", "not accepted"),
    "WITH x AS (SELECT 1) INSERT INTO t SELECT 1;": ("sql_unsupported", "not accepted"),
    "SELECT * INTO x FROM t;": ("sql_unsupported", "not accepted"),
    "CREATE TEMP TABLE x (a int);": ("sql_unsupported", "not accepted"),
    "CREATE TABLE x (LIKE t INCLUDING ALL);": ("sql_unsupported", "takes its columns from elsewhere"),
    "CREATE TABLE x AS SELECT 1;": ("sql_unsupported", "not defined by its columns"),
    "CREATE TABLE x (a int) INHERITS (nobody);": ("sql_unsupported", "inherits from public.nobody"),
    "ALTER TABLE ONLY t ADD CONSTRAINT k PRIMARY KEY USING INDEX i;": ("sql_unsupported", "must name its columns"),
    "INSERT INTO t VALUES (1, 'x'); ALTER TABLE t ADD COLUMN c int;": ("sql_unsupported", "after its rows"),
    "ALTER TABLE x ALTER COLUMN a DROP DEFAULT, ADD PRIMARY KEY (a);": ("sql_invalid", "there is no table public.x"),
    "ALTER TABLE t DETACH PARTITION x;": ("sql_unsupported", "this change of a table"),
    "INSERT INTO t VALUES (1, 'x'); ALTER TABLE t ALTER a TYPE text;": ("sql_unsupported", "this change of a column"),
    "CREATE TABLE p PARTITION OF nobody DEFAULT;\nINSERT INTO p VALUES (1);": ("sql_invalid", "there is no table"),
    "INSERT INTO t VALUES ('NaN'::integer, 'x');": ("cell_invalid", "'NaN', which is not a whole number"),
}


@pytest.mark.parametrize("statement", REFUSED)
def test_refused_by_name_and_place(tmp_path: Path, statement: str) -> None:
    code, words = REFUSED[statement]
    with pytest.raises(SourceError) as caught:
        postgres(tmp_path, f"CREATE TABLE t (a int, b text);\n{statement}\n")

    assert caught.value.code == code
    assert words in caught.value.message
    assert caught.value.where


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("declared", ["numeric", "double precision", "real"])
def test_numbers_that_are_not_finite_are_refused(tmp_path: Path, declared: str, value: str) -> None:
    with pytest.raises(CellInvalidError, match=rf"line 3: a cell of table t, column a, holds '{value}'"):
        postgres(
            tmp_path,
            f"CREATE TABLE t (a {declared});\nCOPY t FROM stdin;\n{value}\n\\.\n",
        )


def test_truth_values_are_strict(tmp_path: Path) -> None:
    with pytest.raises(CellInvalidError, match=r"line 4: a cell of table t, column a, is not true or false"):
        postgres(tmp_path, "CREATE TABLE t (a boolean);\nCOPY t FROM stdin;\nt\nmaybe\n\\.\n")


def test_null_in_a_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SqlInvalidError, match="NOT NULL constraint failed"):
        postgres(tmp_path, "CREATE TABLE t (a int PRIMARY KEY);\nINSERT INTO t VALUES (NULL);")
