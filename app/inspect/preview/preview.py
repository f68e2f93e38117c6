"""A preview of a source as it is kept: it is parsed and never executed, and nothing of a build changes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.budget import deadline
from app.errors import SourceLimitError
from app.inspect.preview.document import to_document
from app.inspect.preview.limits import SECONDS, SOURCE_BYTES
from app.inspect.preview.model import PreviewKind, SourcePreview, no_tables
from app.inspect.preview.script.preview_script import SqlPreview
from app.inspect.preview.sqlite_image import preview_image
from app.inspect.preview.text_files import preview_csv, preview_txt
from app.sources.declared.bundle import parse_bundle, schema_of_folder
from app.sources.dialect import Dialect
from app.sources.files.formats import refuse_other_texts
from app.sources.files.input_file import InputFile
from app.sources.files.kinds import FileKind, kind_of
from app.sources.load import refuse_options
from app.sources.options import SourceOptions
from app.sources.sql.load import recognition
from app.sources.sql.loading.scripts import as_declared, open_script
from app.sources.sqlite.connection import HEADER

_ANY_SIZE = 2**63 - 1


@dataclass(frozen=True, slots=True)
class PreviewOptions:
    """`delimiter` of CSV (None: a tab for .tsv, else a comma), and whether it has a `header`; `dialect` of SQL text.

    `names` are the files' own names if they are kept under others; `csv_schema` is the csv_bundle.v1 document that
    CSV files were uploaded with.
    """

    delimiter: str | None = None
    dialect: Dialect = Dialect.AUTO
    names: tuple[str, ...] = ()
    csv_schema: Mapping[str, Any] | None = None
    header: bool = True

    def check(self, kind: FileKind) -> None:
        """Refuse what a build of this kind of source refuses."""
        given = {"delimiter": self.delimiter, "header": self.header, "dialect": self.dialect}
        refuse_options(SourceOptions.from_options(given), kind)


def preview_source(paths: Path | Sequence[Path], options: PreviewOptions | None = None) -> SourcePreview:
    """The preview of one file, of several CSV files, of a CSV bundle's folder, or of several scripts of one source.

    Raises a `SourceError` for what cannot be shown at all, `InvalidOptionError` for an option that is unusable or
    of no use to this kind of source.
    """
    options = options or PreviewOptions()
    with deadline(SECONDS, "previewing the source", "the size of the source"):
        found = [paths] if isinstance(paths, Path) else list(paths)
        if len(found) == 1 and found[0].is_dir():
            options.check(FileKind.BUNDLE)
            return _preview_bundle(found[0], options)
        files = [InputFile.open(path, _ANY_SIZE) for path in found]
        names = list(options.names) or [file.name for file in files]
        return _preview_files(files, names, options)


def _preview_files(files: Sequence[InputFile], names: Sequence[str], options: PreviewOptions) -> SourcePreview:
    is_image = files[0].header.startswith(HEADER)
    kind = kind_of(names, is_image=is_image, has_schema=options.csv_schema is not None)
    options.check(kind)
    if kind is FileKind.IMAGE:
        return preview_image(files[0])
    if kind is FileKind.TXT:
        return preview_txt(files[0], names[0])
    _check_size(files)
    if kind is FileKind.SQL:
        refuse_other_texts(files)
        return _preview_sql(files, names, options.dialect)
    return preview_csv(files, names, options.delimiter, options.csv_schema, has_header=options.header)


def _preview_bundle(folder: Path, options: PreviewOptions) -> SourcePreview:
    """A folder of CSV files with the csv_schema.json that declares them."""
    document = schema_of_folder(folder)
    names = [table.file_name for table in parse_bundle(document).tables]
    files = [InputFile.open(folder / name, SOURCE_BYTES) for name in names]
    _check_size(files)
    return preview_csv(files, names, options.delimiter, document, has_header=options.header)


def preview_document(argument: Mapping[str, Any]) -> dict[str, object]:
    """`preview_source` from JSON to JSON: `paths`, and any of the fields of `PreviewOptions`."""
    options = PreviewOptions(
        argument.get("delimiter"),
        Dialect(argument.get("dialect") or Dialect.AUTO),
        tuple(argument.get("names") or ()),
        argument.get("csv_schema"),
        bool(argument.get("header", True)),
    )
    return to_document(preview_source([Path(path) for path in argument["paths"]], options))


def _check_size(files: Sequence[InputFile]) -> None:
    total = sum(file.size for file in files)
    if total > SOURCE_BYTES:
        raise SourceLimitError(
            f"The source has {total:,} bytes; a preview reads up to {SOURCE_BYTES:,} of SQL text or CSV.",
            hint="It may be built all the same; no option raises the preview's limit.",
            file=files[0].name,
            bytes=total,
            limit=SOURCE_BYTES,
        )


def _preview_sql(files: Sequence[InputFile], names: Sequence[str], dialect: Dialect) -> SourcePreview:
    dialect = recognition(files, dialect).dialect
    preview = as_declared(lambda codec: _sql_preview(files, names, dialect, codec))
    if preview.is_empty:
        raise no_tables()
    size = sum(file.size for file in files)
    return SourcePreview(
        PreviewKind.SQL_TEXT, tuple(names), size, preview.tables, dialect=dialect.value, warnings=preview.warnings
    )


def _sql_preview(files: Sequence[InputFile], names: Sequence[str], dialect: Dialect, codec: str) -> SqlPreview:
    preview = SqlPreview(dialect)
    for name, file in zip(names, files, strict=True):
        preview.add(open_script(file, name, dialect, codec), codec)
    return preview
