"""The parts of cells that hold several categories in one text."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.tables.column import Column, Kind, column_of, text_column
from app.tables.dictionary import IntArray


@dataclass(frozen=True, eq=False, slots=True)
class CategoryParts:
    """Each part of a column's texts: its row, its place in the text from 0, and its text (a TEXT column)."""

    rows: IntArray
    positions: IntArray
    texts: Column


def category_parts(column: Column, delimiter: str) -> CategoryParts:
    """The parts of all texts of a column between delimiters, without surrounding space; empty parts are left out.

    Rows and positions ascend. Cells that are not texts have no parts.
    """
    texts = column if column.kind is Kind.TEXT else _texts_alone(column)
    if texts.null_count() == len(texts):
        none = np.empty(0, np.int64)
        return CategoryParts(none, none, column_of([]))
    split = pc.split_pattern(texts.texts.entries, delimiter)
    starts = split.offsets.to_numpy().astype(np.int64)
    parts = pc.utf8_trim_whitespace(split.values)
    rows = np.flatnonzero(~texts.null_mask())
    codes = texts.values[rows].astype(np.int64)
    # `parts` has the parts of each distinct text once, text by text. Each row repeats those of its text:
    # slots[i] = where the parts of the row's text begin + the position of part i in the row.
    counts = np.diff(starts)[codes]
    positions = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    slots = np.repeat(starts[codes], counts) + positions
    filled = pc.binary_length(parts).to_numpy(zero_copy_only=False)[slots] > 0
    distinct = text_column(parts)
    return CategoryParts(np.repeat(rows, counts)[filled], positions[filled], distinct.take(slots[filled]))


def _texts_alone(column: Column) -> Column:
    """The column's texts; cells of other types are NULL."""
    if column.kind is not Kind.MIXED:
        return text_column(pa.nulls(len(column), pa.large_string()))
    return text_column(pa.array([v if isinstance(v, str) else None for v in column.to_list()], pa.large_string()))
