"""Cells as canonical JSON texts, a column at a time."""

import json
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

import numpy as np
import numpy.typing as npt

from app.tables.column import Column, Kind
from app.values import Scalar, canonical_json

_WORDS = ("false", "true")


def json_cells(column: Column) -> list[str]:
    """The canonical JSON text of each cell."""
    texts = _present_cells(column)
    if column.nulls is not None:
        for row in np.flatnonzero(column.nulls).tolist():
            texts[row] = "null"
    return texts


def _present_cells(column: Column) -> list[str]:
    if column.kind is Kind.TEXT:
        return _text_cells(column)
    if column.kind is Kind.BOOL:
        return [_WORDS[value] for value in column.values.tolist()]
    if column.kind is Kind.MIXED:
        return [json.dumps(value, ensure_ascii=False) for value in column.values.tolist()]
    return list(map(repr, column.values.tolist()))


def _text_cells(column: Column) -> list[str]:
    if len(column.texts) < len(column):
        encoded = _encoded(column.texts.objects().tolist())
        return [encoded[code] for code in column.values.tolist()] if encoded else ["null"] * len(column)
    return [encode_basestring(text or "") for text in column.objects().tolist()]


def _encoded(texts: Sequence[str]) -> list[str]:
    return [encode_basestring(text) for text in texts]


def chunks(rows: npt.NDArray[Any], size: int = 32_768) -> list[npt.NDArray[Any]]:
    """`rows` in pieces of at most `size`, so that only one piece exists as Python texts at a time."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def json_objects(names: Sequence[str], cells: Sequence[list[str]], count: int) -> list[str]:
    """JSON objects of these fields (in order of their names), from the JSON texts of their cells."""
    template = "{" + ",".join(f"{canonical_json(name).replace('%', '%%')}:%s" for name in names) + "}"
    return list(map(template.__mod__, zip(*cells, strict=True))) if names else ["{}"] * count


def row_objects(columns: Mapping[str, Column], rows: npt.NDArray[Any]) -> list[dict[str, Scalar]]:
    """The cells of these rows as Python objects."""
    cells = [column.take(rows).to_list() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)] if cells else [{} for _ in rows]
