"""Scan: all rows of a table, or those that meet its conditions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from app.budget import RowLimit
from app.executor.columns.conditions import Condition, all_of
from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator, RowOrder


@dataclass(slots=True)
class Scan(Operator):
    """The first `dense` conditions are tested on all rows, the others on the rows that are left.

    If nothing reads the rows (`counts_only`) they are counted and not listed.
    """

    alias: Alias
    name: str
    table_rows: int
    conditions: Sequence[Condition]
    dense: int
    counts_only: bool
    limit: RowLimit
    text: str

    def run(self, frame: Frame) -> None:
        """Set the alias' rows."""
        if not self.conditions:
            frame.rows[self.alias], frame.length = None, self.table_rows
            return
        mask = all_of(self.conditions[: self.dense])
        if self.counts_only and self.dense == len(self.conditions):
            frame.length = int(np.count_nonzero(mask))
            return
        rows = mask.nonzero()[0]
        for condition in self.conditions[self.dense :]:
            rows = rows[condition.at(rows)]
        self.limit.check(len(rows))
        frame.rows[self.alias], frame.length = rows, len(rows)

    def count_only(self) -> None:
        """Count the rows that pass instead of listing them."""
        self.counts_only = True

    def order(self, before: RowOrder) -> RowOrder:
        """The rows stand in their table's order."""
        return ((self.alias, False), *before)

    def examined(self) -> int:
        """Rows that a run looks at."""
        return self.table_rows

    @override
    def describe(self) -> str:
        return f"Scan {self.name} [{self.table_rows} rows]{self.text}"
