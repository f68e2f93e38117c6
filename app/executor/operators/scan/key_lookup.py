"""Key lookup: the rows that have given keys, by a key index."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from typing_extensions import override

from app.budget import RowLimit
from app.executor.columns.views.keys import KeyIndex
from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator, RowOrder


@dataclass(slots=True)
class KeyLookup(Operator):
    """Rows whose column equals one of `keys` (distinct, as the column's view numbers them)."""

    alias: Alias
    name: str
    index: KeyIndex
    keys: Sequence[Any]
    limit: RowLimit
    found: int = field(default=0, init=False)

    def run(self, frame: Frame) -> None:
        """Set the alias' rows."""
        if len(self.keys) == 1:
            rows = self.index.rows(self.keys[0])
        else:
            rows = np.concatenate([self.index.rows(key) for key in self.keys] or [np.zeros(0, np.int64)])
        self.found = len(rows)
        self.limit.check(self.found)
        frame.rows[self.alias], frame.length = rows, self.found

    def order(self, before: RowOrder) -> RowOrder:
        """The rows of one key stand in their table's order."""
        return ((self.alias, False),) if len(self.keys) == 1 else before

    def examined(self) -> int:
        """Rows that the last run looked at."""
        return self.found

    @override
    def describe(self) -> str:
        return f"KeyLookup {self.name} [{len(self.keys)} keys]"
