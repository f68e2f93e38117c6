"""Datasets on disk: uploads that finish, uploads that don't, and names that a user sends."""

import hashlib
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.datasets.catalog import DatasetCatalog
from app.errors import NotFoundError, SourceEmptyError, UploadTooLargeError


@pytest.fixture
def catalog(tmp_path: Path) -> DatasetCatalog:
    return DatasetCatalog(tmp_path, owner="local", max_upload_bytes=1_000)


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_upload_is_kept_byte_for_byte(catalog: DatasetCatalog, tmp_path: Path) -> None:
    content = bytes(range(256)) * 3
    with catalog.receive("my shop.SQLite") as upload:
        upload.write(content[:100])
        upload.write(content[100:])
        dataset = upload.finish()
    assert dataset.source.read_bytes() == content
    record = catalog.get(dataset.dataset_id).record
    assert (record.file_name, record.size_bytes) == ("my shop.SQLite", 768)
    assert record.source_sha256 == hashlib.sha256(content).hexdigest()
    folder = f"users/local/datasets/{dataset.dataset_id}"
    assert files_below(tmp_path) == [f"{folder}/dataset.json", f"{folder}/source.sqlite"]
    assert stat.S_IMODE(dataset.folder.stat().st_mode) == 0o700


def test_datasets_are_listed_oldest_first(catalog: DatasetCatalog) -> None:
    assert catalog.datasets() == []
    made = []
    for number in range(3):
        with catalog.receive(f"{number}.sql") as upload:
            upload.write(b"x")
            made.append(upload.finish())
    assert sorted(catalog.datasets(), key=lambda dataset: dataset.record.file_name) == made


def test_an_upload_that_is_cut_off_leaves_nothing(catalog: DatasetCatalog, tmp_path: Path) -> None:
    with pytest.raises(ConnectionError), catalog.receive("a.sql") as upload:
        upload.write(b"half")
        raise ConnectionError
    assert files_below(tmp_path) == []
    assert catalog.datasets() == []


def test_the_limit_is_counted_while_the_file_streams(catalog: DatasetCatalog, tmp_path: Path) -> None:
    with pytest.raises(UploadTooLargeError, match="1,000 bytes"), catalog.receive("a.sql") as upload:
        upload.write(b"x" * 1_000)
        upload.write(b"y")
    assert files_below(tmp_path) == []


def test_an_empty_file_is_refused(catalog: DatasetCatalog) -> None:
    with pytest.raises(SourceEmptyError), catalog.receive("a.sql") as upload:
        upload.finish()


def test_a_dead_process_s_upload_is_swept(catalog: DatasetCatalog, tmp_path: Path) -> None:
    script = (
        "import os; from pathlib import Path; from app.datasets.catalog import DatasetCatalog\n"
        f"catalog = DatasetCatalog(Path({str(tmp_path)!r}), owner='local', max_upload_bytes=99)\n"
        "with catalog.receive('a.sql') as upload:\n    upload.write(b'never finished')\n    os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    assert len(files_below(tmp_path)) == 1
    catalog.sweep()
    assert files_below(tmp_path) == []


@pytest.mark.parametrize("dataset_id", ["", ".", "..", "../../etc", "ds_", "ds_" + "g" * 20, "ds_" + "0" * 20, "ds_\n"])
def test_unknown_and_hostile_identities_are_not_found(catalog: DatasetCatalog, dataset_id: str) -> None:
    with pytest.raises(NotFoundError):
        catalog.get(dataset_id)


@given(file_name=st.text(max_size=300))
def test_no_name_of_a_user_becomes_a_path(file_name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("data")
    catalog = DatasetCatalog(root, owner="local", max_upload_bytes=10)
    with catalog.receive(file_name.encode("utf-8", "replace").decode()) as upload:
        upload.write(b"x")
        dataset = upload.finish()
    assert dataset.source.parent == dataset.folder == root / "users" / "local" / "datasets" / dataset.dataset_id
    assert dataset.source.name.isascii()
    assert dataset.source.name.startswith("source")
    assert catalog.get(dataset.dataset_id) == dataset
