"""Previews of SQLite images: read in place, with what cannot be shown named or refused."""

from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from app.errors import SourceDamagedError, SourceEmptyError, SourceError, SourceFormatError, SqlUnsupportedError
from app.inspect.preview.model import SourcePreview
from app.inspect.preview.preview import preview_source


def image(path: Path, script: str) -> Path:
    connection = apsw.Connection(str(path))
    connection.execute(script).fetchall()
    connection.close()
    return path


def preview(path: Path, script: str) -> SourcePreview:
    return preview_source(image(path / "i.db", script))


def test_structure_rows_and_comments(tmp_path: Path) -> None:
    found = preview(
        tmp_path,
        """CREATE TABLE parent (b INTEGER, a TEXT NOT NULL, PRIMARY KEY (a, b));
        CREATE TABLE child (
            id INTEGER PRIMARY KEY, -- the key
            x TEXT /* of its parent */ COLLATE NOCASE, y INTEGER,
            FOREIGN KEY (x, y) REFERENCES parent, FOREIGN KEY (y) REFERENCES other (z)
        ) STRICT;
        INSERT INTO parent VALUES (1, 'p'), (2, 'q');""",
    )
    parent, child = found.tables
    assert (found.kind, found.dialect, found.warnings) == ("sqlite_image", "sqlite", ())
    assert (parent.primary_key, parent.row_count, parent.rows) == (("a", "b"), 2, ((1, "p"), (2, "q")))
    assert [(column.name, column.declared_type, column.not_null) for column in parent.columns] == [
        ("b", "INTEGER", False),
        ("a", "TEXT", True),
    ]
    assert {column.name: column.comment for column in child.columns} == {"id": "the key", "x": "of its parent", "y": ""}
    assert [(key.columns, key.ref_table, key.ref_columns) for key in child.references] == [
        (("x", "y"), "parent", ()),
        (("y",), "other", ("z",)),
    ]


def test_cells(tmp_path: Path) -> None:
    found = preview(
        tmp_path,
        """CREATE TABLE t (a, b);
        INSERT INTO t VALUES (x'00ff', 9007199254740993), (1e999, -9007199254740993), (CAST(x'c328' AS TEXT), 1.5),
        ('ü' || hex(zeroblob(400)), NULL), ('last', 'shown'), ('not', 'shown');""",
    )
    assert found.tables[0].row_count == 6
    assert found.tables[0].rows == (
        ("‹binary, 2 bytes›", "9007199254740993"),
        ("‹not a finite number›", "-9007199254740993"),
        ("‹text that is not UTF-8›", 1.5),
        ("ü" + "0" * 298 + "…", None),
        ("last", "shown"),
    )


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_texts_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    found = preview(
        tmp_path,
        f"""PRAGMA encoding = '{encoding}'; CREATE TABLE "é" ("ü" TEXT -- größe
        ); INSERT INTO "é" VALUES ('é€😀'), ('a' || char(0) || 'b'), (replace(hex(zeroblob(200)), '0', '😀')), ('');""",
    )
    (only,) = found.tables
    assert (only.name, only.columns[0].name, only.columns[0].comment) == ("é", "ü", "größe")
    assert only.rows == (("é€😀",), ("a\0b",), ("😀" * 299 + "…",), ("",))


def test_objects_that_are_no_tables_are_named(tmp_path: Path) -> None:
    found = preview(
        tmp_path,
        """CREATE TABLE t (a); CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE f USING fts5(x);
        CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END; INSERT INTO t VALUES (1);""",
    )
    assert [table.name for table in found.tables] == ["t"]
    messages = [warning.message for warning in found.warnings]
    assert messages[:3] == [
        "The view v is not shown.",
        "The trigger r is not shown.",
        "The virtual table f is not shown.",
    ]
    assert all(message.startswith("The shadow table f_") for message in messages[3:])


def test_generated_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SqlUnsupportedError, match="generated column"):
        preview(tmp_path, "CREATE TABLE t (a, b AS (a + 1));")


def test_an_image_without_tables(tmp_path: Path) -> None:
    with pytest.raises(SourceEmptyError):
        preview(tmp_path, "CREATE TABLE t (a); DROP TABLE t;")


def test_odd_names(tmp_path: Path) -> None:
    found = preview(tmp_path, 'CREATE TABLE "a""b; --" ("select" TEXT, "x y" -- beside\n);')
    assert found.tables[0].name == 'a"b; --'
    assert [(column.name, column.comment) for column in found.tables[0].columns] == [("select", ""), ("x y", "beside")]


def test_a_value_that_is_too_large(tmp_path: Path) -> None:
    found = preview(tmp_path, "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(9000000)), (1);")
    assert (found.tables[0].rows, found.tables[0].row_count) == ((("‹binary, 9,000,000 bytes›",), (1,)), 2)
    found = preview_source(
        image(tmp_path / "j.db", "CREATE TABLE t (a TEXT); INSERT INTO t VALUES (hex(zeroblob(9000000)));")
    )
    assert found.tables[0].rows == ()
    assert "more than" in found.warnings[0].message


def test_the_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = image(tmp_path / "i.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (a); PRAGMA wal_checkpoint = TRUNCATE;")
    for beside in tmp_path.glob("i.db-*"):
        beside.unlink()
    before = path.read_bytes()
    preview_source(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["i.db"]


def test_an_image_under_another_name(tmp_path: Path) -> None:
    path = image(tmp_path / "dump.sql", "CREATE TABLE t (a);")
    assert preview_source(path).kind == "sqlite_image"


def test_bytes_that_are_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("id,name\n")
    with pytest.raises(SourceFormatError, match="not a SQLite database"):
        preview_source(tmp_path / "a.db")
    (tmp_path / "b.db").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 10)
    with pytest.raises(SourceFormatError):
        preview_source(tmp_path / "b.db")


def test_crafted_pages(tmp_path: Path) -> None:
    """Any byte of the image changed: a preview or a named error."""
    path = image(
        tmp_path / "i.db", "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'); CREATE TABLE u (c);"
    )
    whole = path.read_bytes()
    for at in (*range(16, 128), *range(128, len(whole), 211)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with suppress(SourceError):
            preview_source(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceDamagedError):
        preview_source(path)


def test_wal_mode_is_warned_of(tmp_path: Path) -> None:
    found = preview(tmp_path, "PRAGMA journal_mode = WAL; CREATE TABLE t (a);")
    assert [warning.code for warning in found.warnings] == ["wal_mode"]
