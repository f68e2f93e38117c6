"""Ordered prefix: joins rows in the order of their table until there are as many as a limit wants."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from typing_extensions import override

from app.executor.columns.conditions import Condition
from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator, RowOrder

_GROWTH = 4


@dataclass(slots=True)
class OrderedPrefix(Operator):
    """The rows of `alias` stand in the order of the plan's first sort key, which tells them apart.

    So what is joined to the first rows comes before everything else, and the rest need not be looked at. `first` rows
    are tried at first, then more and more.
    """

    alias: Alias
    name: str
    table_rows: int
    descending: bool
    conditions: Sequence[Condition]
    operators: Sequence[Operator]
    count: int
    first: int
    text: str
    _examined: int = field(default=0, init=False)

    @override
    def prepare(self) -> None:
        for operator in self.operators:
            operator.prepare()

    def run(self, frame: Frame) -> None:
        """Set the rows of all aliases."""
        parts: list[Frame] = []
        done, size, found = 0, self.first, 0
        while not parts or (done < self.table_rows and found < self.count):
            end = min(done + size, self.table_rows)
            parts.append(self._joined(np.arange(done, end)))
            done, size, found = end, size * _GROWTH, found + parts[-1].length
        self._examined = done
        frame.length = found
        frame.rows.update({alias: _concatenated(parts, alias) for alias in parts[0].rows})

    def _joined(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Frame:
        if self.descending:
            rows = self.table_rows - 1 - rows
        for condition in self.conditions:
            rows = rows[condition.at(rows)]
        part = Frame({self.alias: rows}, len(rows))
        for operator in self.operators:
            operator.run(part)
        return part

    def order(self, before: RowOrder) -> RowOrder:
        """The order of the table, and then that of what is joined to it."""
        order = ((self.alias, self.descending), *before)
        for operator in self.operators:
            order = operator.order(order)
        return order

    def examined(self) -> int:
        """Rows that the last run looked at."""
        return self._examined

    @override
    def describe(self) -> str:
        inner = "".join(f"; {operator.describe()}" for operator in self.operators)
        return f"OrderedPrefix {self.name} until {self.count}{self.text}{inner}"


def _concatenated(parts: Sequence[Frame], alias: Alias) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    rows = [part.rows[alias] for part in parts]
    listed = [one for one in rows if one is not None]
    assert len(listed) == len(rows), "chunks always list their rows"
    return listed[0] if len(listed) == 1 else np.concatenate(listed)
