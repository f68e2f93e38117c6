"""The datasets of one owner on disk: each a folder with the uploaded file as it came and a small description.

    <data dir>/users/<owner>/datasets/<dataset_id>/{dataset.json, source.<ext>, construction/…}
    <data dir>/users/<owner>/datasets/<dataset_id>/{dataset.json, source/{csv_schema.json, …}, construction/…}

Identifiers are generated; of the names that a user sends only those of a CSV bundle's files become part of a path, in a
folder of their own and checked to be plain names. A dataset appears by one rename of its complete folder, so that an
upload cut off half way leaves none.
"""

import hashlib
import json
import re
import secrets
import shutil
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from app.errors import NotFoundError, SourceEmptyError, UploadInvalidError, UploadTooLargeError
from app.sources.declared.bundle import SCHEMA_FILE, bundle_sha256, check_file_names, parse_bundle, read_schema
from app.sources.declared.json_models import MAX_BUNDLE_FILES
from app.store.servers.files import make_private_folder, write_private
from app.values import canonical_json

_DATASET_ID = re.compile(r"ds_[0-9a-f]{20}")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")
_INCOMING = ".incoming-"
_RECORD = "dataset.json"


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """What dataset.json says: `file_name` is the user's own (of a bundle all), `source_file` what it is kept as."""

    dataset_id: str
    file_name: str
    source_file: str
    size_bytes: int
    source_sha256: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset and its folder."""

    record: DatasetRecord
    folder: Path

    @property
    def dataset_id(self) -> str:
        """Its generated identity."""
        return self.record.dataset_id

    @property
    def source(self) -> Path:
        """The uploaded file, byte for byte, or the folder of a CSV bundle's files."""
        return self.folder / self.record.source_file

    @property
    def construction(self) -> Path:
        """Where its graph, report and build status live."""
        return self.folder / "construction"


class DatasetCatalog:
    """Creates, lists and finds the datasets of one owner."""

    def __init__(self, data_dir: Path, *, owner: str, max_upload_bytes: int) -> None:
        self._folder = data_dir / "users" / owner / "datasets"
        self._max_upload_bytes = max_upload_bytes

    def receive(self, file_name: str) -> "Upload":
        """Begin an upload; use the result as a context manager."""
        make_private_folder(self._folder)
        return Upload(self._folder, file_name, self._max_upload_bytes)

    def datasets(self) -> list[Dataset]:
        """All datasets, oldest first."""
        if not self._folder.is_dir():
            return []
        found = [_load(folder) for folder in self._folder.iterdir() if _DATASET_ID.fullmatch(folder.name)]
        return sorted(found, key=lambda dataset: (dataset.record.created_at, dataset.dataset_id))

    def get(self, dataset_id: str) -> Dataset:
        """The dataset of that identity; `NotFoundError` if there is none."""
        folder = self._folder / dataset_id
        if not _DATASET_ID.fullmatch(dataset_id) or not (folder / _RECORD).is_file():
            raise NotFoundError(
                "There is no such dataset.", hint="List them with GET /api/personal-datasets.", dataset=dataset_id[:80]
            )
        return _load(folder)

    def sweep(self) -> None:
        """Remove what uploads left behind that a dead process never finished."""
        for leftover in self._folder.glob(_INCOMING + "*"):
            shutil.rmtree(leftover, ignore_errors=True)


class _UploadedFile:
    """One file of an upload, written and hashed chunk by chunk."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.size, self._digest = 0, hashlib.sha256()
        self._file = path.open("xb")

    def write(self, chunk: bytes) -> None:
        """Append to the file."""
        self.size += len(chunk)
        self._digest.update(chunk)
        self._file.write(chunk)

    def sha256(self) -> str:
        """The digest of what was written."""
        return self._digest.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Upload:
    """One upload: written to disk, counted and hashed chunk by chunk; nothing of it stays unless it is finished."""

    def __init__(self, datasets: Path, file_name: str, max_bytes: int) -> None:
        self._dataset_id = "ds_" + secrets.token_hex(10)
        self._datasets, self._max_bytes = datasets, max_bytes
        self._first_name = file_name
        self._staging = datasets / (_INCOMING + self._dataset_id)
        self._size = 0
        self._parts: list[_UploadedFile] = []

    def __enter__(self) -> Self:
        make_private_folder(self._staging)
        self.next_file(self._first_name)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._close()
        shutil.rmtree(self._staging, ignore_errors=True)

    def next_file(self, file_name: str) -> None:
        """Begin one more file of a bundle; `UploadInvalidError` for more than a bundle can have."""
        if len(self._parts) == MAX_BUNDLE_FILES:
            raise UploadInvalidError(f"The upload has more than {MAX_BUNDLE_FILES} files, the most that a bundle has.")
        self._close()
        name = file_name.replace("\\", "/").rsplit("/", 1)[-1][:255] or "source"
        self._parts.append(_UploadedFile(name, self._staging / f"part-{len(self._parts)}"))

    def write(self, chunk: bytes) -> None:
        """Append to the last file; `UploadTooLargeError` before a byte over the limit of all files is written."""
        self._size += len(chunk)
        if self._size > self._max_bytes:
            raise UploadTooLargeError(
                f"The upload is larger than the {self._max_bytes:,} bytes this server takes.",
                hint="Raise GRAPHWRIGHT_MAX_UPLOAD_BYTES, or build the file with the command line.",
                limit=self._max_bytes,
            )
        self._parts[-1].write(chunk)

    def finish(self, csv_schema: bytes | None = None) -> Dataset:
        """Turn what was written into a dataset: one file, or with `csv_schema` (JSON) a bundle of CSV files.

        Raises `SourceEmptyError`, `CsvSchemaInvalidError`, and `UploadInvalidError` for several files without schema.
        """
        empty = next((part for part in self._parts if not part.size), None)
        if empty is not None:
            raise SourceEmptyError("The uploaded file is empty.", file=empty.name)
        self._close()
        if csv_schema is not None:
            return self._kept("source", self._keep_bundle(csv_schema))
        if len(self._parts) > 1:
            raise UploadInvalidError(
                f"{len(self._parts)} files need a csv_schema that names their tables and keys.",
                hint="curl -F files=@a.csv -F files=@b.csv -F csv_schema=@csv_schema.json …/api/personal-datasets",
            )
        part = self._parts[0]
        source_file = "source" + _safe_suffix(part.name)
        part.path.rename(self._staging / source_file)
        return self._kept(source_file, part.sha256())

    def _keep_bundle(self, csv_schema: bytes) -> str:
        """Put the files under their own names beside their schema, and return the digest of all."""
        document = read_schema(csv_schema)
        check_file_names(parse_bundle(document), [part.name for part in self._parts])
        folder = self._staging / "source"
        make_private_folder(folder)
        (folder / SCHEMA_FILE).write_bytes(csv_schema)
        for part in self._parts:
            part.path.rename(folder / part.name)
        return bundle_sha256(document, {part.name: part.sha256() for part in self._parts})

    def _kept(self, source_file: str, sha256: str) -> Dataset:
        names = ", ".join(part.name for part in self._parts)
        created_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        record = DatasetRecord(self._dataset_id, names[:255], source_file, self._size, sha256, created_at)
        write_private(self._staging / _RECORD, canonical_json(asdict(record)))
        folder = self._datasets / self._dataset_id
        self._staging.rename(folder)
        return Dataset(record, folder)

    def _close(self) -> None:
        for part in self._parts[-1:]:
            part.close()


def _safe_suffix(file_name: str) -> str:
    suffix = Path(file_name).suffix
    return suffix.lower() if _SUFFIX.fullmatch(suffix) else ""


def _load(folder: Path) -> Dataset:
    return Dataset(DatasetRecord(**json.loads((folder / _RECORD).read_text(encoding="utf-8"))), folder)
