"""Sort: all joined rows or groups in order."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.executor.frame import Frame
from app.executor.operators.protocol import Operator
from app.executor.sort_keys import SortKey, ascending, sorted_positions


@dataclass(slots=True)
class Sort(Operator):
    """Orders by all keys, the first key first.

    `by_group_keys` says that the order is that of the groups' own keys, which may come out in order.
    """

    keys: Sequence[SortKey]
    text: str
    by_group_keys: bool = False

    def run(self, frame: Frame) -> None:
        """Reorder the frame."""
        if frame.length > 1 and not (self.by_group_keys and frame.in_order):
            positions = sorted_positions([ascending(key.values(frame), descending=key.descending) for key in self.keys])
            if positions is not None:
                frame.keep(positions)

    def describe(self) -> str:
        """See `Operator`."""
        return f"Sort{self.text}"
