"""One way in: a path becomes a relational source, whatever kind of file it is."""

from pathlib import Path

from app.budget import deadline
from app.errors import NotAvailableError, SourceFormatError
from app.sources.input_file import InputFile
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource
from app.sources.sql_script import load_sql_script
from app.sources.sqlite_connection import HEADER
from app.sources.sqlite_image import load_image

_IMAGE_SUFFIXES = frozenset({".db", ".db3", ".sqlite", ".sqlite3"})
_LATER_SUFFIXES = frozenset({".csv", ".tsv", ".txt"})


def load_source(path: Path, options: SourceOptions | None = None) -> RelationalSource:
    """Read a source whole, or raise a `SourceError` that says why not; nothing is written beside the file.

    The header tells a SQLite image, under any name; anything else is read as SQL text.
    """
    options = options or SourceOptions()
    with deadline(options.source_timeout_seconds, f"reading {path.name}", "source_timeout_seconds"):
        file = InputFile.open(path, options.max_source_bytes)
        if file.header.startswith(HEADER):
            return load_image(file, options)
        _refuse_other_kinds(file)
        return load_sql_script([file], options)


def _refuse_other_kinds(file: InputFile) -> None:
    suffix = file.path.suffix.lower()
    if suffix in _LATER_SUFFIXES:
        raise NotAvailableError(
            f"{suffix[1:].upper()} files such as {file.name} cannot be read yet.",
            hint="SQLite databases and SQL text in SQLite's syntax can be read.",
            file=file.name,
        )
    if suffix in _IMAGE_SUFFIXES:
        raise SourceFormatError(
            f"{file.name} is not a SQLite database: its first bytes are not those of one.",
            hint="Choose the database file itself. SQL text needs a name that ends in .sql.",
            file=file.name,
        )
