"""A node's conditions: its filters, and what its parents demand of it; with their selectivity by a sample."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.executor.columns.conditions import Compare, Condition, Constant, OrNullRow, ThroughPointer
from app.executor.columns.views.column_view import ColumnView
from app.executor.indexes.index_cache import IndexCache
from app.executor.plan.join_tree import JoinTree, Link, Node
from app.workload.bound import BoundColumn, BoundFilter
from app.workload.plan import Comparison

_SAMPLE = 512


@dataclass(frozen=True, slots=True)
class Planned:
    """A condition, the share of rows that it is expected to keep, and its text; `part` is its filter, if it is one."""

    condition: Condition
    keeps: float
    text: str
    part: BoundFilter | None = None


class TableConditions:
    """Compiles the conditions of a tree's nodes; each filter once."""

    def __init__(self, tree: JoinTree, cache: IndexCache) -> None:
        self._tree = tree
        self._cache = cache

    @cached_property
    def _own(self) -> list[list[Planned]]:
        """The conditions of each node's own; clusters make do without them."""
        return [self._planned_all(node) for node in self._tree.nodes]

    def view(self, column: BoundColumn) -> ColumnView:
        """The view of a plan's column."""
        return self._cache.view(column.table, column.schema)

    def of(self, node: int, entered: Link | None) -> list[Planned]:
        """All conditions on a node's rows: own filters, then parents by inner joins, but not by the link `entered`.

        The most selective comes first in either part.
        """
        parents = [
            self._through(link) for link in self._tree.links_of(node, entered) if link.child == node and not link.left
        ]
        own = sorted(self._own[node], key=lambda planned: planned.keeps)
        demanded = (planned for planned in parents if planned is not None)
        return [*own, *sorted(demanded, key=lambda planned: planned.keeps)]

    def optional(self, node: int) -> list[Planned]:
        """The conditions of a node on the optional side of a left join: is_null, which rows of NULLs pass."""
        return [
            Planned(OrNullRow(planned.condition, passes=True), planned.keeps, planned.text)
            for planned in self._own[node]
        ]

    def existence(self, link: Link) -> list[Planned]:
        """The condition that a child has a parent, if some child has none."""
        if link.pointers.total:
            return []
        condition = ThroughPointer(link.pointers.pointers, False, link.pointers.parents, [])
        return [Planned(condition, _kept_share(condition, link.pointers.children), "has parent")]

    def keeps(self, planned: Sequence[Planned]) -> float:
        """The share of rows that several conditions are expected to keep together."""
        return float(np.prod([part.keeps for part in planned]))

    def _planned_all(self, node: Node) -> list[Planned]:
        planned = [self._planned(node, part) for part in node.filters]
        planned += [self._absent(link, node) for link in node.absent]
        return [part for part in planned if not (isinstance(part.condition, Constant) and part.condition.passes)]

    def _absent(self, link: Link, node: Node) -> Planned:
        """The condition that a left join finds nothing."""
        if link.child == node.offset:
            condition = Compare(link.pointers.pointers, operator.lt, 0, None)
        else:
            condition = Compare(link.pointers.degrees, operator.eq, 0, None)
        return Planned(condition, _kept_share(condition, node.rows), f"nothing by {link.text}")

    def _planned(self, node: Node, part: BoundFilter) -> Planned:
        condition = self.view(part.column).match(part.op, part.value)
        return Planned(condition, _kept_share(condition, node.rows), filter_text(part), part)

    def _through(self, link: Link) -> Planned | None:
        inner = self.of(link.parent, link)
        if not inner and link.pointers.total:
            return None
        conditions = [planned.condition for planned in inner]
        pointers = link.pointers
        condition = ThroughPointer(pointers.pointers, pointers.total, pointers.parents, conditions)
        share = self.keeps(inner) * self.keeps(self.existence(link))
        text = " and ".join(planned.text for planned in inner) or "has parent"
        return Planned(condition, share, text)


def filter_text(part: BoundFilter) -> str:
    """A filter as plans are explained."""
    text = f"{part.column.alias}.{part.column.name} {part.op}"
    return text if part.op in (Comparison.IS_NULL, Comparison.NOT_NULL) else f"{text} {part.value!r:.60}"


def _kept_share(condition: Condition, rows: int) -> float:
    """The share of a sample that passes; of an empty or fully failing sample, less than one row in it."""
    if rows == 0:
        return 1.0
    sample = np.arange(0, rows, max(rows // _SAMPLE, 1))
    passed = int(np.count_nonzero(condition.at(sample)))
    return max(passed, 0.5) / len(sample)
