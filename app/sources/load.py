"""One way in: a path becomes a relational source, whatever kind of file it is."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.budget import deadline
from app.errors import InvalidOptionError
from app.sources.declared.bundle import load_bundle_files, load_bundle_folder
from app.sources.declared.options import STRUCTURE
from app.sources.declared.single_file import load_csv, load_txt
from app.sources.dialect import Dialect
from app.sources.files.formats import refuse_other_texts
from app.sources.files.input_file import InputFile
from app.sources.files.kinds import BUNDLE_SUFFIXES, FileKind, kind_of, no_source_together, suffix_of
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource
from app.sources.sql.load import load_sql_script
from app.sources.sqlite.connection import HEADER
from app.sources.sqlite.load_image import load_image

_TABLES_ONLY = (*STRUCTURE, "delimiter", "header", "txt_mode", "csv_schema")
_SQL_ONLY = ("dialect", "unsupported")
_FOREIGN: Mapping[FileKind, Sequence[str]] = {
    FileKind.IMAGE: (*_TABLES_ONLY, "dialect"),
    FileKind.BUNDLE: (*STRUCTURE, *_SQL_ONLY, "txt_mode"),
    FileKind.CSV: (*_SQL_ONLY, "txt_mode"),
    FileKind.TXT: _SQL_ONLY,
    FileKind.SQL: _TABLES_ONLY,
}
"""Options that would mean nothing to a kind of source, or override what it declares itself."""


def load_source(
    source: Path | Sequence[Path], options: SourceOptions | None = None, *, name: str | None = None
) -> RelationalSource:
    """Read a source whole, or raise a `SourceError` that says why not; nothing is written beside it.

    A source is a file, a folder with a CSV bundle, the files of a CSV bundle, or scripts that are run one after the
    other. A SQLite image is known by its header, under any name, CSV and TXT by their suffix; anything else is read as
    SQL text. `name` is what the user calls a single file that is kept under another name.
    """
    options = options or SourceOptions()
    paths = [source] if isinstance(source, Path) else list(source)
    with deadline(options.source_timeout_seconds, f"reading {name or paths[0].name}", "source_timeout_seconds"):
        if len(paths) > 1:
            return _load_several(paths, options)
        if paths[0].is_dir():
            refuse_options(options, FileKind.BUNDLE)
            return load_bundle_folder(paths[0], options)
        return _load_file(paths[0], options, name)


def refuse_options(options: SourceOptions, kind: FileKind) -> None:
    """Raise `InvalidOptionError` for an option that was given and is none of this kind of source."""
    for name in options.given(_FOREIGN[kind]):
        if kind is FileKind.IMAGE and name == "dialect" and options.dialect is Dialect.SQLITE:
            continue
        raise InvalidOptionError(
            f"{name} cannot be set for {kind.value}, which says so itself or has no use for it.",
            hint="Leave it out. Table options complete a CSV or TXT file; a bundle declares tables in csv_schema.",
            option=name,
        )


def _load_file(path: Path, options: SourceOptions, name: str | None) -> RelationalSource:
    may_be_empty = suffix_of(name or path.name) in BUNDLE_SUFFIXES
    file = InputFile.open(path, options.max_source_bytes, name=name, may_be_empty=may_be_empty)
    has_schema = options.csv_schema is not None
    kind = kind_of([file.name], is_image=file.header.startswith(HEADER), has_schema=has_schema)
    refuse_options(options, kind)
    if kind is FileKind.IMAGE:
        return load_image(file, options)
    if kind is FileKind.BUNDLE:
        return load_bundle_files([path], options)
    if kind is FileKind.TXT:
        return load_txt(file, options)
    if kind is FileKind.CSV:
        return load_csv(file, options)
    refuse_other_texts([file])
    return load_sql_script([file], options)


def _load_several(paths: Sequence[Path], options: SourceOptions) -> RelationalSource:
    names = [path.name for path in paths]
    if any(path.is_dir() for path in paths):
        raise no_source_together(names)
    kind = kind_of(names)
    refuse_options(options, kind)
    if kind is FileKind.BUNDLE:
        return load_bundle_files(paths, options)
    files = [InputFile.open(path, options.max_source_bytes) for path in paths]
    refuse_other_texts(files)
    return load_sql_script(files, options)
