"""A database with changes beside it is refused, and nothing beside it is touched."""

import shutil
from pathlib import Path

import apsw
import pytest

from app.errors import SourceIncompleteError
from app.inspect.preview.preview import preview_source
from app.sources.load import load_source
from app.sources.options import ResourceProfile, SourceOptions
from app.sources.relational_source import WarningCode

PROFILES = [SourceOptions.from_options({"resource_profile": profile.value}) for profile in ResourceProfile]


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def run(connection: apsw.Connection, statements: str) -> None:
    connection.execute(statements).fetchall()


def in_use(path: Path, mode: str) -> apsw.Connection:
    """A database with one row in the file, and a second one on its way into it."""
    connection = apsw.Connection(str(path))
    run(connection, f"PRAGMA journal_mode = {mode}; PRAGMA cache_size = 1; CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    run(connection, "INSERT INTO t VALUES (1, 'kept'); PRAGMA wal_checkpoint(TRUNCATE)")
    return connection


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    (tmp_path / "copies").mkdir()
    return tmp_path / "copies"


@pytest.mark.parametrize("options", PROFILES, ids=[profile.value for profile in ResourceProfile])
def test_changes_in_a_wal_file_are_not_overlooked(tmp_path: Path, copies: Path, options: SourceOptions) -> None:
    connection = in_use(tmp_path / "w.db", "WAL")
    run(connection, "INSERT INTO t VALUES (2, 'new')")
    for name in ("w.db", "w.db-wal"):
        shutil.copy(tmp_path / name, copies)
    before = held(copies)
    (tmp_path / "link.db").symlink_to(copies / "w.db")

    for path in (copies / "w.db", tmp_path / "link.db"):
        with pytest.raises(SourceIncompleteError, match=r"w\.db-wal") as caught:
            load_source(path, options)
        assert "wal_checkpoint" in caught.value.hint
    with pytest.raises(SourceIncompleteError):
        preview_source(copies / "w.db")
    assert held(copies) == before
    run(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert load_source(tmp_path / "w.db", options).row_count == 2
    connection.close()


@pytest.mark.parametrize("options", PROFILES, ids=[profile.value for profile in ResourceProfile])
def test_half_a_change_is_not_read(tmp_path: Path, copies: Path, options: SourceOptions) -> None:
    connection = in_use(tmp_path / "j.db", "DELETE")
    run(connection, "BEGIN; UPDATE t SET v = 'changed'")
    run(
        connection,
        "INSERT INTO t (v) WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000) SELECT x FROM n",
    )
    connection.cache_flush()
    for name in ("j.db", "j.db-journal"):
        shutil.copy(tmp_path / name, copies)
    before = held(copies)

    with pytest.raises(SourceIncompleteError, match=r"j\.db-journal"):
        load_source(copies / "j.db", options)
    assert held(copies) == before
    run(connection, "ROLLBACK")
    connection.close()


@pytest.mark.parametrize("options", PROFILES, ids=[profile.value for profile in ResourceProfile])
def test_side_files_without_changes_mean_nothing(tmp_path: Path, options: SourceOptions) -> None:
    in_use(tmp_path / "p.db", "PERSIST").close()
    (tmp_path / "p.db-wal").write_bytes(b"")
    assert (tmp_path / "p.db-journal").stat().st_size > 0

    assert load_source(tmp_path / "p.db", options).row_count == 1


def test_an_upload_in_wal_mode_is_warned_of(tmp_path: Path, copies: Path) -> None:
    in_use(tmp_path / "w.db", "WAL").close()
    shutil.copy(tmp_path / "w.db", copies)
    source = load_source(copies / "w.db")

    assert (source.row_count, source.notes) == (1, ())
    (warning,) = source.warnings
    assert (warning.code, warning.where, warning.count) == (WarningCode.WAL_MODE, {"file": "w.db"}, 0)
