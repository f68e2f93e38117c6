"""Aggregate: joined rows become groups with their outputs."""

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from app.executor.columns.views.column_view import ColumnView
from app.executor.operators.frame import Frame, Key, Result
from app.executor.operators.group.aggregations import Aggregator
from app.executor.operators.group.frame_groups import Groups, Present, present_groups
from app.executor.operators.group.group import Group
from app.executor.operators.protocol import Operator


@dataclass(frozen=True, slots=True)
class KeyOutput(Aggregator):
    """An output that is a part of the groups' key: its offset there, the view that reads it, whether it may be NULL."""

    group: Group
    key: int
    view: ColumnView
    optional: bool

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        assert present is not None, "keys belong to groups"
        return Key(self.view, self.group.key_rows(groups.frame, present, self.key), self.optional)


@dataclass(slots=True)
class Aggregate(Operator):
    """Outputs in the plan's order; without group keys all rows are one group, even if there are none."""

    grouped: bool
    outputs: Sequence[Aggregator]
    text: str

    def run(self, frame: Frame) -> None:
        """Set the frame's results, one value a group that has rows."""
        groups = Groups.of(frame, frame.codes, frame.size)
        present = present_groups(groups.counts) if self.grouped else None
        frame.results = [output.result(groups, present) for output in self.outputs]
        frame.rows, frame.length = {}, 1 if present is None else len(groups.counts[present])

    @override
    def describe(self) -> str:
        return f"Aggregate{self.text}"
