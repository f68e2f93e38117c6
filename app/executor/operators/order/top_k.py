"""Top-k: the first k in order, without sorting the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from app.executor.columns.vector import Array
from app.executor.operators.frame import Frame
from app.executor.operators.order.sort_keys import FEW, SortKey, first_positions, prepare_order
from app.executor.operators.protocol import Operator
from app.tables.dictionary import IntArray

_SAMPLE = 4_096
_FEW_EACH = 16
"""Candidates are sorted at once if there are at most this many for each wanted row."""


@dataclass(slots=True)
class TopK(Operator):
    """A bound from a sample leaves few candidates; if ties leave many, the next key decides among them.

    `by_group_keys` is as in `Sort`.
    """

    keys: Sequence[SortKey]
    count: int
    text: str
    by_group_keys: bool = False

    @override
    def prepare(self) -> None:
        prepare_order(self.keys)

    def run(self, frame: Frame) -> None:
        """Keep the first `count` in order."""
        if frame.length <= 1:
            return
        wanted = min(self.count, frame.length)
        if self.by_group_keys and frame.in_order:
            frame.keep(np.arange(wanted))
            return
        candidates: IntArray | None = None
        if frame.length > FEW and wanted * 4 < frame.length:
            candidates = self._candidates(frame, wanted)
        first = first_positions(frame, self.keys, candidates, wanted)
        frame.keep(first if candidates is None else candidates.take(first))

    def _candidates(self, frame: Frame, wanted: int) -> IntArray:
        """Positions among which the first `wanted` are, usually not many more than that."""
        certain: list[IntArray] = []
        tied: IntArray | None = None
        for key in self.keys:
            values = key.values(frame, tied)
            near = _near(values, wanted, descending=key.descending)
            if len(near) <= wanted * _FEW_EACH + _SAMPLE:
                certain.append(near if tied is None else tied.take(near))
                tied = None
                break
            values = values.take(near)
            positions = near if tied is None else tied.take(near)
            before, equal = _split(values, wanted, descending=key.descending)
            certain.append(positions[before])
            wanted -= len(certain[-1])
            tied = positions[equal]
        if tied is not None:
            # Equal in all keys: any of them will do.
            certain.append(tied[:wanted])
        return np.concatenate(certain)

    @override
    def describe(self) -> str:
        return f"TopK {self.count}{self.text}"


def _near(values: Array, wanted: int, *, descending: bool) -> IntArray:
    """Positions of values up to a bound that at least `wanted` values meet, found from a sample."""
    step = max(len(values) // max(_SAMPLE, wanted * 4), 1)
    sample = values[::step]
    if len(sample) < wanted:
        sample = values
    if descending:
        bound = np.partition(sample, len(sample) - wanted)[len(sample) - wanted]
        near: IntArray = (values >= bound).nonzero()[0]
    else:
        bound = np.partition(sample, wanted - 1)[wanted - 1]
        near = (values <= bound).nonzero()[0]
    return near


def _split(values: Array, wanted: int, *, descending: bool) -> tuple[Array, Array]:
    """Which values come before the `wanted`-th in order for certain, and which are equal to it."""
    if descending:
        last = np.partition(values, len(values) - wanted)[len(values) - wanted]
        return values > last, values == last
    last = np.partition(values, wanted - 1)[wanted - 1]
    return values < last, values == last
