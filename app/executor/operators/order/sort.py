"""Sort: all joined rows or groups in order."""

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from app.executor.operators.frame import Frame
from app.executor.operators.order.sort_keys import SortKey, ascending, few_in_order, prepare_order, sorted_positions
from app.executor.operators.protocol import Operator


@dataclass(slots=True)
class Sort(Operator):
    """Orders by all keys, the first key first.

    `by_group_keys` says that the order is that of the groups' own keys, which may come out in order.
    """

    keys: Sequence[SortKey]
    text: str
    by_group_keys: bool = False

    @override
    def prepare(self) -> None:
        prepare_order(self.keys)

    def run(self, frame: Frame) -> None:
        """Reorder the frame."""
        if frame.length < 2 or (self.by_group_keys and frame.in_order):
            return
        if few_in_order(frame, self.keys):
            return
        first = ascending(self.keys[0].values(frame), descending=self.keys[0].descending)
        if bool((first[1:] > first[:-1]).all()):
            return
        others = (ascending(key.values(frame), descending=key.descending) for key in self.keys[1:])
        positions = sorted_positions([first, *others])
        if positions is not None:
            frame.keep(positions)

    @override
    def describe(self) -> str:
        return f"Sort{self.text}"
