"""unsupported=skip: views and triggers are left out, BLOBs become NULL, each is named, and the oracle sees the same."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidOptionError, SqlUnsupportedError
from app.oracle.sqlite_oracle import SqliteOracle
from app.sources.files.input_file import InputFile
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, WarningCode
from app.sources.sqlite.copies.private_folder import CopiedFile

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


WAYS = {"script": (script, SKIP), "image in memory": (database, SKIP), "image in place": (database, FULL_SCALE)}
each_way = pytest.mark.parametrize(("write", "options"), WAYS.values(), ids=WAYS)
Write = Callable[[Path, str], Path]


@each_way
def test_rows_stay_and_blobs_become_null(tmp_path: Path, write: Write, options: SourceOptions) -> None:
    source = load_source(write(tmp_path, SCRIPT), options)

    assert rows(source, "p") == [(1, "a", "text"), (2, "b", None), (3, None, None)]
    assert sorted(rows(source, "c"), key=str) == sorted([(None, 1, "A", 1.5), ("k", 2, None, None)], key=str)
    assert skipped(source) == [
        "The view the view is left out.",
        "The trigger tr is left out.",
        "Table p, column pic: 2 cells with binary data read as NULL.",
        "Table c, column id: 1 cell with binary data read as NULL.",
        "Table c, column n: 1 cell with binary data read as NULL.",
    ]


@each_way
def test_keys_and_references_stay(tmp_path: Path, write: Write, options: SourceOptions) -> None:
    source = load_source(write(tmp_path, SCRIPT), options)
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


@each_way
def test_the_image_for_queries_holds_the_same_nulls(tmp_path: Path, write: Write, options: SourceOptions) -> None:
    source = load_source(write(tmp_path, SCRIPT), options)
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", source.image.content() if isinstance(source.image, CopiedFile) else source.image)

    assert connection.execute("SELECT id, code, pic FROM p ORDER BY id").fetchall() == rows(source, "p")
    assert connection.execute("SELECT count(*) FROM c WHERE typeof(n) = 'blob' OR typeof(id) = 'blob'").fetchall() == [
        (0,)
    ]


@pytest.mark.parametrize("options", [SKIP, FULL_SCALE], ids=["in memory", "in place"])
def test_nothing_to_skip_leaves_the_image_as_it_is(tmp_path: Path, options: SourceOptions) -> None:
    path = database(tmp_path, "CREATE TABLE t (id INTEGER PRIMARY KEY, a BLOB); INSERT INTO t VALUES (5, 'x');")
    source = load_source(path, options)

    image = source.image.content() if isinstance(source.image, InputFile) else source.image
    assert image == path.read_bytes()
    assert source.warnings == ()
    assert source.logical_digest == load_source(path).logical_digest


def test_a_private_copy_goes_with_its_source(tmp_path: Path) -> None:
    path = database(tmp_path, "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (5, X'00');")
    source = load_source(path, FULL_SCALE)
    assert isinstance(source.image, CopiedFile)
    copy = source.image.path
    with SqliteOracle.over_image(source.image):
        assert copy.parent.stat().st_mode & 0o077 == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.db"]

    del source
    gc.collect()
    assert not copy.parent.exists()


LOAD = """
import sys
from pathlib import Path
from app.sources.load import load_source
from app.sources.options import SourceOptions
options = {"unsupported": "skip", "resource_profile": "full_scale"}
source = load_source(Path(sys.argv[1]), SourceOptions.from_options(options))
"""


REFUSED_BEFORE_COPYING = """
import os, sys
from pathlib import Path
from app.errors import SourceError
from app.sources.load import load_source
from app.sources.options import SourceOptions
options = {"unsupported": "skip", "resource_profile": "full_scale", "max_source_rows": 2}
try:
    load_source(Path(sys.argv[1]), SourceOptions.from_options(options))
except SourceError as error:
    print(error.code, flush=True)
    os._exit(0)  # whatever was copied would stay
"""


def test_rows_are_counted_before_anything_is_copied(tmp_path: Path) -> None:
    path, private = database(tmp_path, "CREATE TABLE t (a); INSERT INTO t VALUES (X'00'), (1), (2);"), tmp_path / "p"
    private.mkdir()
    command = [sys.executable, "-c", REFUSED_BEFORE_COPYING, str(path)]
    ran = subprocess.run(command, env={**os.environ, "TMPDIR": str(private)}, capture_output=True, check=True)

    assert ran.stdout == b"source_limit_exceeded\n"
    assert list(private.iterdir()) == []


@pytest.mark.parametrize(("second", "status"), [("5", 0), ("9e999", 1)])
def test_no_private_copy_outlives_the_process(tmp_path: Path, second: str, status: int) -> None:
    path, private = database(tmp_path, f"CREATE TABLE t (a); INSERT INTO t VALUES (X'00'), ({second});"), tmp_path / "p"
    private.mkdir()
    environment = {**os.environ, "TMPDIR": str(private)}
    ran = subprocess.run([sys.executable, "-c", LOAD, str(path)], env=environment, capture_output=True, check=False)

    assert (ran.returncode, b"Infinity" in ran.stderr) == (status, status == 1)
    assert list(private.iterdir()) == []


@pytest.mark.parametrize("what", ["VIRTUAL TABLE v USING fts5(a)", "TABLE v (a, b AS (a + 1))", "TABLE v AS SELECT 1"])
def test_everything_else_is_refused_as_before(tmp_path: Path, what: str) -> None:
    with pytest.raises(SqlUnsupportedError):
        load_source(script(tmp_path, f"CREATE TABLE t (a);\nCREATE {what};"), SKIP)


@pytest.mark.parametrize("value", ["SKIP", "ignore", True, None])
def test_the_option_is_strict(value: object) -> None:
    with pytest.raises(InvalidOptionError, match="unsupported must be error or skip"):
        SourceOptions.from_options({"unsupported": value})


CELLS = st.one_of(st.none(), st.integers(-9, 9), st.sampled_from(["a", "B", ""]), st.binary(max_size=2))


@given(cells=st.lists(st.tuples(CELLS, CELLS), max_size=9), options=st.sampled_from([SKIP, FULL_SCALE]))
def test_random_cells(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[object, object]], options: SourceOptions
) -> None:
    path = tmp_path_factory.mktemp("cells") / "x.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE t (a, b NUMERIC)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", cells)
    connection.close()

    source = load_source(path, options)
    assert rows(source, "t") == [tuple(None if isinstance(cell, bytes) else cell for cell in row) for row in cells]
    assert len(skipped(source)) == sum(any(isinstance(row[place], bytes) for row in cells) for place in (0, 1))
