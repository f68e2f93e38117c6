"""unsupported=skip: views and triggers are left out, BLOBs become NULL, each is named, and the oracle sees the same."""

from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import CellInvalidError, InvalidOptionError, SqlUnsupportedError
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, WarningCode

SKIP = SourceOptions.from_options({"unsupported": "skip"})
FULL_SCALE = SourceOptions.from_options({"unsupported": "skip", "resource_profile": "full_scale"})
SCRIPT = """
CREATE TABLE p (id INTEGER PRIMARY KEY, code TEXT COLLATE NOCASE UNIQUE, pic BLOB NOT NULL);
CREATE TABLE c (id BLOB PRIMARY KEY, p INTEGER NOT NULL REFERENCES p, code TEXT REFERENCES p (code), n NUMERIC)
WITHOUT ROWID;
DROP VIEW IF EXISTS "the view";
CREATE VIEW "the view" AS SELECT ';' AS x FROM p;
CREATE TEMP TRIGGER IF NOT EXISTS [tr] AFTER INSERT ON p BEGIN
  INSERT INTO c VALUES (1, 1, CASE WHEN 1 THEN 'END' ELSE ';' END, 1); SELECT 1; -- END;
END;
SELECT * FROM p;
INSERT INTO p VALUES (2, 'b', X'00'), (1, 'a', 'text'), (3, NULL, x'');
INSERT INTO c VALUES (X'01', 1, 'A', 1.5), ('k', 2, NULL, X'FF');
"""


def database(folder: Path, script: str) -> Path:
    path = folder / "x.db"
    path.unlink(missing_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute(script.replace("TEMP TRIGGER", "TRIGGER").replace("AFTER INSERT", "AFTER DELETE"))
    connection.close()
    return path


def script(folder: Path, text: str) -> Path:
    path = folder / "x.sql"
    path.write_text(text)
    return path


def rows(source: RelationalSource, table: str) -> list[tuple[object, ...]]:
    return list(zip(*(each.to_list() for each in source.tables[table].columns.values()), strict=True))


def skipped(source: RelationalSource) -> list[str]:
    return [each.message for each in source.warnings if each.code is WarningCode.UNSUPPORTED_SKIPPED]


FILES = {"script": script, "image": database}


@pytest.mark.parametrize("kind", FILES)
def test_rows_stay_and_blobs_become_null(tmp_path: Path, kind: str) -> None:
    source = load_source(FILES[kind](tmp_path, SCRIPT), SKIP)

    assert rows(source, "p") == [(1, "a", "text"), (2, "b", None), (3, None, None)]
    assert sorted(rows(source, "c"), key=str) == sorted([(None, 1, "A", 1.5), ("k", 2, None, None)], key=str)
    assert skipped(source) == [
        "The view the view is left out.",
        "The trigger tr is left out.",
        "Table p, column pic: 2 cells with binary data read as NULL.",
        "Table c, column id: 1 cell with binary data read as NULL.",
        "Table c, column n: 1 cell with binary data read as NULL.",
    ]


def test_keys_and_references_stay(tmp_path: Path) -> None:
    source = load_source(script(tmp_path, SCRIPT), SKIP)
    parent, child = source.schema.table("p"), source.schema.table("c")

    assert (parent.primary_key, parent.unique_keys) == (("id",), (("id",), ("code",)))
    assert child.primary_key == ()
    assert WarningCode.UNRELIABLE_PRIMARY_KEY in [each.code for each in source.warnings]
    assert [key.label for key in child.foreign_keys] == ["c(p) -> p(id)", "c(code) -> p(code)"]
    assert [column.declared_type for column in child.columns] == ["BLOB", "INTEGER", "TEXT", "NUMERIC"]
    assert [(column.name, column.not_null) for column in parent.columns] == [
        ("id", False),
        ("code", False),
        ("pic", False),
    ]
    assert parent.column("code").collation == "NOCASE"


def test_the_image_for_queries_holds_the_same_nulls(tmp_path: Path) -> None:
    source = load_source(script(tmp_path, SCRIPT), SKIP)
    assert isinstance(source.image, bytes)
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", source.image)

    assert connection.execute("SELECT id, code, pic FROM p ORDER BY id").fetchall() == rows(source, "p")
    assert connection.execute("SELECT count(*) FROM c WHERE typeof(n) = 'blob' OR typeof(id) = 'blob'").fetchall() == [
        (0,)
    ]


def test_nothing_to_skip_leaves_the_image_as_it_is(tmp_path: Path) -> None:
    path = database(tmp_path, "CREATE TABLE t (id INTEGER PRIMARY KEY, a BLOB); INSERT INTO t VALUES (5, 'x');")
    source = load_source(path, SKIP)

    assert source.image == path.read_bytes()
    assert source.warnings == ()
    assert source.logical_digest == load_source(path).logical_digest


def test_a_file_read_in_place_leaves_views_out_and_refuses_blobs(tmp_path: Path) -> None:
    table = "CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE VIEW v AS SELECT 1; INSERT INTO t VALUES (5, {});"

    assert skipped(load_source(database(tmp_path, table.format("1")), FULL_SCALE)) == ["The view v is left out."]
    with pytest.raises(CellInvalidError, match="holds a BLOB") as caught:
        load_source(database(tmp_path, table.format("X'00'")), FULL_SCALE)
    assert "source in memory" in caught.value.hint


@pytest.mark.parametrize("what", ["VIRTUAL TABLE v USING fts5(a)", "TABLE v (a, b AS (a + 1))", "TABLE v AS SELECT 1"])
def test_everything_else_is_refused_as_before(tmp_path: Path, what: str) -> None:
    with pytest.raises(SqlUnsupportedError):
        load_source(script(tmp_path, f"CREATE TABLE t (a);\nCREATE {what};"), SKIP)


def test_a_trigger_that_never_ends(tmp_path: Path) -> None:
    text = "CREATE TABLE t (a INTEGER);\nCREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; SELECT 2;\n"
    source = load_source(script(tmp_path, text), SKIP)

    assert list(source.tables) == ["t"]


@pytest.mark.parametrize("value", ["SKIP", "ignore", True, None])
def test_the_option_is_strict(value: object) -> None:
    with pytest.raises(InvalidOptionError, match="unsupported must be error or skip"):
        SourceOptions.from_options({"unsupported": value})


CELLS = st.one_of(st.none(), st.integers(-9, 9), st.sampled_from(["a", "B", ""]), st.binary(max_size=2))


@given(cells=st.lists(st.tuples(CELLS, CELLS), max_size=9))
def test_random_cells(tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[object, object]]) -> None:
    path = tmp_path_factory.mktemp("cells") / "x.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE t (a, b NUMERIC)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", cells)
    connection.close()

    source = load_source(path, SKIP)
    assert rows(source, "t") == [tuple(None if isinstance(cell, bytes) else cell for cell in row) for row in cells]
    assert len(skipped(source)) == sum(any(isinstance(row[place], bytes) for row in cells) for place in (0, 1))
