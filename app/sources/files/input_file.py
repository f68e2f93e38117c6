"""The file of a source: a regular file within the byte limit, whose identity can be checked again."""

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from app.budget import check_deadline
from app.errors import SourceChangedError, SourceEmptyError, SourceLimitError, SourceNotFoundError
from app.values import canonical_sha256

_BLOCK = 4 * 1024 * 1024


@dataclass(frozen=True)
class InputFile:
    """A file as it was when it was opened; `identity` shows whether it still is.

    `name` is what messages call it: its own name without its folder, unless it is kept under another.
    """

    path: Path
    size: int
    identity: tuple[int, int, int, int]
    name: str

    @classmethod
    def open(cls, path: Path, max_bytes: int, *, name: str | None = None, may_be_empty: bool = False) -> "InputFile":
        """Check that `path` is a file with 1 (or 0) to `max_bytes` bytes; nothing of it is read yet.

        Raises `SourceNotFoundError`, `SourceEmptyError` or `SourceLimitError`.
        """
        status, name = _status(path), name or path.name
        if status.st_size == 0 and not may_be_empty:
            raise SourceEmptyError(f"The file {name} is empty.", hint="Export it again.", file=name)
        if status.st_size > max_bytes:
            raise SourceLimitError(
                f"The file {name} has {status.st_size:,} bytes; the limit in force is {max_bytes:,}.",
                hint="Raise max_source_bytes, or choose resource_profile=full_scale.",
                file=name,
                bytes=status.st_size,
                limit=max_bytes,
            )
        return cls(path, status.st_size, _identity(status), name)

    @cached_property
    def header(self) -> bytes:
        """The first 100 bytes."""
        with self.path.open("rb") as stream:
            return stream.read(100)

    def is_unchanged(self) -> bool:
        """Whether the path still leads to the same file with the same size and time of change."""
        try:
            return _identity(self.path.stat()) == self.identity
        except OSError:
            return False

    def check_unchanged(self) -> None:
        """Raise `SourceChangedError` unless the path still leads to the same file."""
        if not self.is_unchanged():
            raise SourceChangedError(
                f"The file {self.name} changed while it was being read.", hint="Load it again.", file=self.name
            )

    @cached_property
    def _bytes(self) -> bytes:
        return self.path.read_bytes()

    def content(self) -> bytes:
        """All bytes, read once; `SourceChangedError` if they are not as many as when the file was opened."""
        if len(self._bytes) != self.size:
            raise SourceChangedError(f"The file {self.name} changed while it was being read.", file=self.name)
        return self._bytes

    def sha256(self) -> str:
        """The hexadecimal SHA-256 of all bytes, computed once, and streamed unless they are in memory already."""
        return self._sha256

    @cached_property
    def _sha256(self) -> str:
        if "_bytes" in self.__dict__:
            return hashlib.sha256(self._bytes).hexdigest()
        hasher = hashlib.sha256()
        with self.path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                check_deadline()
                hasher.update(block)
        return hasher.hexdigest()


def check_joint_size(files: Sequence[InputFile], limit: int) -> None:
    """Raise `SourceLimitError` if the bytes of all files together are more than allowed."""
    size = sum(file.size for file in files)
    if size > limit:
        raise SourceLimitError(
            f"The {len(files)} files have {size:,} bytes together; the limit in force is {limit:,}.",
            hint="Raise max_source_bytes, or choose resource_profile=full_scale.",
            bytes=size,
            limit=limit,
        )


def joint_sha256(files: Sequence[InputFile]) -> str:
    """The SHA-256 of a source: of its one file, or of the names and digests of several, in their order."""
    if len(files) == 1:
        return files[0].sha256()
    return canonical_sha256([[file.name, file.sha256()] for file in files])


def _status(path: Path) -> os.stat_result:
    try:
        status = path.stat()
    except OSError as error:
        raise _unreadable(path, error.strerror or "it cannot be opened") from error
    if not stat.S_ISREG(status.st_mode):
        raise _unreadable(path, "it is not a file")
    if not os.access(path, os.R_OK):
        raise _unreadable(path, "it may not be read")
    return status


def _unreadable(path: Path, reason: str) -> SourceNotFoundError:
    return SourceNotFoundError(
        f"The source {path} cannot be read: {reason}.", hint="Check the path and its permissions.", file=path.name
    )


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
