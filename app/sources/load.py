"""One way in: a path becomes a relational source, whatever kind of file it is."""

from collections.abc import Sequence
from pathlib import Path

from app.budget import deadline
from app.errors import InvalidOptionError, SourceFormatError
from app.sources.csv_bundle import SUFFIXES, load_bundle_files, load_bundle_folder
from app.sources.csv_file import load_csv
from app.sources.dialect import Dialect
from app.sources.input_file import InputFile
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource
from app.sources.sql_script import load_sql_script
from app.sources.sqlite_connection import HEADER
from app.sources.sqlite_image import load_image
from app.sources.table_options import STRUCTURE
from app.sources.txt_file import load_txt

_IMAGE_SUFFIXES = frozenset({".db", ".db3", ".sqlite", ".sqlite3"})
_TABLES_ONLY = (*STRUCTURE, "delimiter", "txt_mode", "csv_schema")
_SQL_ONLY = ("dialect", "unsupported")


def load_source(
    source: Path | Sequence[Path], options: SourceOptions | None = None, *, name: str | None = None
) -> RelationalSource:
    """Read a source whole, or raise a `SourceError` that says why not; nothing is written beside it.

    A source is a file, a folder with a CSV bundle, the files of a CSV bundle, or scripts that are run one after the
    other. The header tells a SQLite image, under any name; the suffix tells CSV and TXT; anything else is read as SQL
    text. `name` is what the user calls a single file that is kept under another name.
    """
    options = options or SourceOptions()
    paths = [source] if isinstance(source, Path) else list(source)
    with deadline(options.source_timeout_seconds, f"reading {name or paths[0].name}", "source_timeout_seconds"):
        if len(paths) > 1:
            return _load_several(paths, options)
        if paths[0].is_dir():
            _refuse_options(options, "a CSV bundle", (*STRUCTURE, *_SQL_ONLY, "txt_mode"))
            return load_bundle_folder(paths[0], options)
        return _load_file(paths[0], options, name)


def _load_file(path: Path, options: SourceOptions, name: str | None) -> RelationalSource:
    suffix = Path(name or path.name).suffix.lower()
    file = InputFile.open(path, options.max_source_bytes, name=name, may_be_empty=suffix in SUFFIXES)
    if file.header.startswith(HEADER):
        _refuse_options(options, "a SQLite database", (*_TABLES_ONLY, *_foreign_dialect(options)))
        return load_image(file, options)
    if suffix in SUFFIXES and options.csv_schema is not None:
        return _load_several([path], options)
    if suffix == ".txt":
        _refuse_options(options, "a TXT file", _SQL_ONLY)
        return load_txt(file, options)
    if suffix in SUFFIXES:
        _refuse_options(options, "a CSV file", (*_SQL_ONLY, "txt_mode"))
        return load_csv(file, options)
    _refuse_other_kinds(file)
    _refuse_options(options, "SQL text", _TABLES_ONLY)
    return load_sql_script([file], options)


def _load_several(paths: Sequence[Path], options: SourceOptions) -> RelationalSource:
    if all(path.suffix.lower() in SUFFIXES for path in paths):
        _refuse_options(options, "a CSV bundle", (*STRUCTURE, *_SQL_ONLY, "txt_mode"))
        return load_bundle_files(paths, options)
    if any(path.suffix.lower() in SUFFIXES | _IMAGE_SUFFIXES or path.is_dir() for path in paths):
        raise SourceFormatError(
            "Several files are one source only if all are CSV files, or all are SQL scripts.",
            hint="Build other files one by one.",
            files=[path.name for path in paths],
        )
    _refuse_options(options, "SQL text", _TABLES_ONLY)
    return load_sql_script([InputFile.open(path, options.max_source_bytes) for path in paths], options)


def _refuse_options(options: SourceOptions, kind: str, names: Sequence[str]) -> None:
    """Refuse an option that would mean nothing to this kind of source, or override what it declares itself."""
    for name in options.given(names):
        raise InvalidOptionError(
            f"{name} cannot be set for {kind}, which says so itself or has no use for it.",
            hint="Leave it out. Table options complete a CSV or TXT file; a bundle declares tables in csv_schema.",
            option=name,
        )


def _foreign_dialect(options: SourceOptions) -> tuple[str, ...]:
    """A database that is said to be SQLite's is what it is said to be."""
    return () if options.dialect is Dialect.SQLITE else ("dialect",)


def _refuse_other_kinds(file: InputFile) -> None:
    if Path(file.name).suffix.lower() in _IMAGE_SUFFIXES:
        raise SourceFormatError(
            f"{file.name} is not a SQLite database: its first bytes are not those of one.",
            hint="Choose the database file itself. SQL text needs a name that ends in .sql.",
            file=file.name,
        )
