"""What SQLite says of a source, as our own errors, which name its file."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from app.budget import check_deadline
from app.errors import (
    SourceDamagedError,
    SourceEncodingError,
    SourceError,
    SourceFormatError,
    SourceLimitError,
    SqlInvalidError,
)


@contextmanager
def naming_file(name: str) -> Iterator[None]:
    """Let errors about a source that is one file name it."""
    try:
        yield
    except SourceError as error:
        error.add_where(file=name)
        raise


@contextmanager
def sqlite_failures(source: str) -> Iterator[None]:
    """Turn what SQLite says about the source named `source` into errors of our own."""
    try:
        yield
    except apsw.Error as error:
        raise _translated(error, source) from error
    except UnicodeDecodeError as error:
        raise SourceEncodingError(
            f"A name in the schema of {source} is not valid UTF-8: {error.object!r}.",
            hint="Rename it in a copy of the database, and load the copy.",
            file=source,
        ) from error


def _translated(error: apsw.Error, source: str) -> SourceError:
    if isinstance(error, apsw.InterruptError):
        check_deadline()
    if isinstance(error, apsw.NotADBError):
        return SourceFormatError(f"{source} is not a usable SQLite database.", file=source)
    if isinstance(error, apsw.CorruptError | apsw.IOError):
        return damaged(source, str(error))
    if isinstance(error, apsw.TooBigError | apsw.NoMemError | apsw.FullError):
        return SourceLimitError(f"{source} holds a value or a row that is too large: {error}.", file=source)
    return SqlInvalidError(f"SQLite refuses {source}: {error}.", file=source)


def damaged(source: str, finding: str) -> SourceDamagedError:
    """The error for an image whose pages do not hold together."""
    return SourceDamagedError(
        f"The database {source} is damaged: {finding}.",
        hint="Copy the file again, or repair it with `.recover` of the sqlite3 shell.",
        file=source,
    )
