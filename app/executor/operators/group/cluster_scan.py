"""Cluster scan: joined rows in the order of attribute entities, read from columns that stand in that order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from typing_extensions import override

from app.budget import RowLimit
from app.executor.columns.conditions import Condition, all_of
from app.executor.columns.vector import Array
from app.executor.indexes.clustering import Clustering, Hops
from app.executor.operators.access import Access
from app.executor.operators.frame import Frame
from app.executor.operators.group.group import Group
from app.executor.operators.protocol import Operator
from app.tables.dictionary import IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAccess(Access):
    """Columns of an alias that is `path` away from the clustered rows, in the clusters' order."""

    clustering: Clustering
    path: Hops

    @override
    def prepare(self, by_row: Array) -> None:
        self.clustering.column(by_row, self.path)

    @override
    def is_whole(self, frame: Frame) -> bool:
        del frame
        return False

    @override
    def values(self, frame: Frame, by_row: Array) -> Array:
        ordered = self.clustering.column(by_row, self.path)
        return ordered if frame.window is None else ordered[frame.window]


@dataclass(slots=True)
class ClusterScan(Operator):
    """All rows, or those of the entities that meet conditions.

    If `groups` is set rows are grouped by their entity. `reads_rows` says that something reads the rows: else
    their number is known from the bounds.
    """

    reads_entities: ClassVar[bool] = True

    clustering: Clustering
    conditions: Sequence[Condition]
    groups: bool
    reads_rows: bool
    limit: RowLimit
    name: str
    text: str
    _examined: int = field(default=0, init=False)

    @override
    def prepare(self) -> None:
        _ = self.clustering.runs.counts

    def run(self, frame: Frame) -> None:
        """Set the frame's window, and its runs if rows are grouped by them."""
        bounds = self.clustering.bounds
        if self.conditions:
            chosen = all_of(self.conditions).take(self.clustering.entities).nonzero()[0] + 1
            if self.groups or not _follow_one_another(chosen):
                bounds = self._gathered(frame, chosen)
            else:
                bounds = self._slice(frame, chosen)
        frame.length = int(bounds[-1])
        self._examined = frame.length if self.reads_rows else len(bounds) - 1
        if self.groups:
            frame.codes = self.clustering.runs_within(bounds) if self.conditions else self.clustering.runs

    def _slice(self, frame: Frame, clusters: IntArray) -> IntArray:
        """Join the rows of clusters that follow one another; their bounds."""
        if len(clusters) == 0:
            frame.window = slice(0, 0)
            return np.zeros(1, np.int64)
        bounds = self.clustering.bounds[clusters[0] : clusters[-1] + 2]
        frame.window = slice(int(bounds[0]), int(bounds[-1]))
        return np.asarray(bounds - bounds[0])

    def _gathered(self, frame: Frame, clusters: IntArray) -> IntArray:
        """Join the rows of any clusters; the bounds of all clusters among them."""
        starts, ends = self.clustering.bounds[:-1], self.clustering.bounds[1:]
        sizes = np.zeros(len(starts), np.int64)
        sizes[clusters] = ends[clusters] - starts[clusters]
        bounds = np.zeros(len(starts) + 1, np.int64)
        np.cumsum(sizes, out=bounds[1:])
        self.limit.check(int(bounds[-1]))
        if self.reads_rows:
            frame.window = (starts - bounds[:-1]).repeat(sizes) + np.arange(bounds[-1])
        return bounds

    def examined(self) -> int:
        """Rows that the last run looked at; entities if it only counted."""
        return self._examined

    @override
    def describe(self) -> str:
        return f"AttributeClusters {self.name} by {self.clustering.index.label}{self.text}"


def _follow_one_another(clusters: IntArray) -> bool:
    return len(clusters) == 0 or int(clusters[-1] - clusters[0]) == len(clusters) - 1


@dataclass(slots=True)
class ClusterGroup(Group):
    """Groups that are clusters; the scan has set them."""

    @override
    def prepare(self) -> None:
        pass

    def run(self, frame: Frame) -> None:
        """Say how many groups there are, and whether they are in order."""
        (key,) = self.keys
        frame.size, frame.in_order = key.keys.size, key.keys.ordered
