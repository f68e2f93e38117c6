"""What SQLite keeps beside a database while somebody works on it: changes that the file itself does not have yet."""

from pathlib import Path

from app.errors import SourceIncompleteError

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


def refuse_side_files(path: Path, name: str) -> None:
    """Raise `SourceIncompleteError` where a database has changes in a -wal file, or half a change in a -journal file.

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
