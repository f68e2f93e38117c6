"""Left joins: row -1 of the optional side stands for a row of NULLs."""

from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from app.budget import RowLimit
from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator, RowOrder
from app.graph.model.adjacency import Pointers


@dataclass(slots=True)
class LeftGather(Operator):
    """From child rows to their parent row, if any."""

    child: Alias
    parent: Alias
    pointers: Pointers
    text: str

    def run(self, frame: Frame) -> None:
        """Set the parent's rows."""
        rows = frame.rows[self.child]
        if rows is None:
            frame.rows[self.parent] = self.pointers.pointers
        else:
            # One more pointer at the end answers for row -1.
            frame.rows[self.parent] = np.append(self.pointers.pointers, -1).take(rows, mode="wrap")

    @override
    def describe(self) -> str:
        return f"LeftGather {self.text}"


@dataclass(slots=True)
class LeftExpansion(Operator):
    """From parent rows to all their child rows, or to none."""

    parent: Alias
    child: Alias
    pointers: Pointers
    limit: RowLimit
    text: str

    @override
    def prepare(self) -> None:
        _ = self.pointers.adjacency

    def run(self, frame: Frame) -> None:
        """Set the child's rows."""
        parents = frame.listed(self.parent)
        kept, children = self.pointers.adjacency.expand_left(parents, self.limit)
        frame.keep(kept)
        frame.rows[self.child] = children

    def order(self, before: RowOrder) -> RowOrder:
        """The children of a row stand in its place, in their own order."""
        return (*before, (self.child, False)) if before else before

    @override
    def describe(self) -> str:
        return f"LeftExpansion {self.text}"
