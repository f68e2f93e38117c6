"""Limit: the first rows, if no order needs them to be found."""

from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from app.executor.operators.frame import Frame
from app.executor.operators.protocol import Operator


@dataclass(slots=True)
class Limit(Operator):
    """Keeps at most `count` joined rows or groups; for plans without an order, or whose rows are in it."""

    count: int

    def run(self, frame: Frame) -> None:
        """Cut the frame."""
        if frame.length > self.count:
            frame.keep(np.arange(self.count))

    @override
    def describe(self) -> str:
        return f"Limit {self.count}"
