"""A preview as JSON, within the limits of tables, columns and bytes; what was cut is said."""

import json
from collections.abc import Sequence

from app.inspect.preview.limits import COLUMNS, RESPONSE_BYTES, TABLES, WARNINGS
from app.inspect.preview.meaning import meanings_of
from app.inspect.preview.model import PreviewTable, PreviewWarning, SourcePreview, shown_text

VERSION = "source_preview.v1"


def to_document(preview: SourcePreview, max_bytes: int = RESPONSE_BYTES) -> dict[str, object]:
    """The preview as JSON of at most `max_bytes` in UTF-8."""
    tables = [_table_document(table) for table in preview.tables[:TABLES]]
    warnings = [*preview.warnings[:WARNINGS], *_cut_columns(preview.tables[:TABLES])]
    if len(preview.warnings) > WARNINGS:
        warnings.append(_cut("warnings", f"{len(preview.warnings):,} warnings, of which {WARNINGS} are shown"))
    if len(preview.tables) > TABLES:
        warnings.append(_cut("tables", f"{len(preview.tables):,} tables, of which {TABLES} are shown"))
    document = _document(preview, tables, warnings)
    for code, reduce in (("rows", _drop_rows), ("tables", _drop_tables)):
        if _size(document) <= max_bytes:
            break
        reduce(tables, max_bytes - _size(_document(preview, [], warnings)) - 1_000)
        warnings.append(_cut(code, f"more than fits into {max_bytes:,} bytes; some {code} are left out"))
        document = _document(preview, tables, warnings)
    return document


def _document(
    preview: SourcePreview, tables: Sequence[dict[str, object]], warnings: Sequence[PreviewWarning]
) -> dict[str, object]:
    return {
        "version": VERSION,
        "kind": preview.kind.value,
        "dialect": preview.dialect,
        "files": [shown_text(name) for name in preview.files],
        "size_bytes": preview.size_bytes,
        "table_count": len(preview.tables),
        "tables": list(tables),
        "text": preview.text,
        "text_is_whole": preview.text_is_whole,
        "warnings": [warning.to_dict() for warning in warnings],
    }


def _table_document(table: PreviewTable) -> dict[str, object]:
    columns = table.columns[:COLUMNS]
    return {
        "name": shown_text(table.name),
        "row_count": table.row_count,
        "column_count": max(table.column_count, len(table.columns)),
        "primary_key": list(table.primary_key),
        "foreign_keys": [reference.to_dict() for reference in table.references[:COLUMNS]],
        "columns": [
            {
                "name": shown_text(column.name),
                "type": shown_text(column.declared_type),
                "not_null": column.not_null,
                "meaning": meaning.to_dict(),
            }
            for column, meaning in zip(columns, meanings_of(table, columns), strict=True)
        ],
        "rows": [list(row[: len(columns)]) for row in table.rows],
    }


def _cut_columns(tables: Sequence[PreviewTable]) -> list[PreviewWarning]:
    wide = [table for table in tables if max(table.column_count, len(table.columns)) > COLUMNS]
    return [
        _cut("columns", f"table {shown_text(table.name)} has more than {COLUMNS} columns; the first are shown")
        for table in wide
    ]


def _cut(what: str, message: str) -> PreviewWarning:
    return PreviewWarning("preview_limit", f"There is more than a preview shows: {message}.", {"limit": what})


def _size(document: object) -> int:
    return len(json.dumps(document, ensure_ascii=False).encode())


def _drop_rows(tables: list[dict[str, object]], room: int) -> None:
    """Empty the samples of tables, the last first, until the rest fits."""
    total = _size(tables)
    for table in reversed(tables):
        if total <= room:
            return
        total -= _size(table["rows"])
        table["rows"] = []


def _drop_tables(tables: list[dict[str, object]], room: int) -> None:
    """Leave out the last tables until the rest fits."""
    total = _size(tables)
    while tables and total > room:
        total -= _size(tables.pop()) + 2
