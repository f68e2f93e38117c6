"""Whether a database file is all there: as long as its header says, and without changes beside it."""

from pathlib import Path

from app.errors import SourceIncompleteError
from app.sources.files.input_file import InputFile
from app.sources.sqlite.failures import damaged

_HEADER_BYTES = 100
_LARGEST_PAGE = 65_536
_LARGEST_PAGE_MARK = b"\x00\x01"

_WAL_HEADER_BYTES = 32
_JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_WAL_HINT = (
    'Let SQLite write them into the file, `sqlite3 FILE "PRAGMA wal_checkpoint(TRUNCATE)"`, or load a copy that '
    "`sqlite3 FILE \"VACUUM INTO 'copy.db'\"` makes."
)
_JOURNAL_HINT = (
    "Let the program that writes it finish, or, if that one broke off, open the database with it once more. Or load a "
    "copy that `sqlite3 FILE \"VACUUM INTO 'copy.db'\"` makes."
)


def refuse_short_image(file: InputFile) -> None:
    """Raise `SourceDamagedError` for a file that ends early; SQLite would take zeros for the rest of a page.

    If an old program wrote last, the header does not know the number of pages (SQLite file format, 1.3.8).
    """
    header = file.header.ljust(_HEADER_BYTES, b"\0")
    page = _LARGEST_PAGE if header[16:18] == _LARGEST_PAGE_MARK else int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32]) if header[24:28] == header[92:96] else 0
    expected = max(_HEADER_BYTES, page * pages)
    if file.size < expected:
        raise damaged(file.name, f"it has {file.size:,} of {expected:,} bytes")


def refuse_side_files(path: Path, name: str) -> None:
    """Raise `SourceIncompleteError` if a database has changes in a -wal file, or half a change in a -journal file.

    SQLite would write to the file, or beside it, to take them in. A -wal file without a frame, and a journal whose
    header is overwritten, mean nothing.
    """
    path = path.resolve()
    wal, journal = path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-journal")
    if _size(wal) > _WAL_HEADER_BYTES:
        raise SourceIncompleteError(
            f"The database {name} is not complete: its last changes are in {wal.name} beside it.",
            hint=_WAL_HINT,
            file=name,
        )
    if _size(journal) and _begins_with_magic(journal):
        raise SourceIncompleteError(
            f"The database {name} holds half a change: {journal.name} beside it has what is to be taken back.",
            hint=_JOURNAL_HINT,
            file=name,
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _begins_with_magic(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(_JOURNAL_MAGIC)) == _JOURNAL_MAGIC
    except OSError:
        return True
