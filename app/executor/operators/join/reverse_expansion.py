"""Reverse expansion: from parent rows to all their child rows, through compressed adjacency."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from app.budget import RowLimit
from app.executor.columns.conditions import Condition
from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator, RowOrder
from app.graph.model.adjacency import Pointers


@dataclass(slots=True)
class ReverseExpansion(Operator):
    """Child rows that fail the conditions are dropped before the rest of the joined row is copied."""

    parent: Alias
    child: Alias
    pointers: Pointers
    conditions: Sequence[Condition]
    limit: RowLimit
    text: str

    @override
    def prepare(self) -> None:
        _ = self.pointers.adjacency

    def run(self, frame: Frame) -> None:
        """Set the child's rows."""
        parents = frame.listed(self.parent)
        kept, children = self.pointers.adjacency.expand(parents, self.limit)
        if kept is None:
            kept = np.zeros(len(children), np.int64)
        for condition in self.conditions:
            passed = condition.at(children).nonzero()[0]
            if len(passed) < len(children):
                kept, children = kept.take(passed), children.take(passed)
        frame.keep(kept)
        frame.rows[self.child] = children

    def order(self, before: RowOrder) -> RowOrder:
        """The children of a row stand in its place, in their own order."""
        return (*before, (self.child, False)) if before else before

    @override
    def describe(self) -> str:
        return f"ReverseExpansion {self.text}"
