"""Attribute order: the first rows in the order of a column, found through its entities."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from typing_extensions import override

from app.budget import RowLimit
from app.executor.indexes.attribute_index import AttributeIndex
from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator
from app.tables.dictionary import IntArray


@dataclass(slots=True)
class AttributeOrder(Operator):
    """Rows of the root, entity by entity in their values' order, until there are `count`; all rows of the last value.

    What else the plan orders by is left to the step that follows. If that is the order of the table itself (`cuts`),
    no more rows than `count` are wanted.
    """

    reads_entities: ClassVar[bool] = True

    alias: Alias
    name: str
    index: AttributeIndex
    count: int
    descending: bool
    cuts: bool
    limit: RowLimit
    _entities: IntArray = field(init=False)
    _values: IntArray = field(init=False)
    _rows: IntArray = field(init=False)
    _found: int = field(default=0, init=False)

    def prepare(self) -> None:
        """Put the entities in order; `_values` and `_rows` say where each value's entities and rows end."""
        keys = self.index.values.order
        self._entities = np.argsort(keys)[:: -1 if self.descending else 1]
        ordered = keys.take(self._entities)
        self._values = np.append((ordered[1:] != ordered[:-1]).nonzero()[0] + 1, len(ordered))
        self._rows = self.index.pointers.degrees.take(self._entities).cumsum().take(self._values - 1)
        # Rows of one entity stand in their table's order, rows of several with equal values do not.
        self.cuts = self.cuts and len(self._values) == len(ordered)
        _ = self.index.pointers.adjacency

    def run(self, frame: Frame) -> None:
        """Set the alias' rows."""
        last = min(int(self._rows.searchsorted(self.count)), len(self._values) - 1)
        _, rows = self.index.pointers.adjacency.expand(self._entities[: self._values[last]], self.limit)
        rows = rows[: self.count] if self.cuts else rows
        self._found = len(rows)
        frame.rows[self.alias], frame.length = rows, len(rows)

    def examined(self) -> int:
        """Rows that the last run looked at."""
        return self._found

    @override
    def describe(self) -> str:
        direction = "descending" if self.descending else "ascending"
        return f"AttributeIndex {self.name} by {self.index.label}, {direction} until {self.count}"
