"""Copies of large databases that cannot be read as they are: files of our own, removed once they are of no more use."""

import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path

import apsw

from app.sources.files.input_file import InputFile
from app.sources.sqlite.connection import open_new_file


@dataclass(frozen=True)
class CopiedFile(InputFile):
    """A database file that lasts as long as somebody holds this, or the folder that it is in."""

    folder: "PrivateFolder"


class PrivateFolder:
    """A folder that only this user may enter; it goes with the last one who holds it, or with the process."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._count = 0

    def new_database(self) -> apsw.Connection:
        """An empty database in a new file, writable; the folder is made with the first one."""
        if self._path is None:
            self._path = Path(tempfile.mkdtemp(prefix="graphwright-"))
            weakref.finalize(self, shutil.rmtree, self._path, ignore_errors=True)
        self._count += 1
        return open_new_file(self._path / f"copy-{self._count}.db")

    def file_of(self, connection: apsw.Connection, name: str) -> CopiedFile:
        """The file that a connection made here writes to, complete by now; messages call it `name`."""
        path = Path(connection.db_filename("main"))
        opened = InputFile.open(path, path.stat().st_size, name=name)
        return CopiedFile(opened.path, opened.size, opened.identity, opened.name, self)
