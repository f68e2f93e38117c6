"""A build job: its folder, what is written into it, and the interface that runs it.

A job depends on nothing but its folder, so that another backend may run it on another machine:

    job.json        what to do, written before the job starts
    progress.json   the latest step, replaced while it runs
    receipt.json    {build_id, file, sha256, summary} or {build_id, failure_code, error}, written last
    graph.json, evolution-report.json   the products
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from app.build.output import FAILED_REPORT_FILE, GRAPH_FILE, REPORT_FILE
from app.build.progress import Progress
from app.errors import WorkerLostError
from app.store.servers.files import write_private
from app.values import canonical_json

_HASH_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class JobOrder:
    """What job.json says: build `source` with these complete options into the job's own folder.

    `source_name` is what the user calls a file that is kept under another name.
    """

    build_id: str
    source: str
    options: Mapping[str, Any]
    source_name: str | None = None


@dataclass(frozen=True, slots=True)
class JobReceipt:
    """How a job ended: the digest of its graph file and a summary, or an error document."""

    build_id: str
    sha256: str | None = None
    file: str | None = None
    summary: Mapping[str, Any] | None = None
    failure_code: str | None = None
    error: Mapping[str, Any] | None = None


class JobFolder:
    """Reads and writes the files of one job."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def graph(self) -> Path:
        """The graph that the job makes."""
        return self.path / GRAPH_FILE

    @property
    def report(self) -> Path:
        """The report of the job, of a failed one too."""
        failed = self.path / FAILED_REPORT_FILE
        return failed if failed.is_file() else self.path / REPORT_FILE

    def write_order(self, order: JobOrder) -> None:
        """Make the folder and say what the job is to do."""
        self.path.mkdir(parents=True)
        self._write("job.json", asdict(order))

    def read_order(self) -> JobOrder:
        """What the job is to do."""
        return JobOrder(**json.loads((self.path / "job.json").read_text(encoding="utf-8")))

    def write_progress(self, step: Progress) -> None:
        """Replace the latest step."""
        self._write("progress.json", asdict(step))

    def read_progress(self) -> Progress | None:
        """The latest step, or None before the first."""
        document = self._read("progress.json")
        return None if document is None else Progress(**document)

    def write_success(self, build_id: str, summary: Mapping[str, Any]) -> None:
        """State the graph file and its digest, after it is whole on disk."""
        self._write("receipt.json", asdict(JobReceipt(build_id, file_sha256(self.graph), GRAPH_FILE, summary)))

    def write_failure(self, build_id: str, error: Mapping[str, Any]) -> None:
        """State why there is no graph; `error` has `code` and `message`."""
        self._write("receipt.json", asdict(JobReceipt(build_id, failure_code=str(error["code"]), error=error)))

    def read_receipt(self, build_id: str) -> JobReceipt:
        """The job's own valid receipt; `WorkerLostError` if there is none, or if it doesn't fit the graph."""
        document = self._read("receipt.json")
        if document is None:
            raise WorkerLostError(
                "The build's process ended without a receipt.",
                hint="It was killed or ran out of memory; build again, with less data or more memory.",
                build=build_id,
            )
        receipt = JobReceipt(**document)
        if receipt.build_id != build_id:
            raise WorkerLostError("The receipt belongs to another build.", build=build_id)
        if receipt.failure_code is None and (receipt.file != GRAPH_FILE or not self._holds(receipt.sha256)):
            raise WorkerLostError("The graph file is not the one that the receipt names.", build=build_id)
        return receipt

    def _holds(self, sha256: str | None) -> bool:
        return self.graph.is_file() and file_sha256(self.graph) == sha256

    def _write(self, name: str, document: Mapping[str, Any]) -> None:
        write_private(self.path / name, canonical_json(document))

    def _read(self, name: str) -> dict[str, Any] | None:
        try:
            document: dict[str, Any] = json.loads((self.path / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return document


class RunningJob(Protocol):
    """A job that was started."""

    def wait(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds; True once the job has ended, however it ended."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...


class JobRunner(Protocol):
    """A backend that runs jobs; the local one uses child processes."""

    def start(self, folder: Path) -> RunningJob:
        """Start the job whose order lies in `folder`."""
        ...


def file_sha256(path: Path) -> str:
    """The hexadecimal SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_HASH_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
