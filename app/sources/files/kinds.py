"""What kind of source files are, by their names and first bytes: one rule for builds, previews and suggestions."""

from collections.abc import Sequence
from enum import Enum
from pathlib import PurePath

from app.errors import SourceFormatError

TABLE_SUFFIXES = frozenset({".csv", ".tsv"})
BUNDLE_SUFFIXES = TABLE_SUFFIXES | {".txt"}
"""Files that hold CSV if several of them, or one with a csv_schema, are a source; GTFS feeds are of TXT files."""

_IMAGE_SUFFIXES = frozenset({".db", ".db3", ".sqlite", ".sqlite3"})


class FileKind(Enum):
    """What files are together, as messages call it."""

    IMAGE = "a SQLite database"
    BUNDLE = "a CSV bundle"
    CSV = "a CSV file"
    TXT = "a TXT file"
    SQL = "SQL text"


def kind_of(names: Sequence[str], *, is_image: bool = False, has_schema: bool = False) -> FileKind:
    """The kind of one file, which is an image if its first bytes say so, or of several that are one source.

    Raises `SourceFormatError` for files that make no source together, and for a database that is none.
    """
    suffixes = [suffix_of(name) for name in names]
    if len(names) == 1:
        return FileKind.IMAGE if is_image else _kind_of_one(names[0], suffixes[0], has_schema)
    if all(suffix in BUNDLE_SUFFIXES for suffix in suffixes):
        return FileKind.BUNDLE
    if any(suffix in BUNDLE_SUFFIXES | _IMAGE_SUFFIXES for suffix in suffixes):
        raise no_source_together(names)
    return FileKind.SQL


def suffix_of(name: str) -> str:
    """The end of a file's name from its last dot on, in lower case."""
    return PurePath(name).suffix.lower()


def own_delimiter(name: str) -> str:
    """What separates the fields of a CSV file of that name, unless an option says otherwise."""
    return "\t" if suffix_of(name) == ".tsv" else ","


def no_source_together(names: Sequence[str]) -> SourceFormatError:
    """The error for files of different kinds."""
    return SourceFormatError(
        "Several files are one source only if all are CSV files, or all are SQL scripts.",
        hint="Take other files one by one.",
        files=list(names),
    )


def _kind_of_one(name: str, suffix: str, has_schema: bool) -> FileKind:
    if suffix in _IMAGE_SUFFIXES:
        raise SourceFormatError(
            f"{name} is not a SQLite database: its first bytes are not those of one.",
            hint="Choose the database file itself. SQL text needs a name that ends in .sql.",
            file=name,
        )
    if suffix not in BUNDLE_SUFFIXES:
        return FileKind.SQL
    if has_schema:
        return FileKind.BUNDLE
    return FileKind.CSV if suffix in TABLE_SUFFIXES else FileKind.TXT
