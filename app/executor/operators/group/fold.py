"""Fold: a branch that only counts and sums is added up by parent row instead of being joined row by row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from app.executor.operators.frame import Alias, Frame, Message, Partial
from app.executor.operators.group.aggregations import Foldable
from app.executor.operators.group.frame_groups import Groups
from app.executor.operators.protocol import Operator
from app.graph.model.adjacency import Pointers


@dataclass(slots=True)
class Fold(Operator):
    """Runs the branch's own operators from its child alias, then groups by parent row.

    A left join keeps a parent without children once.
    """

    parent: Alias
    child: Alias
    pointers: Pointers
    operators: Sequence[Operator]
    aggregations: Mapping[int, Foldable]
    left: bool
    text: str

    @override
    def prepare(self) -> None:
        for operator in self.operators:
            operator.prepare()

    @override
    def examined(self) -> int:
        return sum(operator.examined() for operator in self.operators)

    def run(self, frame: Frame) -> None:
        """Add the branch's message."""
        branch = Frame()
        for operator in self.operators:
            operator.run(branch)
        codes = branch.at(self.child, self.pointers.pointers)
        groups = Groups.of(branch, codes, self.pointers.parents)
        partials = {output: aggregation.partial(groups) for output, aggregation in self.aggregations.items()}
        counts = np.maximum(groups.counts, 1) if self.left else groups.counts
        frame.messages += (Message(self.parent, counts, partials),)

    @override
    def describe(self) -> str:
        inner = "; ".join(operator.describe() for operator in self.operators)
        return f"Fold {self.text} ({inner})"


@dataclass(slots=True)
class FoldDegrees(Operator):
    """A branch of one hop that only counts its rows (`counts`, by output): the adjacency knows their number."""

    parent: Alias
    pointers: Pointers
    counts: Sequence[int]
    left: bool
    text: str

    @override
    def prepare(self) -> None:
        _ = self.pointers.widths if self.left else self.pointers.degrees

    def run(self, frame: Frame) -> None:
        """Add the branch's message."""
        degrees = self.pointers.degrees
        counts = self.pointers.widths if self.left else degrees
        frame.messages += (Message(self.parent, counts, dict.fromkeys(self.counts, Partial(None, degrees))),)

    @override
    def describe(self) -> str:
        return f"FoldDegrees {self.text}"
