"""Reads one chunk of rows into all columns with as few passes as its content allows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import Any

import apsw
import numpy as np
import pyarrow as pa

from app.sources.cells import RowRange, refuse_bad_cell
from app.sources.column_reader import ColumnReader, Part, Summary
from app.tables.column import Column, Kind, null_column
from app.tables.dictionary import BoolArray
from app.values import is_finite_scalar

_COLUMNS_AT_ONCE = 64

_ROW_BY_ROW = Lock()
"""Held while rows are fetched one by one: Python's lock is free at each row, and two lanes would pass it to and fro."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """`count` rows (at least one), to be appended to the readers' columns."""

    connection: apsw.Connection
    rows: RowRange
    readers: Sequence[ColumnReader]
    count: int

    @property
    def last(self) -> int:
        """The greatest row id."""
        assert self.rows.bounds is not None, "chunks have bounds"
        return self.rows.bounds[1]

    def read(self) -> None:
        """Append the chunk to all columns; to none with `apsw.TooBigError`, if the texts of a column are too long.

        Raises `CellInvalidError` for a cell that cannot be kept.
        """
        summaries = self._summaries()
        masks = self._null_masks(summaries)
        reals, others = [], []
        for reader, summary, nulls in zip(self.readers, summaries, masks, strict=True):
            part = self._bulk_part(reader, summary, nulls)
            if part is not None:
                reader.add(part)
            elif reader.wants_reals(summary):
                reals.append((reader, nulls))
            else:
                others.append(reader)
        self._add_reals(reals)
        add_cells(self.connection, self.rows, others, lambda: self._select([each.name for each in others]).fetchall())

    def _select(self, expressions: Iterable[str]) -> apsw.Cursor:
        return self.connection.execute(f"SELECT {', '.join(expressions)} {self.rows.clause}", self.rows.bindings)

    def _aggregates(self, expressions: Sequence[str]) -> list[Any]:
        """One row of aggregates, in portions since SQLite limits the width of a result."""
        portions = [expressions[at : at + _COLUMNS_AT_ONCE] for at in range(0, len(expressions), _COLUMNS_AT_ONCE)]
        return list(chain.from_iterable(self._select(portion).fetchall()[0] for portion in portions))

    def _summaries(self) -> list[Summary]:
        fields = iter(self._aggregates([reader.summary_sql for reader in self.readers]))
        summaries = [Summary(*row) for row in zip(fields, fields, fields, fields, strict=True)]
        for reader, summary in zip(self.readers, summaries, strict=True):
            if summary.greatest == "blob":
                refuse_bad_cell(self.connection, self.rows, reader.schema.name)
        return summaries

    def _null_masks(self, summaries: Sequence[Summary]) -> list[BoolArray | None]:
        """For each column its NULLs, or None where it has none or nothing else."""
        some = [place for place, summary in enumerate(summaries) if 0 < summary.count < self.count]
        flags = self._aggregates([f"group_concat({self.readers[place].name} IS NULL, '')" for place in some])
        masks: list[BoolArray | None] = [None] * len(summaries)
        for place, flag in zip(some, flags, strict=True):
            masks[place] = np.frombuffer(flag.encode(), np.uint8) == ord("1")
        return masks

    def _bulk_part(self, reader: ColumnReader, summary: Summary, nulls: BoolArray | None) -> Part | None:
        if summary.count == 0:
            return null_column(self.count, Kind.INT64)
        try:
            return reader.bulk_part(summary, nulls)
        except pa.ArrowInvalid:
            refuse_bad_cell(self.connection, self.rows, reader.schema.name)
            raise

    def _add_reals(self, reals: Sequence[tuple[ColumnReader, BoolArray | None]]) -> None:
        """Fetch real columns one by one, with 0.0 for NULL: a list of floats costs a third of rows of floats."""
        for reader, nulls in reals:
            cell = reader.name if nulls is None else f"ifnull({reader.name}, 0.0)"
            with _ROW_BY_ROW:
                # A single row comes as a float, not as a list of one.
                cells = np.array(self._select([cell]).get, np.float64).reshape(self.count)
            if not np.isfinite(cells).all():
                refuse_bad_cell(self.connection, self.rows, reader.schema.name)
            reader.add(Column(Kind.FLOAT64, cells, nulls))


def add_cells(
    connection: apsw.Connection,
    rows: RowRange,
    readers: Sequence[ColumnReader],
    fetch: Callable[[], Sequence[tuple[Any, ...]]],
) -> int:
    """Append fetched rows, one cell a reader, and return how many; `rows` says where a bad cell is to be looked for."""
    if not readers:
        return 0
    try:
        with _ROW_BY_ROW:
            fetched = fetch()
    except UnicodeDecodeError:
        for reader in readers:
            refuse_bad_cell(connection, rows, reader.schema.name)
        raise
    for reader, cells in zip(readers, zip(*fetched, strict=True), strict=False):
        if not _all_finite(reader.add_cells(cells)):
            refuse_bad_cell(connection, rows, reader.schema.name)
    return len(fetched)


def _all_finite(part: Column) -> bool:
    if part.kind is Kind.MIXED:
        return all(is_finite_scalar(cell) for cell in part.values)
    return part.kind is not Kind.FLOAT64 or bool(np.isfinite(part.values).all())
