"""Forward gather: from child rows to their parent rows, through pointers; the number of rows stays."""

from dataclasses import dataclass

from typing_extensions import override

from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator
from app.graph.model.adjacency import Pointers


@dataclass(slots=True)
class ForwardGather(Operator):
    """Rows without a parent were filtered out before."""

    child: Alias
    parent: Alias
    pointers: Pointers
    text: str

    def run(self, frame: Frame) -> None:
        """Set the parent's rows."""
        frame.rows[self.parent] = frame.at(self.child, self.pointers.pointers)

    @override
    def describe(self) -> str:
        return f"ForwardGather {self.text}"
