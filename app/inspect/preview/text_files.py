"""The previews of CSV files and of TXT files: the first rows as they are written, and an excerpt."""

import codecs
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from app.budget import check_deadline
from app.errors import CsvInvalidError, SourceEncodingError, SourceLimitError
from app.inspect.preview.limits import ROWS, TEXT_CHARACTERS
from app.inspect.preview.model import (
    PreviewColumn,
    PreviewKind,
    PreviewTable,
    PreviewWarning,
    Reference,
    SourcePreview,
    shown_row,
)
from app.sources.csv.doubts import doubts_of
from app.sources.csv.reader import checked_delimiter, csv_text, first_rows, row_count
from app.sources.csv.scanner import CsvText
from app.sources.files.input_file import InputFile
from app.sources.files.kinds import own_delimiter

_PREFIX_BYTES = 4 * TEXT_CHARACTERS + 16


def preview_csv(
    files: Sequence[InputFile],
    names: Sequence[str],
    delimiter: str | None,
    schema: Mapping[str, Any] | None,
    *,
    has_header: bool,
) -> SourcePreview:
    """One table a file, with the keys that `schema` (csv_bundle.v1) declares; see `PreviewOptions` for the rest.

    Raises what reading a header and the first rows raises; a fault further down is a warning.
    """
    tables, warnings = [], []
    declared = {str(table.get("file_name")): table for table in (schema or {}).get("tables", ())}
    for file, name in zip(files, names, strict=True):
        check_deadline()
        sign = own_delimiter(name) if delimiter is None else checked_delimiter(delimiter)
        text = csv_text(file, sign, has_header=has_header)
        table, doubt = _csv_table(text, name, declared.get(name, {}))
        tables.append(table)
        warnings += doubt
    size = sum(file.size for file in files)
    return SourcePreview(PreviewKind.CSV, tuple(names), size, tuple(tables), warnings=tuple(warnings))


def _csv_table(text: CsvText, name: str, declared: Mapping[str, Any]) -> tuple[PreviewTable, list[PreviewWarning]]:
    first = first_rows(text, ROWS)
    cells = zip(*(column.to_list() for column in first.columns), strict=True)
    names = first.names if text.has_header else tuple(declared.get("columns", first.names))
    count, warnings = _counted(text)
    types = declared.get("column_types", {})
    table = PreviewTable(
        str(declared.get("name") or PurePath(name).stem),
        tuple(PreviewColumn(column, str(types.get(column, ""))) for column in names),
        tuple(declared.get("primary_key", ())),
        tuple(_reference(key) for key in declared.get("foreign_keys", ())),
        count,
        tuple(map(shown_row, cells)),
        len(names),
    )
    warnings += [PreviewWarning(each.code.value, each.message, each.where) for each in doubts_of(table.name, first)]
    return table, warnings


def _reference(key: Mapping[str, Any]) -> Reference:
    return Reference(tuple(key["columns"]), str(key["ref_table"]), tuple(key.get("ref_columns") or ()))


def _counted(text: CsvText) -> tuple[int | None, list[PreviewWarning]]:
    """The number of rows, or None with the reason why a build refuses one further down."""
    try:
        return row_count(text), []
    except (CsvInvalidError, SourceLimitError) as error:
        return None, [PreviewWarning("rows_not_counted", error.message, {"file": text.name})]


def preview_txt(file: InputFile, name: str) -> SourcePreview:
    """The first characters of a text, of which no more than these are read."""
    with file.path.open("rb") as stream:
        prefix = stream.read(_PREFIX_BYTES).removeprefix(codecs.BOM_UTF8)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(prefix, final=file.size <= _PREFIX_BYTES)
    except UnicodeDecodeError as error:
        raise SourceEncodingError(
            f"{name} cannot be read as UTF-8 text: byte 0x{prefix[error.start]:02X} at offset {error.start}.",
            hint="Save as UTF-8.",
            file=name,
            offset=error.start,
        ) from error
    is_whole = file.size <= _PREFIX_BYTES and len(text) <= TEXT_CHARACTERS
    return SourcePreview(PreviewKind.TXT, (name,), file.size, text=text[:TEXT_CHARACTERS], text_is_whole=is_whole)
