"""Paths along foreign keys that really lead somewhere, with how many ways lead to each end row."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.budget import check_deadline
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey, RelationalSchema
from app.tables.table import Table
from app.workload.plan import MAX_JOINS

Pointers = Mapping[ForeignKey, IntArray]
"""For each foreign key and child row its parent row, or a negative number (see `app.tables.matching`)."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One step along a foreign key; forward runs from child to parent."""

    key: ForeignKey
    forward: bool

    @property
    def target(self) -> str:
        """The table it enters."""
        return self.key.ref_table if self.forward else self.key.table


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """A chain of hops from all rows of `root`.

    `ways[row]` is the number of chains that end in that row of the last table, int64; `unmatched` is the number of
    root rows from which the first hop leads nowhere; `peak` is the most rows that any step of the chain
    has, rows kept by a left join of the first hop included.
    """

    root: str
    hops: tuple[Hop, ...]
    ways: IntArray
    unmatched: int
    peak: int

    @property
    def end(self) -> str:
        """The last table."""
        return self.hops[-1].target if self.hops else self.root

    @property
    def total(self) -> int:
        """Rows of the whole chain."""
        return int(self.ways.sum())

    def may_take(self, hop: Hop) -> bool:
        """Whether a hop is neither an immediate return over the same key nor a repetition."""
        returns = bool(self.hops) and self.hops[-1].key == hop.key and self.hops[-1].forward != hop.forward
        return not returns and hop not in self.hops


@dataclass(frozen=True, eq=False)
class PathFinder:
    """Finds paths over a source; no step of a path has more than `row_limit` rows."""

    schema: RelationalSchema
    tables: Mapping[str, Table]
    pointers: Pointers
    row_limit: int

    def paths(self, root: str, most: int) -> Iterator[Path]:
        """Up to `most` paths from a table that reach rows, short ones first."""
        frontier = [self._start(root)]
        for _ in range(MAX_JOINS):
            longer = (self._extended(path, hop) for path in frontier for hop in self._hops(path))
            frontier = []
            for path in longer:
                if path.total and path.peak <= self.row_limit:
                    frontier.append(path)
                    yield path
                    most -= 1
                if most <= 0:
                    return

    def starts(self, path: Path) -> IntArray:
        """The rows of the root from which at least one chain leads to the end, ascending."""
        reach = np.ones(len(path.ways), np.bool_)
        for hop in reversed(path.hops):
            check_deadline()
            pointers = self.pointers[hop.key]
            linked = np.flatnonzero(pointers >= 0)
            if hop.forward:
                back = np.zeros(len(pointers), np.bool_)
                back[linked] = reach[pointers[linked]]
            else:
                back = np.zeros(self.tables[hop.key.ref_table].row_count, np.bool_)
                back[pointers[linked[reach[linked]]]] = True
            reach = back
        return np.flatnonzero(reach)

    def _start(self, root: str) -> Path:
        rows = self.tables[root].row_count
        return Path(root, (), np.ones(rows, np.int64), 0, rows)

    def _hops(self, path: Path) -> Iterator[Hop]:
        return filter(path.may_take, self._hops_from.get(path.end, ()))

    @cached_property
    def _hops_from(self) -> Mapping[str, list[Hop]]:
        """The hops that leave each table, in the order of their keys."""
        hops: defaultdict[str, list[Hop]] = defaultdict(list)
        for key in self.schema.foreign_keys:
            hops[key.table].append(Hop(key, forward=True))
            hops[key.ref_table].append(Hop(key, forward=False))
        return hops

    def _extended(self, path: Path, hop: Hop) -> Path:
        check_deadline()
        pointers = self.pointers[hop.key]
        linked = np.flatnonzero(pointers >= 0)
        if hop.forward:
            parents = self.tables[hop.target].row_count
            ways = np.bincount(pointers[linked], path.ways[linked], parents).astype(np.int64)
        else:
            ways = np.zeros(len(pointers), np.int64)
            ways[linked] = path.ways[pointers[linked]]
        unmatched = path.unmatched if path.hops else self._unmatched(path, hop, linked)
        rows = int(ways.sum()) + (0 if path.hops else unmatched)
        return Path(path.root, (*path.hops, hop), ways, unmatched, max(path.peak, rows))

    def _unmatched(self, path: Path, hop: Hop, linked: IntArray) -> int:
        rows = len(path.ways)
        return rows - (len(linked) if hop.forward else len(np.unique(self.pointers[hop.key][linked])))
