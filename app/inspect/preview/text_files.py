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
from app.sources.csv.delimiters import doubt_of
from app.sources.csv.faults import shown
from app.sources.csv.reader import CsvRows, checked_delimiter, csv_text, first_rows
from app.sources.csv.scanner import CsvText, check_fields
from app.sources.input_file import InputFile
from app.sources.kinds import own_delimiter
from app.sources.relational_source import WarningCode

_PREFIX_BYTES = 4 * TEXT_CHARACTERS + 16


def preview_csv(
    files: Sequence[InputFile], names: Sequence[str], delimiter: str | None, schema: Mapping[str, Any] | None
) -> SourcePreview:
    """One table a file, with the keys that `schema` (csv_bundle.v1) declares; see `PreviewOptions` for the delimiter.

    Raises what reading a header and the first rows raises; a fault further down is a warning.
    """
    tables, warnings = [], []
    declared = {str(table.get("file_name")): table for table in (schema or {}).get("tables", ())}
    for file, name in zip(files, names, strict=True):
        check_deadline()
        sign = own_delimiter(name) if delimiter is None else checked_delimiter(delimiter)
        table, doubt = _csv_table(file, name, sign, declared.get(name, {}))
        tables.append(table)
        warnings += doubt
    size = sum(file.size for file in files)
    return SourcePreview(PreviewKind.CSV, tuple(names), size, tuple(tables), warnings=tuple(warnings))


def _csv_table(
    file: InputFile, name: str, delimiter: str, declared: Mapping[str, Any]
) -> tuple[PreviewTable, list[PreviewWarning]]:
    text = csv_text(file, delimiter)
    first = first_rows(text, ROWS)
    cells = zip(*(column.to_list() for column in first.columns), strict=True)
    count, doubt = _counted(text, first.names)
    types = declared.get("column_types", {})
    table = PreviewTable(
        str(declared.get("name") or PurePath(name).stem),
        tuple(PreviewColumn(column, str(types.get(column, ""))) for column in first.names),
        tuple(declared.get("primary_key", ())),
        tuple(_reference(key) for key in declared.get("foreign_keys", ())),
        count,
        tuple(map(shown_row, cells)),
        len(first.names),
    )
    return table, [*doubt, *_delimiter_doubt(table.name, first)]


def _delimiter_doubt(table: str, rows: CsvRows) -> list[PreviewWarning]:
    delimiter = rows.likely_delimiter
    if delimiter is None:
        return []
    message, where = doubt_of(table, shown(rows.names[0]), delimiter), {"table": table, "delimiter": delimiter}
    return [PreviewWarning(WarningCode.DELIMITER_DOUBTFUL.value, message, where)]


def _reference(key: Mapping[str, Any]) -> Reference:
    return Reference(tuple(key["columns"]), str(key["ref_table"]), tuple(key.get("ref_columns") or ()))


def _counted(text: CsvText, names: Sequence[str]) -> tuple[int | None, list[PreviewWarning]]:
    """The number of records below the header, or None with the reason why a build refuses one further down."""
    header, count = shown(text.delimiter.join(names)), 0
    try:
        for place, block in enumerate(text.blocks()):
            records = block if place else block.after(1)
            check_fields(text, records, len(names), count + 1, header)
            count += records.record_count
    except (CsvInvalidError, SourceLimitError) as error:
        return None, [PreviewWarning("rows_not_counted", error.message, {"file": text.name})]
    return count, []


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
