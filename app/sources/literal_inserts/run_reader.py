"""Reads runs of INSERTs block by block, and gives each row to its table."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.budget import check_deadline
from app.sources.literal_inserts.distinct import distinct_codes
from app.sources.literal_inserts.fields import Fields, read_fields
from app.sources.literal_inserts.groups import Bytes, Groups, UnusualScriptError, find_groups
from app.sources.literal_inserts.leads import begins, end_of_statement, goes_on
from app.sources.literal_inserts.table_rows import TableRows
from app.sources.literal_inserts.targets import RowGroups, Targets
from app.sources.parallel import Helper
from app.tables.dictionary import IntArray

BLOCK_BYTES = 2 * 1024 * 1024
_FIRST_BLOCK, _MOST_BLOCK = 16 * 1024, 8 * 1024 * 1024
_SHORT_RUN = 64
_MOST_SHORT_RUNS = 256
"""A block costs as much as a hundred rows read one by one, so a script of many short runs is left to SQLite."""


@dataclass(frozen=True, eq=False, slots=True)
class _Aim:
    """A table that rows go to, the place of each of its columns in such a row (-1: left out), and the row's width."""

    table: TableRows
    places: list[int]
    width: int


class RunReader:
    """Reads the rows of a script; `table_of` gives the table of a folded name, or raises `UnusualScriptError`."""

    def __init__(
        self,
        content: bytes,
        max_rows: int,
        table_of: Callable[[str], TableRows],
        helper: Helper,
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        self._content = content
        self._block_bytes = block_bytes
        self._helper = helper
        self._bytes: Bytes = np.frombuffer(content, np.uint8)
        self._left, self._short_runs = max_rows, 0
        self._table_of = table_of
        self._targets = Targets()
        self._aims: list[_Aim] = []

    def read(self, start: int) -> int | None:
        """Read the INSERTs that begin at an offset; the offset after them, or None where there are none.

        Raises `UnusualScriptError` where the rows, or anything that stands between them, are not plain.
        """
        if not begins(self._content, start):
            return None
        before, at, current, size = self._left, start, None, min(_FIRST_BLOCK, self._block_bytes)
        goes_on_there = True
        while goes_on_there:
            check_deadline()
            rows = self._read_block(at, size, current)
            is_last = rows.ends or at + size >= len(self._content)
            if len(rows.targets):
                at, current, size = at + rows.end, int(rows.targets[-1]), min(2 * size, self._block_bytes)
            elif not is_last:
                size = _grown(size)
            goes_on_there = not is_last and (current is None or goes_on(self._content, at))
        if current is None:
            raise UnusualScriptError
        self._count_run(before - self._left)
        return end_of_statement(self._content, at)

    def _count_run(self, rows: int) -> None:
        self._short_runs += rows < _SHORT_RUN
        if self._short_runs > _MOST_SHORT_RUNS:
            raise UnusualScriptError

    def _read_block(self, at: int, size: int, current: int | None) -> RowGroups:
        block = self._bytes[at : at + size]
        groups = find_groups(block)
        rows = self._targets.rows(block, groups, current)
        self._left -= len(rows.targets)
        if self._left < 0:
            raise UnusualScriptError
        if len(rows.targets):
            self._check_widths(groups, rows)
            fields = read_fields(block, groups, int(rows.groups[-1]) + 1)
            first_fields = groups.first_fields[rows.groups]
            self._helper.give(lambda: self._add(fields, first_fields, rows.targets))
        return rows

    def _check_widths(self, groups: Groups, rows: RowGroups) -> None:
        self._aims += [self._aim(place) for place in range(len(self._aims), len(self._targets.found))]
        widths = groups.first_fields[rows.groups + 1] - groups.first_fields[rows.groups]
        present, places = distinct_codes(rows.targets)
        wanted = np.array([self._aims[target].width for target in present.tolist()])
        if (widths != wanted[places]).any():
            raise UnusualScriptError

    def _add(self, fields: Fields, first_fields: IntArray, targets: IntArray) -> None:
        """Give all rows of a block to their tables."""
        present = distinct_codes(targets)[0].tolist()
        for table in dict.fromkeys(self._aims[target].table for target in present):
            aims = [target for target in present if self._aims[target].table is table]
            chosen = np.isin(targets, aims) if len(aims) < len(present) else np.ones(len(targets), np.bool_)
            table.add(fields, first_fields[chosen], self._places(aims, targets[chosen]))

    def _aim(self, place: int) -> _Aim:
        target = self._targets.found[place]
        table = self._table_of(target.table)
        places = table.places(target.columns)
        return _Aim(table, places, len(places) if target.columns is None else len(target.columns))

    def _places(self, aims: list[int], targets: IntArray) -> IntArray:
        """The places of all columns in rows for one table, shape (columns, rows), or (columns, 1) for one target."""
        places = np.array([self._aims[aim].places for aim in aims]).T
        return places if len(aims) == 1 else places[:, np.searchsorted(aims, targets)]


def _grown(size: int) -> int:
    """A larger block, where none held a whole row; rows of such a size are left to SQLite and its limits."""
    if size >= _MOST_BLOCK:
        raise UnusualScriptError
    return 2 * size
