"""Errors say where they arose: file, line, table and column, as far as these are known."""

from pathlib import Path

import apsw
import pytest

from app.errors import SourceError
from app.sources.load import load_source
from app.sources.options import ResourceProfile, SourceOptions, Unsupported

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, v NOT NULL CHECK (v <> 9), w UNIQUE);\n"
WITHOUT_ROWID = "CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID;\n"
PAIR = "CREATE TABLE t (a, b, PRIMARY KEY (a, b));\n"

PLACES = {
    "a key that is there already": (TABLE + "INSERT INTO t VALUES\n(1,1,1),\n(2,2,2),\n(1,1,5);", 5, "t", "id"),
    "a unique column": (TABLE + "INSERT INTO t VALUES\n(1,1,1),\n(2,2,1);", 4, "t", "w"),
    "a pair of columns": (PAIR + "INSERT INTO t VALUES (1,1),\n(1,1);", 3, "t", ["a", "b"]),
    "a name that is spelled otherwise": (TABLE + 'INSERT INTO "T"(w,v) VALUES (1,1),\n(2,NULL);', 3, "t", "v"),
    "a rule": (TABLE + "INSERT INTO t VALUES (1,1,1),\n(2,9,2);", 3, "t", None),
    "a row id that is not an integer": (TABLE + "INSERT INTO t VALUES (1,1,1),\n('a',2,2);", 3, "t", "id"),
    "a row of another width": (TABLE + "INSERT INTO t VALUES (1,1,1),\n(2,2);", 3, "t", None),
    "a row after a broken line": (TABLE + "INSERT INTO t VALUES (1,1,'a\nb'),\n/* (2) */ (1,1,2);", 4, "t", "id"),
    "a text in a strict table": ("CREATE TABLE t (a INT) STRICT;\nINSERT INTO t VALUES (1),\n('x');", 3, "t", "a"),
    "a rule that keeps rows": (
        "CREATE TABLE t (a UNIQUE ON CONFLICT FAIL);INSERT INTO t VALUES (1),\n(1);",
        2,
        "t",
        "a",
    ),
    "the second of two statements": (
        TABLE + "INSERT INTO t VALUES (1,1,1);\nINSERT INTO t VALUES (1,1,2);",
        3,
        "t",
        "id",
    ),
    "an index": (TABLE + "INSERT INTO t VALUES (1,1,1),(2,1,2);\nCREATE UNIQUE INDEX i ON T (v);", 3, "t", "v"),
    "a table that is not there": (TABLE + "\nINSERT INTO u VALUES (1);", 3, "u", None),
    "a definition": (TABLE + "\nCREATE TABLE u (a, a);", 3, "u", None),
    "an open quote": (TABLE + "\nCREATE TABLE u (a 'b);", 3, "u", None),
    "a generated column": (TABLE + "CREATE TABLE u (a, b AS (a));", 2, "u", "b"),
    "a call": (TABLE + "INSERT INTO t VALUES (1,1,1),\n(2,abs(2),2);", 3, "t", "v"),
    "a call for a listed column": (TABLE + "INSERT INTO t ([w], id, v) VALUES (abs(2),2,2);", 2, "t", "w"),
    "a value too many": (TABLE + "INSERT INTO t VALUES (1,1,1,abs(1));", 2, "t", None),
    "another statement": (TABLE + "\nDELETE FROM t;", 3, "t", None),
    "bytes": (TABLE + "INSERT INTO t VALUES (1,1,1),\n(2,X'00',2);", 3, "t", "v"),
    "an infinite number": (
        TABLE + "INSERT INTO t(id,v) VALUES (8,1);\nINSERT INTO t(id,v) VALUES (7,1e999);",
        3,
        "t",
        "v",
    ),
    "an infinite number in a table without row ids": (
        WITHOUT_ROWID + "INSERT INTO t VALUES ('b',1),\n('a',-1e999);",
        3,
        "t",
        "v",
    ),
    "a reference": (TABLE + "\nCREATE TABLE u (a REFERENCES t (z));", 3, "u", None),
}


def refused(path: Path, options: SourceOptions | None = None) -> dict[str, object]:
    with pytest.raises(SourceError) as caught:
        load_source(path, options)
    return caught.value.where


@pytest.mark.parametrize(("text", "line", "table", "column"), PLACES.values(), ids=PLACES.keys())
def test_where_a_script_is_refused(tmp_path: Path, text: str, line: int, table: str, column: object) -> None:
    path = tmp_path / "x.sql"
    path.write_text(text, encoding="utf-8")
    where = refused(path)

    assert (where["file"], where["line"], where["table"]) == ("x.sql", line, table)
    named = "columns" if isinstance(column, list) else "column"
    if where.keys() >= {"ref_table"}:
        assert (where["columns"], where["ref_table"]) == (["a"], "t")
    else:
        assert where.get(named) == column


@pytest.mark.parametrize(
    "statement", ["CREATE VIEW v AS SELECT 1", "CREATE TRIGGER v AFTER DELETE ON t BEGIN SELECT 1; END"]
)
def test_where_an_object_is_refused(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "x.sql"
    path.write_text(f"{TABLE}\n{statement};", encoding="utf-8")

    assert refused(path) == {"file": "x.sql", "line": 3, "object": "v"}


def test_the_row_is_found_beside_bytes_that_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.sql"
    path.write_text(f"{TABLE}INSERT INTO t VALUES (3,X'00',1),\n(9,1,2),\n(7,1e999,3);", encoding="utf-8")

    where = refused(path, SourceOptions(unsupported=Unsupported.SKIP))
    assert where == {"file": "x.sql", "line": 4, "table": "t", "column": "v", "row": 7}


@pytest.mark.parametrize("profile", ResourceProfile)
@pytest.mark.parametrize(
    "statement",
    ["CREATE VIEW v AS SELECT 1", "CREATE TABLE c (a REFERENCES t (z))", "INSERT INTO t VALUES (1, X'00', 1)"],
)
def test_errors_of_images_name_the_file(tmp_path: Path, profile: ResourceProfile, statement: str) -> None:
    path = tmp_path / "x.db"
    connection = apsw.Connection(str(path))
    connection.execute(TABLE + statement)
    connection.close()

    assert refused(path, SourceOptions.from_options({"resource_profile": profile.value}))["file"] == "x.db"


@pytest.mark.parametrize(
    "options",
    [
        {"primary_key": ["a"]},
        {"primary_key": ["z"]},
        {"foreign_keys": [{"columns": ["b"], "ref_table": "u", "ref_columns": ["c"]}]},
        {"column_types": {"z": "EUR"}},
    ],
)
def test_errors_about_tables_of_csv_files_name_the_file(tmp_path: Path, options: dict[str, object]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n1,3\n", encoding="utf-8")
    where = refused(path, SourceOptions.from_options(options))

    assert (where["file"], where["table"]) == ("t.csv", "t")


def test_errors_about_inline_tables_name_no_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n", encoding="utf-8")
    inline = {"name": "u", "columns": ["k"], "rows": [{"k": 1}, {"k": 1}], "primary_key": ["k"], "foreign_keys": []}
    where = refused(path, SourceOptions.from_options({"tables": [inline]}))

    assert where["table"] == "u"
    assert "file" not in where


def test_errors_about_tables_of_a_bundle_name_their_file(tmp_path: Path) -> None:
    for name in ("p", "c"):
        (tmp_path / f"{name}.csv").write_text("id\n1\n1\n", encoding="utf-8")
    tables = [
        {"file_name": f"{name}.csv", "name": name, "columns": ["id"], "primary_key": key, "foreign_keys": []}
        for name, key in (("p", []), ("c", ["id"]))
    ]
    options = SourceOptions.from_options({"csv_schema": {"version": "csv_bundle.v1", "tables": tables}})

    assert refused(tmp_path, options)["file"] == "c.csv"
