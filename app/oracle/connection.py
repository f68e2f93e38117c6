"""Opening the oracle's own SQLite connection: it shares nothing with the one that read the source."""

from urllib.parse import quote

import apsw

from app.budget import remaining_seconds
from app.errors import SourceChangedError
from app.sources.files.input_file import InputFile

PROGRESS_STEPS = 20_000
"""SQLite looks at the deadline each this many virtual machine steps, well under a millisecond."""

_JOURNAL_VERSIONS = slice(18, 20)
_ROLLBACK_JOURNAL = b"\x01\x01"

_SETTINGS = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
)


def copy_of_image(image: bytes) -> apsw.Connection:
    """An in-memory database with the content of a SQLite image; the oracle may add indexes to it."""
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", _without_wal(image))
    return _guarded(connection)


def empty_database() -> apsw.Connection:
    """An in-memory database for the oracle to fill; foreign keys are not enforced."""
    return _guarded(apsw.Connection(":memory:"))


def read_only_file(file: InputFile) -> apsw.Connection:
    """A SQLite file, read as it is: nothing is written to it or beside it.

    Raises `SourceChangedError` if it is no longer the file that was read.
    """
    if not file.is_unchanged():
        raise SourceChangedError(
            f"The file {file.name} changed after it was read.", hint="Load it again.", file=file.name
        )
    uri = f"file:{quote(str(file.path.absolute()))}?mode=ro&immutable=1"
    return _guarded(apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI))


def _without_wal(image: bytes) -> bytes:
    """Without its -wal file a WAL image is complete as it is, but memory cannot hold WAL mode."""
    return image[: _JOURNAL_VERSIONS.start] + _ROLLBACK_JOURNAL + image[_JOURNAL_VERSIONS.stop :]


def _guarded(connection: apsw.Connection) -> apsw.Connection:
    for setting, value in _SETTINGS:
        connection.config(setting, value)
    connection.set_progress_handler(_is_late, PROGRESS_STEPS)
    return connection


def _is_late() -> bool:
    return remaining_seconds() <= 0
