"""Previews of SQL text: what is declared, what is commented, what rows hold, and what is left out by name."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import SourceEmptyError
from app.inspect.preview.document import to_document
from app.inspect.preview.limits import COLUMNS, TABLES
from app.inspect.preview.model import PreviewKind, PreviewTable, SourcePreview
from app.inspect.preview.preview import PreviewOptions, preview_source
from app.inspect.preview.script.preview_script import SqlPreview
from app.sources.dialect import Dialect
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.tokens import TokenBudget
from app.sources.sql.statements.splitter import MOST_CHARACTERS
from tests.support.music_shop import MusicShop

_KIND = PreviewKind.SQL_TEXT


def preview(text: str, dialect: Dialect = Dialect.SQLITE) -> SqlPreview:
    found = SqlPreview(dialect)
    found.add(Script("s.sql", text))
    return found


def table(text: str, dialect: Dialect = Dialect.SQLITE) -> PreviewTable:
    (only,) = preview(text, dialect).tables
    return only


def comments(table: PreviewTable) -> dict[str, str]:
    return {column.name: column.comment for column in table.columns}


def codes(found: SqlPreview) -> list[str]:
    return [warning.code for warning in found.warnings]


def test_columns_types_and_keys() -> None:
    found = preview(
        """CREATE TABLE IF NOT EXISTS main."order line" (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            price DECIMAL(10, 2) NOT NULL DEFAULT (1 + 2),
            [item no] VARCHAR(20) COLLATE NOCASE REFERENCES item,
            `a``b` DOUBLE PRECISION,
            untyped,
            UNIQUE (price), CHECK (price > 0),
            CONSTRAINT fk FOREIGN KEY (price, untyped) REFERENCES other ("x", y) ON DELETE CASCADE
        );"""
    )
    (only,) = found.tables
    assert only.name == "order line"
    assert [(column.name, column.declared_type, column.not_null) for column in only.columns] == [
        ("id", "INTEGER", False),
        ("price", "DECIMAL(10, 2)", True),
        ("item no", "VARCHAR(20)", False),
        ("a`b", "DOUBLE PRECISION", False),
        ("untyped", "", False),
    ]
    assert only.primary_key == ("id",)
    assert [(key.columns, key.ref_table, key.ref_columns) for key in only.references] == [
        (("item no",), "item", ()),
        (("price", "untyped"), "other", ("x", "y")),
    ]
    assert found.warnings == ()


def test_comments_beside_columns() -> None:
    found = table(
        """CREATE TABLE t ( -- about the table
            a INTEGER, -- first
            b TEXT /* second, with , and ; */ NOT NULL,
            /* third */ c TEXT,
            -- above, alone
            -- on its lines
            d TEXT, -- and beside

            -- a heading

            h TEXT,
            e TEXT, /* several
              * lines */
            f TEXT -- last; no comma
        );"""
    )
    assert comments(found) == {
        "a": "first",
        "b": "second, with , and ;",
        "c": "third",
        "d": "above, alone on its lines and beside",
        "h": "",
        "e": "several lines",
        "f": "last; no comma",
    }


def test_comments_of_mysql_and_postgres() -> None:
    mysql = table(
        "CREATE TABLE `t` (`a` int(11) unsigned NOT NULL AUTO_INCREMENT COMMENT 'it\\'s; ''a''', `b` enum('x','y') "
        "CHARACTER SET utf8 COMMENT 'b', PRIMARY KEY (`a`), KEY `k` (`b`)) ENGINE=InnoDB COMMENT='table';",
        Dialect.MYSQL,
    )
    assert comments(mysql) == {"a": "it's; 'a'", "b": "b"}
    assert [column.declared_type for column in mysql.columns] == ["int(11) unsigned", "enum('x','y')"]
    postgres = table(
        "CREATE TABLE public.t (a character varying(5), \"B\" text);\nCOMMENT ON COLUMN public.t.a IS E'it\\'s';\n"
        "COMMENT ON COLUMN t.\"B\" IS 'b';\nCOMMENT ON COLUMN missing.x IS 'no';COMMENT ON TABLE t IS 'no';",
        Dialect.POSTGRES,
    )
    assert comments(postgres) == {"a": "it's", "B": "b"}
    assert postgres.columns[0].declared_type == "character varying(5)"


def test_rows_are_shown_in_the_order_of_the_table() -> None:
    found = table(
        "CREATE TABLE t (a, b TEXT DEFAULT 'none', c BLOB);"
        "INSERT INTO t (c, A) VALUES (x'00ff', -1.5e3), (NULL, +7);"
        "INSERT INTO t VALUES (9007199254740993, 'it''s; x', 'raw'), (TRUE, \"say \"\"a\"\"\", '2');"
        "insert or ignore into t values (0x10, '" + "y" * 400 + "', NULL), (6,6,6), (7,7,7);"
    )
    assert found.row_count == 7
    assert found.rows == (
        (-1500.0, "none", "‹binary, 2 bytes›"),
        (7, "none", None),
        ("9007199254740993", "it's; x", "raw"),
        (1, 'say "a"', "2"),
        (16, "y" * 299 + "…", None),
    )


def test_rows_of_mysql() -> None:
    found = table(
        "/*!40101 SET NAMES utf8 */;\nCREATE TABLE t (a int, b text, c blob, d bit(1));\n"
        "INSERT IGNORE INTO `t` VALUES (1,'a\\'b\\nc\\\\',_binary 'x\\0y',b'1'),(2,\"q\",0xDEADBEEF,X'00');\n"
        "# a comment; with a quote '\nLOCK TABLES t WRITE;\n",
        Dialect.MYSQL,
    )
    assert found.rows == (
        (1, "a'b\nc\\", "‹binary, 3 bytes›", 1),
        (2, "q", "‹binary, 4 bytes›", 0),
    )


@pytest.mark.parametrize(
    ("declared", "literal", "shown"),
    [
        ("point", r"'\0\0\0\0abc'", "‹binary›"),
        ("geometry", "_binary 'abc'", "‹binary, 3 bytes›"),
        ("polygon NOT NULL SRID 4326", "'‹abc›'", "‹binary›"),
        ("varchar(9) CHARACTER SET binary", "_binary 'abc'", "‹binary, 3 bytes›"),
        ("text COLLATE binary", "0x616263", "‹binary, 3 bytes›"),
        ("enum('blob')", "'blob'", "blob"),
        ("varchar(9)", "_binary 'abc'", "abc"),
        ("text", r"'\%\_\a\Z'", "\\%\\_a\x1a"),
        ("text", "0x4142", "AB"),
        ("text", "'" + "é" * 3_000 + "'", "é" * 299 + "…"),
        ("bigint", "0x10", 16),
        ("bit(3)", "0b101", 5),
        ("bit(3)", "b'101'", 5),
        ("date", "'2021/1/9'", "2021-01-09"),
        ("datetime", "'2021-1-9 1:2'", "2021-01-09 01:02:00"),
        ("decimal(30,0)", "9223372036854775807", "9223372036854775807"),
        ("int DEFAULT 7", "DEFAULT", 7),
        ("int NOT NULL AUTO_INCREMENT PRIMARY KEY", "NULL", 1),
    ],
)
def test_cells_of_mysql_are_those_that_a_build_keeps(declared: str, literal: str, shown: object) -> None:
    found = table(f"CREATE TABLE t (a {declared});INSERT INTO t VALUES ({literal});", Dialect.MYSQL)
    assert found.rows == ((shown,),)


@pytest.mark.parametrize(
    ("declared", "literal", "shown"),
    [
        ("date", "'2021-1-9'", "2021-01-09"),
        ("timestamp with time zone", "'2021/1/9 1:2:3+00'", "2021-01-09 01:02:03+00"),
        ("bytea", "'abc'", "‹binary›"),
        ("bytea", "'\\x00ff'", "‹binary, 2 bytes›"),
        ("serial", "DEFAULT", 1),
        ("bit(3)", "B'101'", "101"),
        ("text", "E'\\303\\251\\u00e9'", "éé"),
        ("text", "E'\\xe9'", "‹text that is not UTF-8›"),
    ],
)
def test_cells_of_postgres_are_those_that_a_build_keeps(declared: str, literal: str, shown: object) -> None:
    found = table(f"CREATE TABLE t (a {declared});INSERT INTO t VALUES ({literal});", Dialect.POSTGRES)
    assert found.rows == ((shown,),)


@pytest.mark.parametrize(
    ("literal", "shown"),
    [
        ("9223372036854775808", 9223372036854775808.0),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9" * 400, "‹not a finite number›"),
        ("1_000", 1_000),
        ("0xFFFFFFFFFFFFFFFF", -1),
        ("x'0a'", "‹binary, 1 bytes›"),
    ],
)
def test_numbers_of_sqlite(literal: str, shown: object) -> None:
    assert table(f"CREATE TABLE t (a);INSERT INTO t VALUES ({literal});").rows == ((shown,),)


def test_rows_of_postgres() -> None:
    found = preview(
        "\\restrict abc\nSET standard_conforming_strings = on;\n"
        "CREATE TABLE public.t (a integer, b text, c bytea);\n"
        "COPY public.t (a, b, c) FROM stdin;\n1\ta\\tb; '\t\\\\x00\n2\t\\N\t\\N\n\\.\n\n"
        "CREATE FUNCTION f() RETURNS int AS $fn$ BEGIN; 'x $$ END; $fn$ LANGUAGE plpgsql;\n"
        "INSERT INTO t VALUES (3, E'q\\'r', '\\x41'::bytea), (4, 'text', NULL);\n"
        "ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (a);\n"
        "ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES public.u(id), ADD FOREIGN KEY (a) REFERENCES v;\n",
        Dialect.POSTGRES,
    )
    (only,) = found.tables
    assert only.rows == (
        (1, "a\tb; '", "‹binary, 1 bytes›"),
        (2, None, None),
        (3, "q'r", "‹binary, 1 bytes›"),
        (4, "text", None),
    )
    assert (only.row_count, only.primary_key) == (4, ("a",))
    assert [(key.columns, key.ref_table, key.ref_columns) for key in only.references] == [
        (("b",), "public.u", ("id",)),
        (("a",), "public.v", ()),
    ]
    assert [warning.message for warning in found.warnings] == ["1 × function: not shown."]


def test_backslashes_mean_something_when_postgres_says_so() -> None:
    text = "SET standard_conforming_strings = off;CREATE TABLE t (a text);INSERT INTO t VALUES ('a\\'; b');"
    assert table(text, Dialect.POSTGRES).rows == (("a'; b",),)


def test_inherited_columns() -> None:
    found = preview("CREATE TABLE p (a int, b int);CREATE TABLE c (d int) INHERITS (public.p);", Dialect.POSTGRES)
    assert [column.name for column in found.tables[1].columns] == ["a", "b", "d"]
    found = preview("CREATE TABLE p (a int);CREATE TABLE c (CHECK (a > 0)) INHERITS (p);", Dialect.POSTGRES)
    assert [column.name for column in found.tables[1].columns] == ["a"]


def test_delimiters_of_mysql() -> None:
    found = preview(
        "CREATE TABLE t (a int);\nINSERT INTO t VALUES (1);\nDELIMITER ;;\n"
        "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; INSERT INTO t VALUES (9); END;;\n"
        "DELIMITER ;\n",
        Dialect.MYSQL,
    )
    assert [(each.name, each.row_count) for each in found.tables] == [("t", 1)]
    assert [warning.message for warning in found.warnings] == ["1 × trigger: not shown."]


def test_rows_that_wake_a_trigger_are_not_counted() -> None:
    trigger = "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1;"
    found = preview(f"CREATE TABLE t (a int);{trigger}INSERT INTO t VALUES (2);", Dialect.MYSQL)
    assert found.tables[0].row_count is None
    assert "the trigger or rule x of table t fires when rows are inserted" in found.warnings[0].message


def test_what_is_not_shown_is_counted_by_kind() -> None:
    found = preview(
        "CREATE VIEW v AS SELECT 1;CREATE VIEW w AS SELECT 2;UPDATE t SET a = 1;CREATE VIRTUAL TABLE f USING fts5(x);"
        "CREATE TABLE k AS SELECT 1;CREATE TABLE t (a, b AS (a + 1));INSERT INTO t SELECT 1;ATTACH 'x' AS y;"
        "PRAGMA foreign_keys = OFF;BEGIN;COMMIT;CREATE UNIQUE INDEX i ON t (a);DROP TABLE IF EXISTS t;"
    )
    refused = {each.where["statement"]: each.where["count"] for each in found.warnings if "reason" in each.where}
    assert refused == {
        "UPDATE T": 1,
        "CREATE VIRTUAL": 1,
        "CREATE TABLE": 1,
        "INSERT INTO": 1,
        "ATTACH": 1,
        "DROP TABLE": 1,
    }
    assert [each.message for each in found.warnings if each.code == "object_not_shown"] == ["2 × view: not shown."]
    assert codes(found)[0] == "generated_column"
    (only,) = found.tables
    assert only.row_count is None, "nobody knows what the SELECT gives"


def test_a_warning_says_what_a_build_says_and_how_often() -> None:
    found = preview("CREATE TABLE t (a int);\nUPDATE t SET a = 1;\nUPDATE t SET a = 2;", Dialect.MYSQL)
    (only,) = found.warnings
    assert only.message == (
        "s.sql, line 2: this statement is not accepted, at: UPDATE t SET a = 1; UPDATE t SET a = 2;"
        " 1 more UPDATE T statements are not shown either."
    )
    assert only.where == {"statement": "UPDATE T", "count": 2, "reason": "sql_unsupported", "file": "s.sql", "line": 2}


def test_nothing_is_executed() -> None:
    """What SQLite would refuse or evaluate is data here: a row with a call ends what is read of its statement."""
    found = preview(
        "CREATE TABLE t (a INTEGER PRIMARY KEY);INSERT INTO t VALUES (1),(1),('no number'),(randomblob(9));"
    )
    (only,) = found.tables
    assert (only.rows, only.row_count) == (((1,), (1,), ("no number",)), None)
    assert "a literal value is wanted, at: randomblob(9)" in found.warnings[0].message


def test_a_cell_that_a_build_refuses_is_named() -> None:
    found = preview(
        "CREATE TABLE t (a bigint unsigned, b int);INSERT INTO t VALUES (9223372036854775808, 1), (2, 'x');",
        Dialect.MYSQL,
    )
    (only,) = found.tables
    assert (only.rows, only.row_count) == ((("‹refused›", 1), (2, "‹refused›")), 2)
    assert "a cell of table t, column a, holds '9223372036854775808'" in found.warnings[0].message
    assert found.warnings[0].where["count"] == 2


@pytest.mark.parametrize("literal", ["x'0'", "0x10000000000000000"])
def test_literals_that_sqlite_does_not_take_are_refused(literal: str) -> None:
    found = preview(f"CREATE TABLE t (a);INSERT INTO t VALUES ({literal});")
    assert found.tables[0].rows == (("‹refused›",),)
    assert "is not one that SQLite takes" in found.warnings[0].message


def test_numbers_that_are_drawn() -> None:
    """The first rows tell what a sequence of one table gives, and nothing of one that several tables draw from."""
    found = preview(
        "CREATE SEQUENCE s;CREATE TABLE a (i serial, x int);CREATE TABLE b (i int DEFAULT nextval('s'), x int);"
        "CREATE TABLE c (i int DEFAULT nextval('s'), x int);INSERT INTO a (x) VALUES (1), (2);"
        "INSERT INTO b (x) VALUES (1);INSERT INTO c VALUES (7, 1), (DEFAULT, 2);",
        Dialect.POSTGRES,
    )
    assert [each.rows for each in found.tables] == [
        ((1, 1), (2, 2)),
        (("‹next number›", 1),),
        ((7, 1), ("‹next number›", 2)),
    ]
    assert found.warnings == ()
    assert table("CREATE TABLE t (a INTEGER PRIMARY KEY);INSERT INTO t VALUES (NULL);").rows == (("‹next number›",),)


def test_columns_of_strict_tables_keep_values_of_any_type() -> None:
    found = table("CREATE TABLE t (a ANY, b INT) STRICT, WITHOUT ROWID;INSERT INTO main.t VALUES ('1', '1');")
    assert found.rows == (("1", 1),)


def test_partitions_go_with_their_whole() -> None:
    text = "CREATE TABLE w (a int) PARTITION BY LIST (a);CREATE TABLE p PARTITION OF w FOR VALUES IN (1);DROP TABLE w;"
    found = preview(text + "CREATE TABLE t (a int);INSERT INTO p VALUES (1);", Dialect.POSTGRES)
    assert [each.name for each in found.tables] == ["t"]
    assert "there is no table public.p" in found.warnings[0].message


def test_rows_without_a_table() -> None:
    found = preview("CREATE TABLE x (a);INSERT INTO t (a) VALUES (1);INSERT INTO sqlite_sequence VALUES ('x', 1);")
    assert [(each.name, each.row_count) for each in found.tables] == [("x", 0)]
    assert [each.message for each in found.warnings] == ["s.sql, line 1: there is no table t."]


def test_a_quote_that_is_never_closed_ends_the_preview() -> None:
    found = preview("CREATE TABLE t (a);\nINSERT INTO t VALUES (1);\nINSERT INTO t VALUES ('it\\'s');\n")
    assert codes(found)[0] == "rest_not_shown"
    assert found.tables[0].row_count is None


def test_several_scripts_are_one_source(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("--\n-- PostgreSQL database dump\n--\nCREATE TABLE public.t (a integer);\n")
    (tmp_path / "b.sql").write_text("COPY public.t (a) FROM stdin;\n1\n2\n\\.\n")
    found = preview_source([tmp_path / "a.sql", tmp_path / "b.sql"])
    assert (found.dialect, [(each.name, each.row_count) for each in found.tables]) == ("postgres", [("t", 2)])


def test_too_many_words_end_the_preview_with_what_there_is() -> None:
    found = SqlPreview(Dialect.SQLITE, TokenBudget(1_000))
    found.add(Script("s.sql", "CREATE TABLE t (a);" + "UPDATE t SET a = 1;" * 2_000))
    assert [each.name for each in found.tables] == ["t"]
    assert "preview_limit" in codes(found)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("CREATE FUNCTION f() AS " + " ".join(f"$t{i}$" for i in range(20_000)), Dialect.POSTGRES),
        ("CREATE TABLE t (a);" + "[" * 400_000, Dialect.SQLITE),
        ("SELECT E'" + "\\'" * 200_000, Dialect.POSTGRES),
    ],
)
def test_a_quote_is_looked_for_once(text: str, dialect: Dialect) -> None:
    """Looking again at every further opening would take until the time is up, and no more was said than that."""
    assert codes(preview(text, dialect)) == ["rest_not_shown"]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO t VALUES (" + "'\\" * 300_000 + ");;",
        "CREATE TABLE u (a " + "REFERENCES " * 90_000 + ");;",
        "CREATE TABLE u (a " + "/*x*/ " * 150_000 + ");;",
    ],
    ids=lambda statement: statement[:30],
)
def test_no_part_of_a_statement_is_looked_at_again_and_again(statement: str) -> None:
    found = preview("DELIMITER ;;\nCREATE TABLE t (a int);;" + statement, Dialect.MYSQL)
    assert found.tables[0].name == "t"
    assert "preview_limit" not in codes(found)


def test_inherited_columns_take_no_more_room_than_is_shown() -> None:
    text = "CREATE TABLE t0(c0 int);" + "".join(
        f"CREATE TABLE t{i}(c{i} int)INHERITS(t{i - 1});" for i in range(1, 3_000)
    )
    tables = preview(text, Dialect.POSTGRES).tables
    assert 100 < len(tables) <= 631, "all of them together may have 200,000 columns"
    assert sum(len(each.columns) for each in tables) <= TABLES * 2 * COLUMNS


def test_a_huge_statement_is_left_out() -> None:
    body = ", ".join(f"column_{i} INTEGER" for i in range(MOST_CHARACTERS // 20))
    found = preview(f"CREATE TABLE wide ({body});CREATE TABLE t (a);")
    assert [each.name for each in found.tables] == ["t"]
    assert "longer than" in found.warnings[0].message


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a CHECK (" + "(" * 50_000 + ")" * 50_000 + "));",
        "(" * 400_000,
        "INSERT INTO t VALUES " + "(" * 100_000,
        "/*" * 100_000,
        "$a$" * 1_000 + "'" + "$b$" * 1_000,
        "'" * 100_001,
        "CREATE TABLE " + "x" * 1_000_000,
        ";" * 1_000_000,
        "CREATE TABLE t (" + ",".join(f"c{i} -- {i}\n" for i in range(10_000)) + ");",
        "".join(f"CREATE TABLE t{i} (a);" for i in range(2_000)),
        "INSERT INTO t VALUES (" + ",".join(["1"] * 10_000) + ");",
    ],
    ids=lambda text: text[:12],
)
@pytest.mark.parametrize("dialect", [Dialect.SQLITE, Dialect.MYSQL, Dialect.POSTGRES])
def test_hostile_text_gives_a_bounded_preview(text: str, dialect: Dialect) -> None:
    found = preview(text, dialect)
    document = to_document(
        SourcePreview(kind=_KIND, files=("s",), size_bytes=1, tables=found.tables, warnings=found.warnings)
    )
    shown: Any = document["tables"]
    assert len(shown) <= TABLES
    assert all(len(each["columns"]) <= COLUMNS for each in shown)
    assert len(json.dumps(document, ensure_ascii=False).encode()) <= 4 * 2**20


PIECES = r"""CREATE TABLE t ( ) , ; ' " ` [ -- /* */ INSERT INTO VALUES 1 x'0 $$ $a$ E' \ COPY FROM stdin \. DELIMITER
ALTER ADD PRIMARY KEY COMMENT ON COLUMN IS NULL :: é REFERENCES - # INHERITS SELECT AS SET 1e400 0x1p5"""
WORDS = st.sampled_from(PIECES.split())


@given(st.lists(WORDS, max_size=40), st.sampled_from([Dialect.SQLITE, Dialect.MYSQL, Dialect.POSTGRES]))
def test_any_text_has_a_preview(words: list[str], dialect: Dialect) -> None:
    for text in (" ".join(words), "\n".join(words), "".join(words)):
        found = preview(text, dialect)
        document = SourcePreview(_KIND, ("s",), 1, found.tables, warnings=found.warnings)
        json.dumps(to_document(document), allow_nan=False).encode()


def test_a_music_shop_says_the_same_in_three_dialects(music_shop: MusicShop) -> None:
    image = preview_source(music_shop.image)
    for path in (music_shop.sqlite, music_shop.mysql, music_shop.postgres):
        script = preview_source(path)
        assert [_squeezed(each) for each in script.tables] == [_squeezed(each) for each in image.tables]
        assert script.warnings == ()


def _squeezed(each: PreviewTable) -> tuple[object, ...]:
    def squeeze(name: str) -> str:
        return name.replace("_", "").lower()

    references = {(*map(squeeze, key.columns), squeeze(key.ref_table)) for key in each.references}
    return squeeze(each.name), each.row_count, tuple(map(squeeze, each.primary_key)), frozenset(references)


def test_sakila_of_two_files(corpus: Path) -> None:
    folder = corpus / "data" / "sakila"
    found = preview_source([folder / "postgres_schema.sql", folder / "postgres_copy.sql"])
    counts = {each.name: each.row_count for each in found.tables}
    assert (counts["film_actor"], counts["rental"], counts["payment_p2007_01"]) == (5_462, 16_044, 0)
    assert len(found.tables) == 21


def test_raw_bytes_in_a_dump_of_mysql(tmp_path: Path) -> None:
    """mysqldump without --hex-blob writes bytes as they are."""
    path = tmp_path / "s.sql"
    path.write_bytes(
        b"CREATE TABLE t (a int, b blob, c text) ENGINE=InnoDB;\n"
        b"INSERT INTO t VALUES (1,_binary '\xff\\'\xfe','\xc3\xa9'),(2,'\xff','\xe9');\n"
    )
    (only,) = preview_source(path).tables
    assert only.rows == ((1, "‹binary, 3 bytes›", "é"), (2, "‹binary›", "‹text that is not UTF-8›"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.sql", "-- a comment; /* only */\n"),
        ("x.sql", "BEGIN; COMMIT;"),
        ("x.sql", "SELECT 1;"),
        ("x.sql", "CREATE TABLE t (a); DROP TABLE t;"),
    ],
)
def test_a_script_without_tables(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(SourceEmptyError, match="holds no tables"):
        preview_source(tmp_path / name)


def test_a_script_of_views_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_text("CREATE VIEW v AS SELECT 1;")
    assert [warning.message for warning in preview_source(tmp_path / "x.sql").warnings] == ["1 × view: not shown."]


def test_options_choose_the_dialect(tmp_path: Path) -> None:
    path = tmp_path / "s.sql"
    path.write_text("CREATE TABLE t (a text);INSERT INTO t VALUES ('a\\'b');")
    assert preview_source(path, PreviewOptions(dialect=Dialect.MYSQL)).tables[0].rows == (("a'b",),)
