"""SQLite connections that are safe on files whatever is in them."""

from pathlib import Path
from urllib.parse import quote

import apsw

from app.budget import remaining_seconds
from app.sources.sqlite.completeness import refuse_side_files
from app.values import fold_identifier

HEADER = b"SQLite format 3\x00"
"""The first 16 bytes of every SQLite image."""

VALUE_BYTES = 128 * 1024 * 1024
"""The most bytes of one value, and of one row."""

_WRITE_VERSION, _READ_VERSION = 18, 19
_WAL = 2
_ROLLBACK = 1
_PROGRESS_STEPS = 100_000
_CACHE_KIB = 65_536

_SETTINGS = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
)
_LIMITS = (
    (apsw.SQLITE_LIMIT_LENGTH, VALUE_BYTES),
    (apsw.SQLITE_LIMIT_ATTACHED, 0),
    (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (apsw.SQLITE_LIMIT_EXPR_DEPTH, 200),
    (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
    (apsw.SQLITE_LIMIT_VARIABLE_NUMBER, 2_000),
)
_READING = frozenset(
    {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_PRAGMA, apsw.SQLITE_TRANSACTION}
)
_PRAGMAS = frozenset(
    {
        "encoding",
        "foreign_key_list",
        "index_list",
        "index_xinfo",
        "integrity_check",
        "quick_check",
        "table_list",
        "table_xinfo",
    }
)


WAL_WARNING = "The database is in WAL mode; changes that were only in its -wal file are not part of it."
"""An upload, or a copy, may lack the file beside it; nothing in the image says whether there was one."""


def is_wal_image(image: bytes) -> bool:
    """Whether the header says that the image is in WAL mode."""
    return _WAL in image[_WRITE_VERSION : _READ_VERSION + 1]


def open_memory() -> apsw.Connection:
    """An empty in-memory database under all limits, still writable."""
    connection = apsw.Connection(":memory:")
    _harden(connection)
    connection.execute("PRAGMA temp_store = MEMORY").fetchall()
    return connection


def open_for_script() -> apsw.Connection:
    """An empty in-memory database for a script, in which texts may stand in double quotes too."""
    connection = open_memory()
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)
    return connection


def open_new_file(path: Path) -> apsw.Connection:
    """An empty database in a new file, under the same limits, writable; if writing fails, the file is of no use."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    connection.execute("PRAGMA journal_mode = OFF").fetchall()
    connection.execute("PRAGMA synchronous = OFF").fetchall()
    _harden(connection)
    return connection


def open_image_bytes(image: bytes) -> apsw.Connection:
    """A private in-memory copy of an image, for reading only.

    A WAL-mode image cannot be opened without its side files, so the copy is marked as being in rollback mode.
    """
    copy = bytearray(image)
    copy[_WRITE_VERSION] = copy[_READ_VERSION] = _ROLLBACK
    connection = apsw.Connection(":memory:")
    _harden(connection)
    connection.deserialize("main", bytes(copy))
    restrict_to_reading(connection)
    return connection


def open_image_file(path: Path) -> apsw.Connection:
    """The image itself, for reading only; `immutable` keeps SQLite from writing or expecting anything beside it.

    Raises `SourceIncompleteError` if a file beside it has changes that belong to it.
    """
    refuse_side_files(path, path.name)
    uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    _harden(connection)
    restrict_to_reading(connection)
    return connection


def _harden(connection: apsw.Connection) -> None:
    for setting, value in _SETTINGS:
        connection.config(setting, value)
    for limit, value in _LIMITS:
        connection.limit(limit, value)
    connection.execute("PRAGMA cell_size_check = ON").fetchall()
    connection.execute("PRAGMA mmap_size = 0").fetchall()
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}").fetchall()
    connection.set_progress_handler(_out_of_time, _PROGRESS_STEPS)


def restrict_to_reading(connection: apsw.Connection) -> None:
    """Refuse every statement but reads and the few pragmas that describe a schema."""
    connection.execute("PRAGMA query_only = ON").fetchall()
    connection.authorizer = _authorize_reading


def _authorize_reading(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    allowed = action in _READING
    if action == apsw.SQLITE_PRAGMA:
        allowed = first in _PRAGMAS
    elif action == apsw.SQLITE_FUNCTION:
        allowed = fold_identifier(str(second)) != "load_extension"
    return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY


def _out_of_time() -> bool:
    return remaining_seconds() <= 0
