"""The output directory of a build: it holds the old result or the new one, whole, at every moment.

New files are written and synced in a hidden folder inside it. A commit first leaves a marker there, then
renames each into place, then removes the marker. Whoever opens the directory next finishes a commit that was cut
short, and clears away a build that never committed.
"""

import errno
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from app.errors import NotFoundError, OutputBusyError, OutputError

GRAPH_FILE = "graph.json"
REPORT_FILE = "evolution-report.json"
FAILED_REPORT_FILE = "evolution-report.failed.json"

_STAGING = ".graphwright-build"
_MARKER = "commit"
_LOCK = "lock"


class OutputDirectory:
    """One build's view of its output directory; made by `open_output`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._staging = path / _STAGING

    def write_report(self, report: str) -> None:
        """Write the report as it is so far, atomically; it is not the directory's report until `commit`."""
        with self._staged(REPORT_FILE) as file:
            file.write(report.encode("utf-8"))

    @property
    def new_graph(self) -> Path:
        """Where the new graph document lies until `commit`."""
        return self._staging / GRAPH_FILE

    @contextmanager
    def graph_file(self) -> Iterator[BinaryIO]:
        """The new graph document, to be written; it is not the directory's graph until `commit`."""
        with self._staged(GRAPH_FILE) as file:
            yield file

    def commit(self) -> None:
        """Put the staged graph and report in the place of the old ones, both or neither."""
        with _explained(self.path):
            (self.path / FAILED_REPORT_FILE).unlink(missing_ok=True)
            with _synced(self._staging / _MARKER):
                pass
            _finish_commit(self.path)

    def keep_failed_report(self) -> None:
        """Leave the report of a failed build beside the old result, if there is one to leave."""
        staged = self._staging / REPORT_FILE
        if staged.exists():
            with _explained(self.path):
                staged.replace(self.path / FAILED_REPORT_FILE)

    @contextmanager
    def _staged(self, name: str) -> Iterator[BinaryIO]:
        with _explained(self.path):
            with _synced(self._staging / f"{name}.part") as file:
                yield file
            (self._staging / f"{name}.part").replace(self._staging / name)


@contextmanager
def open_output(path: Path) -> Iterator[OutputDirectory]:
    """An output directory for one build, made if it is not there, and locked against a second build.

    A directory that this made and that holds nothing in the end is removed again. `OutputError` if it cannot be
    written, `OutputBusyError` if another build is writing to it.
    """
    made = not path.exists()
    with _explained(path):
        (path / _STAGING).mkdir(parents=True, exist_ok=True)
        lock = (path / _STAGING / _LOCK).open("wb")
    with lock:
        _lock(lock, path)
        recover(path)
        try:
            yield OutputDirectory(path)
        finally:
            _clear(path, remove=made)


def recover(path: Path) -> None:
    """Finish a commit that was cut short, and drop what an unfinished build left; for the holder of the lock."""
    with _explained(path):
        if (path / _STAGING / _MARKER).exists():
            _finish_commit(path)
        for name in (GRAPH_FILE, REPORT_FILE):
            (path / _STAGING / name).unlink(missing_ok=True)
            (path / _STAGING / f"{name}.part").unlink(missing_ok=True)


def built_graph(path: Path) -> Path:
    """The graph document of a built directory, after finishing a commit that was cut short."""
    if (path / _STAGING / _MARKER).exists():
        with open_output(path):
            pass
    graph = path / GRAPH_FILE
    if not graph.is_file():
        raise NotFoundError(
            f"{path} holds no {GRAPH_FILE}.", hint="Build one: graphwright build SOURCE --output DIR", file=str(path)
        )
    return graph


def read_history(path: Path) -> list[dict[str, Any]]:
    """The candidates that the build of a directory tried, in order, as its report holds them."""
    history: list[dict[str, Any]] = json.loads((path / REPORT_FILE).read_text(encoding="utf-8"))["history"]
    return history


def _finish_commit(path: Path) -> None:
    for name in (GRAPH_FILE, REPORT_FILE):
        staged = path / _STAGING / name
        if staged.exists():
            staged.replace(path / name)
    _sync_directory(path)
    (path / _STAGING / _MARKER).unlink()


def _lock(lock: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise OutputBusyError(
            f"Another build is writing to {path}.", hint="Wait for it, or use another directory.", file=str(path)
        ) from error


def _clear(path: Path, *, remove: bool) -> None:
    shutil.rmtree(path / _STAGING, ignore_errors=True)
    if remove and not any(path.iterdir()):
        path.rmdir()


@contextmanager
def _synced(path: Path) -> Iterator[BinaryIO]:
    with path.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn a failure of the file system into an `OutputError` that says what to do."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        advice = "Free some space; the directory keeps what it had." if full else "Choose one that you may write to."
        message = f"{path} cannot be written: {os.strerror(error.errno or 0)}."
        raise OutputError(message, hint=advice, file=str(path)) from error
