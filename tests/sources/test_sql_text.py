"""The accepted subset, statement by statement: what is taken, what is refused, and on which line."""

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import SourceError, SourceLimitError, SqlInvalidError, SqlUnsupportedError
from app.sources.load import load_source
from app.sources.relational_source import RelationalSource
from app.sources.sql.lexing.script import Script
from app.sources.sql.running.statements import MOST_CHARACTERS, Kind, ScriptReader
from tests.support.random_source import RandomSource, random_sources

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, v);\n"


def load(folder: Path, text: str) -> RelationalSource:
    path = folder / "x.sql"
    path.write_text(text, encoding="utf-8", newline="")
    return load_source(path)


@given(
    random_sources(max_tables=2),
    st.lists(st.sampled_from([" ", "\n", "\t", "-- it's; \n", "/* ' ; */", "\f\r\n"]), max_size=4),
)
def test_space_and_comments_between_statements_mean_nothing(source: RandomSource, gaps: list[str]) -> None:
    gap = "".join(gaps)
    text = gap + (gap + ";" + gap).join(source.statements)
    kinds = [statement.kind for statement in ScriptReader(Script("x.sql", text)).statements()]

    assert kinds.count(Kind.TABLE) == len(source.rows())
    assert Kind.SKIPPED not in kinds


@pytest.mark.parametrize(
    "literal",
    [
        "1",
        "-1",
        "+ 2",
        "- 0x1F",
        "1.",
        ".5",
        "1e3",
        "1.5E-3",
        "1_000",
        "'it''s'",
        "''",
        "null",
        "TRUE",
        "False",
        "'a\nb'",
    ],
)
def test_literals(tmp_path: Path, literal: str) -> None:
    source = load(tmp_path, f"{TABLE}insert into T values(1,{literal});")

    assert source.row_count == 1


@pytest.mark.parametrize(
    "value",
    [
        "1+1",
        "(1)",
        "abs(1)",
        "(SELECT 1)",
        "v",
        "`v`",
        "[v]",
        "-'5'",
        "-NULL",
        "1 -2",
        "CURRENT_TIMESTAMP",
        "?",
        "1 COLLATE NOCASE",
        "- -1",
        "CAST(1 AS TEXT)",
        "1e",
        "1x",
        "0x",
        "'a' || 'b'",
        "NOT NULL",
        "nullx",
        "'open",
        "1__0",
        "@a",
        ":a",
        "NEW.x",
    ],
)
def test_anything_but_a_literal_is_refused_on_its_line(tmp_path: Path, value: str) -> None:
    with pytest.raises((SqlUnsupportedError, SqlInvalidError), match="line 4") as caught:
        load(tmp_path, f"{TABLE}INSERT INTO t VALUES\n(1, 'x'),\n(2, {value});")

    assert caught.value.where == {"file": "x.sql", "line": 4, "table": "t", "column": "v"}


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("INSERT OR REPLACE INTO t SELECT 1, 2", "INSERT … SELECT"),
        ("REPLACE INTO t SELECT 1, 2", "INSERT … SELECT"),
        ("INSERT INTO t DEFAULT VALUES", "INSERT … DEFAULT"),
        ("INSERT INTO t VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET v = 3", "INSERT … ON"),
        ("INSERT INTO temp.t VALUES (1, 2)", "a table of the schema temp"),
        ('CREATE TABLE "temp".x (a)', "a table of the schema temp"),
        ("INSERT INTO t AS x VALUES (1, 2)", "INSERT … AS"),
        ("INSERT INTO t WITH x AS (SELECT 1) SELECT 1, 2", "INSERT … WITH"),
        ("DELETE FROM t", "DELETE"),
        ("DELETE FROM sqlite_sequence WHERE 1", "DELETE"),
        ("DROP TABLE t", "DROP TABLE"),
        ("DROP TABLE IF EXISTS T", "DROP TABLE"),
        ("DROP VIEW IF EXISTS t", "DROP VIEW"),
        ("CREATE INDEX i ON t (v); DROP INDEX IF EXISTS I", "DROP INDEX"),
        ("DROP INDEX i", "DROP INDEX"),
        ("DROP VIEW v", "DROP VIEW"),
        ("ALTER TABLE t ADD COLUMN x", "ALTER TABLE"),
        ("CREATE TEMP TABLE x (a)", "CREATE TEMP TABLE"),
        ("CREATE TABLE x AS VALUES (1)", "CREATE TABLE … AS SELECT"),
        ("CREATE TEMPORARY VIEW x AS SELECT 1", "CREATE TEMPORARY VIEW"),
        ("PRAGMA journal_mode = DELETE", "PRAGMA journal_mode"),
        ("PRAGMA foreign_keys = ON, x", "PRAGMA foreign_keys"),
        ("ROLLBACK", "ROLLBACK"),
        ("SAVEPOINT a", "SAVEPOINT"),
        ("VACUUM INTO 'x.db'", "VACUUM"),
        ("DETACH x", "DETACH"),
        ("EXPLAIN SELECT 1", "EXPLAIN"),
        ("VALUES (1)", "VALUES"),
        ("REINDEX", "REINDEX"),
    ],
)
def test_other_statements_are_refused_by_kind(tmp_path: Path, statement: str, named: str) -> None:
    with pytest.raises(SqlUnsupportedError, match=f"line 3: {named}") as caught:
        load(tmp_path, f"{TABLE}\n{statement};")

    assert "INSERT … VALUES" in caught.value.hint


@pytest.mark.parametrize(
    "statement",
    [
        "'x'",
        "(SELECT 1)",
        "1",
        "%",
        "CREATE TABLE x",
        "CREATE TABLE 5 (a)",
        "CREATE TABLE IF NOT EXISTS (a)",
        "INSERT INTO 5 VALUES (1)",
        "INSERT INTO t VALUES",
        "INSERT INTO t (v) (1)",
        "INSERT INTO t VALUES (1, 2),",
        "INSERT INTO t VALUES (1, 2) (3, 4)",
        "INSERT INTO t VALUES ()",
        "INSERT INTO t VALUES (1, 'a' 'b')",
        "INSERT INTO t VALUES (1,,2)",
        "INSERT INTO t VALUES (1, 2,)",
        "INSERT INTO t VALUES (1, NULL5)",
        "INSERT INTO t VALUES (1, 1.2.3)",
        "INSERT INTO t VALUES (1, 'a'.'b')",
        "CREATE TABLE x (a 'b)",
        "CREATE TABLE x (a,)",
        "CREATE INDEX i ON nowhere (a)",
        "INSERT INTO nowhere VALUES (1)",
        "INSERT INTO t (x) VALUES (1)",
        "INSERT INTO t VALUES ('a', 2)",
        "INSERT INTO t (id, v) VALUES (1)",
        "CREATE TABLE t (a)",
        "CREATE TABLE sqlite_x (a)",
    ],
)
def test_wrong_syntax_is_refused_on_its_line(tmp_path: Path, statement: str) -> None:
    with pytest.raises(SqlInvalidError, match="line 3: ") as caught:
        load(tmp_path, f"{TABLE}\n{statement};")

    assert "SQLite's own syntax" in caught.value.hint


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE 'users' ('id' INTEGER PRIMARY KEY,'it''s' TEXT);INSERT INTO 'users' VALUES('7','x');",
        "CREATE TABLE IF NOT EXISTS'users'(id INTEGER PRIMARY KEY,[it's]);"
        "INSERT INTO'USERS'('it''s',[id])VALUES('x',7);",
        "CREATE TABLE users (id INTEGER, `it's`, PRIMARY KEY ('id'));"
        "INSERT INTO users ('ID', 'it''s') VALUES (7, 'x');"
        "DROP TABLE IF EXISTS 'other'; CREATE UNIQUE INDEX 'i' ON 'users' ('id'); ANALYZE 'users';",
    ],
)
def test_names_may_stand_in_single_quotes(tmp_path: Path, script: str) -> None:
    source = load(tmp_path, script)

    assert list(source.tables) == ["users"]
    assert {name: cells.to_list() for name, cells in source.tables["users"].columns.items()} == {
        "id": [7],
        "it's": ["x"],
    }
    with pytest.raises(SqlInvalidError, match=r"UNIQUE constraint failed: users\.id") as caught:
        load(tmp_path, script + "\nINSERT INTO 'users' ('id') VALUES (7);")
    assert (caught.value.where["table"], caught.value.where["column"]) == ("users", "id")


def test_rows_of_sqlites_own_tables_may_be_named_in_single_quotes(tmp_path: Path) -> None:
    source = load(tmp_path, TABLE + "DELETE FROM 'sqlite_sequence'; INSERT INTO 'sqlite_sequence' VALUES ('t', 1);")

    assert source.notes == ("Skipped 2 bookkeeping statements of the dump: rows of SQLite's own tables.",)


def test_row_ids_that_sqlite_draws_at_random_are_refused(tmp_path: Path) -> None:
    largest = f"INSERT INTO t VALUES ({2**63 - 1}, 'x');\n"
    assert load(tmp_path, TABLE + largest + "INSERT INTO t VALUES (7, 'y');").row_count == 2
    with pytest.raises(SqlUnsupportedError, match="Table t has the largest row id") as caught:
        load(tmp_path, TABLE + largest + "INSERT INTO t VALUES (NULL, 'y');")
    assert caught.value.where == {"file": "x.sql", "line": 1, "table": "t"}


def test_the_failing_insert_of_many_is_found(tmp_path: Path) -> None:
    inserts = [f"INSERT INTO t VALUES ({row}, 'a\nb');\n" for row in range(500)]
    inserts[300] = "INSERT INTO t VALUES (7, 'again');\n"

    with pytest.raises(SqlInvalidError, match=r"line 602: .*UNIQUE constraint failed: t\.id"):
        load(tmp_path, TABLE + "".join(inserts))


def test_counts_in_a_column_list_are_worded(tmp_path: Path) -> None:
    with pytest.raises(SqlInvalidError, match="the column list has 2 columns, 1 value given"):
        load(tmp_path, TABLE + "INSERT INTO t (id, v) VALUES (1);")


def test_values_that_change_with_time_are_refused(tmp_path: Path) -> None:
    table = "CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP, n DEFAULT (random()));\n"

    assert load(tmp_path, table + "INSERT INTO t VALUES (1, 'now', 5);").row_count == 1
    with pytest.raises(SqlUnsupportedError, match="line 2"):
        load(tmp_path, table + "INSERT INTO t (id, n) VALUES (1, 5);")
    with pytest.raises(SqlUnsupportedError, match=r"line 2: .*random"):
        load(tmp_path, table + "INSERT INTO t (id, at) VALUES (1, 'now');")


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCOMMIT;", 3),
        ("pragma foreign_keys(0); begin immediate; end transaction;", 3),
        ("DROP TABLE IF EXISTS t;", 1),
        ("DROP INDEX IF EXISTS \"i\"; drop view if exists v; DROP TRIGGER IF EXISTS [r]; DROP TABLE IF EXISTS 't';", 4),
        ("ANALYZE sqlite_schema; INSERT INTO sqlite_stat1 VALUES('t',NULL,'2'); ANALYZE;", 3),
        ("DELETE FROM sqlite_sequence; INSERT INTO \"sqlite_sequence\" VALUES('t',2),('u',3);", 2),
        ("INSERT INTO sqlite_stat4(tbl,sample) VALUES('t',X'00FF');", 1),
    ],
)
def test_dump_bookkeeping_is_skipped_with_one_note(tmp_path: Path, text: str, skipped: int) -> None:
    source = load(tmp_path, text + "\n" + TABLE)

    assert list(source.tables) == ["t"]
    assert [note.split(" ")[1] for note in source.notes] == [str(skipped)]


def test_an_export_that_drops_indexes_before_it_makes_them_loads(tmp_path: Path) -> None:
    source = load(
        tmp_path,
        'BEGIN TRANSACTION;\nCREATE TABLE IF NOT EXISTS "t" ("id" INTEGER, "v" TEXT, PRIMARY KEY("id"));\n'
        'INSERT INTO "t" VALUES (1,\'a\');\nDROP INDEX IF EXISTS "i";\nCREATE UNIQUE INDEX "i" ON "t" ("v");\nCOMMIT;',
    )

    assert source.schema.table("t").unique_keys == (("id",), ("v",))
    assert source.notes == ("Skipped 3 bookkeeping statements of the dump: BEGIN, DROP INDEX IF EXISTS, COMMIT.",)


@pytest.mark.parametrize(
    ("statement", "may_be_skipped"),
    [
        ("CREATE VIEW v AS SELECT 1", True),
        ("CREATE TEMP TRIGGER r AFTER DELETE ON t BEGIN SELECT 1; END", True),
        ("SELECT 1", True),
        ("CREATE VIRTUAL TABLE f USING fts5 (a)", False),
        ("DROP VIEW v", False),
        ("UPDATE t SET v = 1", False),
    ],
)
def test_the_hint_names_the_option_that_leaves_out_views(tmp_path: Path, statement: str, may_be_skipped: bool) -> None:
    with pytest.raises(SqlUnsupportedError) as caught:
        load(tmp_path, f"{TABLE}{statement};")

    assert ("unsupported=skip" in caught.value.hint) is may_be_skipped


@pytest.mark.parametrize(
    "definition", ["CREATE TABLE u (a CHECK (a IN ({})))", "CREATE INDEX i ON t (v) WHERE id IN ({})"]
)
def test_endless_definitions_are_refused_before_sqlite_sees_them(tmp_path: Path, definition: str) -> None:
    longest = MOST_CHARACTERS - len(definition) + 2
    assert load(tmp_path, TABLE + definition.format("1" + " " * (longest - 1)) + ";").row_count == 0

    with pytest.raises(SourceLimitError, match="line 2: the statement has more than 1,048,576 characters") as caught:
        load(tmp_path, TABLE + definition.format("1" + " " * longest) + ";")
    table = "u" if "TABLE" in definition else "t"
    assert caught.value.where == {"file": "x.sql", "line": 2, "limit": MOST_CHARACTERS, "table": table}


def test_indexes_and_checks_are_ordinary(tmp_path: Path) -> None:
    source = load(
        tmp_path,
        "CREATE TABLE IF NOT EXISTS a (k TEXT CHECK (length(k) < 5) COLLATE NOCASE, PRIMARY KEY (k)) WITHOUT ROWID;"
        "INSERT INTO a VALUES ('b'),('A');"
        "CREATE UNIQUE INDEX IF NOT EXISTS i ON a (lower(k)) WHERE k > 'a';",
    )

    assert source.tables["a"].columns["k"].to_list() == ["A", "b"]
    with pytest.raises(SqlInvalidError, match=r"line 2: .*CHECK constraint failed"):
        load(tmp_path, "CREATE TABLE a (k CHECK (k < 5));\nINSERT INTO a VALUES (9);")


def test_foreign_keys_are_in_order_of_declaration_and_count_once(tmp_path: Path) -> None:
    source = load(
        tmp_path,
        "CREATE TABLE p (a INTEGER PRIMARY KEY, b UNIQUE);"
        "CREATE TABLE c (x REFERENCES p, y REFERENCES P (B), FOREIGN KEY (X) REFERENCES p (A));",
    )

    assert [key.label for key in source.schema.foreign_keys] == ["c(x) -> p(a)", "c(y) -> p(b)"]
    assert "declared twice" in source.notes[0]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("nowhere (a)", "there is no table nowhere"),
        ("p (z)", "table p has no column z"),
        ("p (oid)", "must be a named column"),
        ("keyless", "table keyless has no primary key"),
        ("pair", "1 child column, 2 key columns"),
    ],
)
def test_targets_that_cannot_be_meant(tmp_path: Path, reference: str, message: str) -> None:
    script = (
        "CREATE TABLE p (a INTEGER PRIMARY KEY); CREATE TABLE keyless (a);"
        "CREATE TABLE pair (a, b, PRIMARY KEY (a, b));"
        f"CREATE TABLE c (x REFERENCES {reference});"
    )
    with pytest.raises(SourceError, match=message) as caught:
        load(tmp_path, script)

    assert caught.value.code == "foreign_key_invalid"
    assert caught.value.where["table"] == "c"


HOSTILE = [
    "(" * 20_000,
    "INSERT INTO t VALUES " + "(1," * 20_000,
    "/*" * 20_000,
    "'" * 20_001,
    "--" * 20_000,
    "[" * 20_000,
]
HOSTILE += [
    "INSERT INTO t VALUES " + "(1, 2)," * 20_000 + "x",
    "CREATE TABLE x (" + "a '" * 20_001,
    "- " * 20_000,
    "1" * 20_000,
    "INSERT INTO t VALUES (" + "replace(" * 20_000,
    "INSERT INTO t VALUES " + r"(replace('\n','\n',char(10)))," * 20_000 + "x",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_checking_takes_linear_time(text: str) -> None:
    started = time.perf_counter()
    with suppress(SourceError):
        list(ScriptReader(Script("x.sql", f"INSERT INTO t VALUES (1);{text} x;")).statements())

    assert time.perf_counter() - started < 2
