"""Rows in the order of their attribute entities: what entities are to rows, a clustered index is to a table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from app.executor.columns.runs import Runs
from app.executor.columns.vector import Array
from app.executor.indexes.attribute_index import AttributeIndex
from app.graph.model.adjacency import Pointers
from app.tables.dictionary import BoolArray, IntArray

Hops = tuple[Pointers, ...]
"""Pointers from child to parent, one after the other."""


@dataclass(frozen=True, eq=False)
class Clustering:
    """The rows of a table whose attribute is `hops` away, entity by entity, and rows of one entity as they stand.

        row            0  1  2  3  4      their attribute: b a b NULL a
        order        [ 3 | 1  4 | 0  2 ]   int64, shape (clustered rows,)
        bounds       [ 0   1      3      5 ]   int64, shape (clusters + 1,)

    Cluster 0 has the rows where the attribute is NULL, cluster i the rows of `entities[i - 1]`; entities that are
    equal by the column's collation follow one another. `clusters` point from each row to its cluster, -1 if it is
    in none. Cluster i are the rows `order[bounds[i] : bounds[i + 1]]`. Columns are kept in this order once a plan
    reads them, which is what makes it worth having.
    """

    index: AttributeIndex
    entities: IntArray
    clusters: Pointers
    _columns: dict[tuple[int, Hops], tuple[Array, Array]] = field(default_factory=dict)
    _offsets: dict[Hops, IntArray] = field(default_factory=dict)

    @property
    def bounds(self) -> IntArray:
        """Where clusters begin and end, shape (clusters + 1,)."""
        return self.clusters.starts

    @cached_property
    def order(self) -> IntArray:
        """The rows, cluster by cluster, shape (clustered rows,); not needed if they are only counted."""
        return self.clusters.adjacency.all_children()

    @cached_property
    def runs(self) -> Runs:
        """The runs of all rows of each group of the attribute's values."""
        return self.runs_within(self.bounds)

    def runs_within(self, bounds: IntArray) -> Runs:
        """The same for some of the rows, of which clusters have those within these bounds."""
        return Runs(bounds.take(self._group_starts))

    @cached_property
    def _group_starts(self) -> IntArray:
        """For each group of the attribute's values, and for their end, the first of its clusters."""
        groups = self.index.values.groups
        codes = np.concatenate([np.zeros(1, np.int64), groups.codes.take(self.entities)])
        return codes.searchsorted(np.arange(groups.size + 1))

    def column(self, by_row: Array, hops: Hops) -> Array:
        """Values by row of the table that is `hops` away, in the clusters' order."""
        key = (id(by_row), hops)
        if key not in self._columns:
            # The array is kept as well, so that its id stays its own.
            self._columns[key] = by_row, (by_row.take(self._rows(hops)) if len(by_row) else by_row)
        return self._columns[key][1]

    def _rows(self, hops: Hops) -> IntArray:
        if not hops:
            return self.order
        if hops not in self._offsets:
            self._offsets[hops] = hops[-1].pointers.take(self._rows(hops[:-1]))
        return self._offsets[hops]


def clustering(rows: int, index: AttributeIndex, hops: Hops, joined: Sequence[Hops]) -> Clustering:
    """The clusters of `rows` rows; those that lack a parent along any of `joined` are in none."""
    entities = np.argsort(index.values.groups.codes, kind="stable")
    cluster_of = np.zeros(len(entities) + 1, np.int64)
    cluster_of[entities] = np.arange(1, len(entities) + 1)
    # Pointer -1, of NULL, finds the zero at the end.
    clusters = cluster_of.take(index.pointers.pointers)
    for pointers in reversed(hops):
        clusters = _through(clusters, pointers.pointers)
    missing = _without_parent(rows, joined)
    if missing is not None:
        clusters[missing] = -1
    return Clustering(index, entities, Pointers(clusters, len(cluster_of)))


def _composed(hops: Hops) -> IntArray | None:
    """The last row of the hops for each row, anything if there is none; None without hops."""
    found: IntArray | None = None
    for pointers in hops:
        found = pointers.pointers if found is None else _through(pointers.pointers, found)
    return found


def _through(values: IntArray, rows: IntArray) -> IntArray:
    return values.take(rows, mode="wrap") if len(values) else np.full(len(rows), -1)


def _without_parent(rows: int, joined: Sequence[Hops]) -> BoolArray | None:
    """Which rows lack a parent along some of these hops; None if none does."""
    missing: BoolArray | None = None
    for hops in joined:
        if not hops or hops[-1].total:
            continue
        absent = hops[-1].pointers < 0
        before = _composed(hops[:-1])
        if before is not None:
            absent = absent.take(before, mode="wrap") if len(absent) else np.ones(rows, np.bool_)
        missing = absent if missing is None else missing | absent
    return missing
