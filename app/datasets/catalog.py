"""The datasets of one owner on disk: each a folder with the uploaded file as it came and a small description.

    <data dir>/users/<owner>/datasets/<dataset_id>/{dataset.json, source.<ext>, construction/…}

Identifiers are generated; no name that a user sends becomes part of a path. A dataset appears by one rename of its
complete folder, so that an upload cut off half way leaves none.
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
from typing import BinaryIO, Self

from app.errors import NotFoundError, SourceEmptyError, UploadTooLargeError
from app.store.files import make_private_folder, write_private
from app.values import canonical_json

_DATASET_ID = re.compile(r"ds_[0-9a-f]{20}")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")
_INCOMING = ".incoming-"
_RECORD = "dataset.json"


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """What dataset.json says: `file_name` is the user's own, `source_file` the name it is kept under."""

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
        """The uploaded file, byte for byte."""
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
        """The dataset of that identity; `NotFoundError` where there is none."""
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


class Upload:
    """One upload: written to disk, counted and hashed chunk by chunk; nothing of it stays unless it is finished."""

    def __init__(self, datasets: Path, file_name: str, max_bytes: int) -> None:
        self._dataset_id = "ds_" + secrets.token_hex(10)
        self._datasets, self._max_bytes = datasets, max_bytes
        self._file_name = file_name.replace("\\", "/").rsplit("/", 1)[-1][:255] or "source"
        self._source_file = "source" + _safe_suffix(self._file_name)
        self._staging = datasets / (_INCOMING + self._dataset_id)
        self._size, self._digest = 0, hashlib.sha256()
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        make_private_folder(self._staging)
        self._file = (self._staging / self._source_file).open("xb")
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._close()
        shutil.rmtree(self._staging, ignore_errors=True)

    def write(self, chunk: bytes) -> None:
        """Append to the file; `UploadTooLargeError` before a byte over the limit is written."""
        self._size += len(chunk)
        if self._size > self._max_bytes:
            raise UploadTooLargeError(
                f"The upload is larger than the {self._max_bytes:,} bytes this server takes.",
                hint="Raise GRAPHWRIGHT_MAX_UPLOAD_BYTES, or build the file with the command line.",
                limit=self._max_bytes,
            )
        assert self._file is not None, "use the upload as a context manager"
        self._digest.update(chunk)
        self._file.write(chunk)

    def finish(self) -> Dataset:
        """Turn what was written into a dataset."""
        if not self._size:
            raise SourceEmptyError("The uploaded file is empty.", file=self._file_name)
        self._close()
        record = DatasetRecord(
            self._dataset_id,
            self._file_name,
            self._source_file,
            self._size,
            self._digest.hexdigest(),
            datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        write_private(self._staging / _RECORD, canonical_json(asdict(record)))
        folder = self._datasets / self._dataset_id
        self._staging.rename(folder)
        return Dataset(record, folder)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _safe_suffix(file_name: str) -> str:
    suffix = Path(file_name).suffix
    return suffix.lower() if _SUFFIX.fullmatch(suffix) else ""


def _load(folder: Path) -> Dataset:
    return Dataset(DatasetRecord(**json.loads((folder / _RECORD).read_text(encoding="utf-8"))), folder)
