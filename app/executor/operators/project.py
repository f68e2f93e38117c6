"""Project: the answer's columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from app.executor.columns.vector import Vector
from app.executor.columns.views.column_view import ColumnView
from app.executor.operators.access import Access
from app.executor.operators.frame import Frame
from app.executor.operators.protocol import Operator


@dataclass(frozen=True, slots=True)
class ColumnOutput:
    """An output that is a column of joined rows."""

    view: ColumnView
    access: Access

    def vector(self, frame: Frame) -> Vector:
        """The column for each joined row."""
        rows = self.access.rows(frame)
        if rows is None:
            return self.view.whole()
        return self.view.take_optional(rows) if self.access.optional else self.view.take(rows)


@dataclass(slots=True)
class ProjectColumns(Operator):
    """Reads columns for the joined rows that are left."""

    outputs: Sequence[ColumnOutput]
    text: str

    def run(self, frame: Frame) -> None:
        """Set the frame's vectors."""
        frame.vectors = [output.vector(frame) for output in self.outputs]

    @override
    def describe(self) -> str:
        return f"Project{self.text}"


@dataclass(slots=True)
class ProjectGroups(Operator):
    """Hands on the groups' outputs."""

    text: str

    def run(self, frame: Frame) -> None:
        """Set the frame's vectors."""
        frame.vectors = [result.vector for result in frame.results]

    @override
    def describe(self) -> str:
        return f"Project{self.text}"
