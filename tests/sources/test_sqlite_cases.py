"""SQL text of SQLite as real files write it, each kind with its smallest inputs."""

from pathlib import Path

import apsw
import pytest

from app.errors import SourceError
from app.graph.g0 import build_initial_graph, match_references
from app.sources.dialect import Dialect
from app.sources.load import load_source
from app.sources.options import ResourceProfile, SourceOptions, Unsupported
from app.values import Scalar

CASES = Path(__file__).parents[1] / "cases"
TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b REAL NOT NULL DEFAULT 0);\n"


def rows(path: Path, table: str = "t") -> list[tuple[Scalar, ...]]:
    columns = load_source(path).tables[table].columns.values()
    return list(zip(*(column.to_list() for column in columns), strict=True))


def written(folder: Path, text: str) -> Path:
    path = folder / "x.sql"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("or_ignore.sql", [(1, "x", 1.5), (2, "y", 2.0)]),
        ("encoding.sql", [(1, "x", 2.0)]),
        ("double_quotes.sql", [(1, "dq text", 1.5)]),
    ],
)
def test_what_sqlite_takes_is_read(name: str, expected: list[tuple[Scalar, ...]]) -> None:
    assert rows(CASES / "31-sqlite-text" / name) == expected


def test_an_expression_is_refused_by_its_operator() -> None:
    with pytest.raises(
        SourceError, match=r"line 2: cells are literals, and an expression with \|\| is not one"
    ) as caught:
        load_source(CASES / "31-sqlite-text" / "concat.sql")
    assert caught.value.where["column"] == "a"
    assert "Run anything else in SQLite first" in caught.value.hint


@pytest.mark.parametrize("operator", ["||", "+", "-", "*", "/", "%", "<<", "=", "<>", "->>", "COLLATE", "IS NOT", "IN"])
def test_every_operator_is_named(tmp_path: Path, operator: str) -> None:
    path = written(tmp_path, f"{TABLE}INSERT INTO t VALUES (1, 'a' {operator} 'b', 0);")
    with pytest.raises(SourceError, match="an expression with") as caught:
        load_source(path)
    assert (caught.value.code, caught.value.where["line"]) == ("sql_unsupported", 2)


CONFLICTS = [
    "INSERT OR IGNORE INTO t VALUES (1,'x',1),(1,'y',2),(2,'x',3),(3,'z',NULL);",
    "INSERT OR REPLACE INTO t VALUES (1,'x',1),(1,'y',2);INSERT OR REPLACE INTO t (a, id) VALUES ('y', 9);",
    "REPLACE INTO t VALUES (1,'x',1);REPLACE INTO t VALUES (1,'y',2);replace into t (a) values ('y');",
    "INSERT INTO t VALUES (1,'x',1);INSERT INTO t VALUES (1,'x',2) ON CONFLICT DO NOTHING;"
    "INSERT INTO t VALUES (2,'y',2);",
    "INSERT INTO t VALUES (1,'x',1) ON CONFLICT (a) DO NOTHING;"
    "INSERT INTO t VALUES (2,'x',1) ON CONFLICT (a) DO NOTHING;",
    "INSERT OR ABORT INTO t VALUES (1,'x',1);INSERT OR FAIL INTO t VALUES (2,'y',1);",
    'INSERT OR IGNORE INTO main.t VALUES (1,"x",1);INSERT OR IGNORE INTO main.t VALUES (1,"y",2);',
]


@pytest.mark.parametrize("inserts", CONFLICTS)
def test_conflicts_end_as_sqlite_ends_them(tmp_path: Path, inserts: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)
    connection.execute(TABLE + inserts)

    assert rows(written(tmp_path, TABLE + inserts)) == connection.execute("SELECT * FROM t").fetchall()


@pytest.mark.parametrize("word", ["ABORT", "FAIL", "ROLLBACK"])
def test_a_conflict_that_ends_the_script_is_refused_where_it_stands(tmp_path: Path, word: str) -> None:
    path = written(
        tmp_path, f"{TABLE}INSERT INTO t VALUES (1,'x',1);\nINSERT OR {word} INTO t VALUES (2,'y',1),\n(1,'z',2);"
    )
    with pytest.raises(SourceError, match=r"UNIQUE constraint failed: t\.id") as caught:
        load_source(path)
    assert caught.value.where["line"] == (3 if word == "ROLLBACK" else 4)


def test_a_row_that_is_written_twice_is_named_by_its_last_line(tmp_path: Path) -> None:
    path = written(
        tmp_path, f"{TABLE}REPLACE INTO t VALUES (1,'x',1);\nREPLACE INTO t VALUES (2,'y',2),\n(1,'x',1e999);"
    )
    with pytest.raises(SourceError, match="row id 1 holds Infinity") as caught:
        load_source(path)
    assert caught.value.where["line"] == 4


@pytest.mark.parametrize("schema", ["main", "MAIN", '"main"', "[main]", "`main`", "'main'"])
def test_tables_may_be_named_with_the_schema_main(tmp_path: Path, schema: str) -> None:
    script = (
        f"CREATE TABLE {schema}.t (id INTEGER PRIMARY KEY, a);\nCREATE UNIQUE INDEX {schema}.i ON t (a);\n"
        f"DROP TABLE IF EXISTS {schema} . other;\nDELETE FROM {schema}.sqlite_sequence;\nANALYZE {schema}.t;\n"
        f"INSERT INTO {schema}.t VALUES (1, 'x');\nINSERT INTO {schema} . t (a) VALUES ('y');"
    )
    assert rows(written(tmp_path, script)) == [(1, "x"), (2, "y")]
    with pytest.raises(SourceError, match=r"UNIQUE constraint failed: t\.a") as caught:
        load_source(written(tmp_path, f"{script}\nINSERT INTO {schema}.t VALUES (7, 'x');"))
    assert (caught.value.where["line"], caught.value.where["table"], caught.value.where["column"]) == (8, "t", "a")
    with pytest.raises(SourceError, match="line 8: DROP TABLE is not accepted"):
        load_source(written(tmp_path, f"{script}\nDROP TABLE IF EXISTS {schema}.t;"))


@pytest.mark.parametrize("value", ['"UTF-8"', "'UTF-8'", "utf8", "UTF8"])
def test_utf_8_may_be_declared(tmp_path: Path, value: str) -> None:
    path = written(tmp_path, f"PRAGMA encoding = {value};\nPRAGMA encoding({value});\n{TABLE}")
    assert load_source(path).notes == ("Skipped 2 bookkeeping statements of the dump: PRAGMA encoding.",)


@pytest.mark.parametrize("pragma", ['encoding = "UTF-16"', "encoding = 'UTF-16le'", "encoding"])
def test_another_encoding_is_refused(tmp_path: Path, pragma: str) -> None:
    with pytest.raises(SourceError, match="line 1: PRAGMA encoding is not accepted"):
        load_source(written(tmp_path, f"PRAGMA {pragma};\n{TABLE}"))


@pytest.mark.parametrize(
    ("name", "dialect"), [("chinook_like.sql", Dialect.POSTGRES), ("mysql_like.sql", Dialect.MYSQL)]
)
def test_a_script_of_another_database_is_recognised_or_its_option_named(name: str, dialect: Dialect) -> None:
    path = CASES / "40-hint-without-dialect" / name
    try:
        load_source(path)
    except SourceError as error:
        assert f"--option dialect={dialect}" in error.hint  # noqa: PT017
    source = load_source(path, SourceOptions(dialect=dialect))
    assert source.row_count == 2


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE SEQUENCE s",
        "CREATE DATABASE d",
        "DROP DATABASE IF EXISTS d",
        "USE d",
        "ALTER TABLE t ADD CONSTRAINT k UNIQUE (a)",
        "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES t (id)",
        "ALTER SEQUENCE s OWNED BY t.id",
        "COMMENT ON TABLE t IS 'x'",
        "GRANT SELECT ON t TO u",
        "CREATE SCHEMA s",
        "CREATE TYPE e AS ENUM ('a')",
        "CREATE TABLE u (id INT) ENGINE=InnoDB",
    ],
)
def test_what_sqlite_does_not_have_names_the_option(tmp_path: Path, statement: str) -> None:
    with pytest.raises(SourceError) as caught:
        load_source(written(tmp_path, f"{TABLE}{statement};"), SourceOptions(dialect=Dialect.SQLITE))
    assert "--option dialect=mysql or --option dialect=postgres" in caught.value.hint


@pytest.mark.parametrize(
    "statement", ["DROP TABLE t", "ALTER TABLE t ADD COLUMN c", "CREATE TEMP TABLE u (a)", "VACUUM"]
)
def test_what_sqlite_has_does_not(tmp_path: Path, statement: str) -> None:
    with pytest.raises(SourceError) as caught:
        load_source(written(tmp_path, f"{TABLE}{statement};"))
    assert "dialect" not in caught.value.hint


BROKEN_KEYS = {
    "a table that is not there": ("p INT REFERENCES gone (id)", "there is no table gone"),
    "no key to mean": ("p INT REFERENCES keyless", "table keyless has no primary key"),
    "a column that is not there": ("p INT REFERENCES keyless (x)", "table keyless has no column x"),
}


@pytest.mark.parametrize(("column", "reason"), BROKEN_KEYS.values(), ids=BROKEN_KEYS.keys())
@pytest.mark.parametrize("kind", ["script", *ResourceProfile])
@pytest.mark.parametrize("cell", ["7", "X'00'"])
def test_a_key_that_cannot_be_followed_is_left_out_if_asked(
    tmp_path: Path, column: str, reason: str, kind: str, cell: str
) -> None:
    script = f"CREATE TABLE keyless (a);CREATE TABLE c (id INT PRIMARY KEY, q REFERENCES c, {column}, v);"
    script += f"INSERT INTO c VALUES (1, 1, 1, {cell});"
    path = written(tmp_path, script)
    profile = ResourceProfile.BOUNDED if kind == "script" else ResourceProfile(kind)
    if kind != "script":
        path = tmp_path / "x.db"
        apsw.Connection(str(path)).execute(script)
    options = {"resource_profile": profile.value}
    with pytest.raises(SourceError, match=reason) as caught:
        load_source(path, SourceOptions.from_options(options))
    assert caught.value.code == "foreign_key_invalid"
    assert "unsupported=skip leaves it out" in caught.value.hint

    source = load_source(path, SourceOptions.from_options({**options, "unsupported": Unsupported.SKIP.value}))
    assert [key.label for key in source.schema.foreign_keys] == ["c(q) -> c(id)"]
    (warning,) = [each for each in source.warnings if reason in each.message]
    assert warning.code == "unsupported_skipped"
    graph = build_initial_graph(source.schema, source.tables, match_references(source.schema, source.tables))
    assert (graph.node_count, graph.edge_count) == (1, 1)


def test_a_dump_of_one_table_builds_without_its_key() -> None:
    path = CASES / "32-key-to-a-table-that-is-not-there" / "input.sql"
    with pytest.raises(SourceError, match="no table gone") as caught:
        load_source(path)
    assert "unsupported=skip" in caught.value.hint
    source = load_source(path, SourceOptions(unsupported=Unsupported.SKIP))
    assert (source.row_count, source.schema.foreign_keys) == (1, ())
    assert "gone" in source.warnings[0].message


@pytest.mark.parametrize("create", ["CREATE", "CREATE/**/", "create -- TRIGGER\n temp"])
@pytest.mark.parametrize("end", ["END;", "/* END; */ END ;", "-- END;\nEND -- x\n;", "end"])
def test_rows_after_a_trigger_that_is_left_out_are_read(tmp_path: Path, create: str, end: str) -> None:
    body = "SELECT CASE WHEN 1 THEN ';' END; INSERT INTO t VALUES (7,'y',0); INSERT INTO t VALUES (8,'z',0);"
    trigger = f"{create} TRIGGER r AFTER DELETE ON t BEGIN {body} {end}"
    inserts = "" if end == "end" else "\nINSERT INTO t VALUES (1,'x',0);"
    source = load_source(written(tmp_path, TABLE + trigger + inserts), SourceOptions(unsupported=Unsupported.SKIP))
    assert source.row_count == (0 if end == "end" else 1)


def test_a_trigger_that_never_ends_is_refused(tmp_path: Path) -> None:
    script = f"{TABLE}CREATE TRIGGER r AFTER DELETE ON t BEGIN SELECT 1;\nINSERT INTO t VALUES (1,'x',0);"
    with pytest.raises(SourceError, match="line 2: what begins here never ends with END"):
        load_source(written(tmp_path, script), SourceOptions(unsupported=Unsupported.SKIP))
