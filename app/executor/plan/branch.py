"""The operators that join a tree's nodes outward from one node, and what they are expected to cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.executor.indexes.index_cache import IndexCache
from app.executor.operators.access import Access
from app.executor.operators.group.aggregations import Foldable
from app.executor.operators.group.fold import Fold, FoldDegrees
from app.executor.operators.join.forward_gather import ForwardGather
from app.executor.operators.join.left_join import LeftExpansion, LeftGather
from app.executor.operators.join.reverse_expansion import ReverseExpansion
from app.executor.operators.protocol import Operator
from app.executor.operators.scan.filter import FilterRows
from app.executor.operators.scan.scan import Scan
from app.executor.plan.access_path import AccessPath, access_path
from app.executor.plan.join_tree import JoinTree, Link
from app.executor.plan.limits import QueryLimits
from app.executor.plan.plan_needs import PlanNeeds
from app.executor.plan.table_conditions import Planned, TableConditions

STEP_COST = 2_000.0
"""Nanoseconds that any step takes; other costs are nanoseconds a row, measured once on one machine."""

_GATHER, _EXPAND, _GROUP = 2.0, 10.0, 4.0

_FOLDED_SHARE = 4
"""A branch is folded, for all parents at once, from one joined row for each this many parents."""


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What the compilation of one plan shares; `foldable` makes the aggregation of an output in a branch."""

    tree: JoinTree
    conditions: TableConditions
    needs: PlanNeeds
    cache: IndexCache
    limits: QueryLimits
    foldable: Callable[[int, "Branch"], Foldable]

    def counts_rows(self, output: int, link: Link) -> bool:
        """Whether an output counts the child rows that a link joins, since the column that it counts is never NULL."""
        column = self.needs.counted.get(output)
        if column is None or column.alias != self.tree.nodes[link.child].alias:
            return False
        return column.name in link.columns or self.conditions.view(column).nulls is None


class Branch:
    """The part of a tree that is reached from `start` without `entered`.

    `access` says how each joined node is read; `messages` has the offset of the message that holds a folded output.
    """

    def __init__(self, context: PlanContext, start: int, entered: Link | None = None) -> None:
        self.operators: list[Operator] = []
        self.access: dict[int, Access] = {start: Access(start)}
        self.messages: dict[int, int] = {}
        self.cost = 0.0
        self._context = context
        self._message_count = 0
        self._start = self._begin(start, entered)
        self.length = self._start.found * context.conditions.keeps(self._start.remaining)
        self._visit(start, entered)
        if context.needs.counts_rows_only and entered is None and len(self.operators) == 1:
            self._start.operator.count_only()

    @property
    def scan(self) -> Scan | None:
        """The scan of a table that the branch begins with, if it does."""
        return self._start.scan

    def _begin(self, start: int, entered: Link | None) -> AccessPath:
        context = self._context
        node, rows = context.tree.nodes[start], context.limits.rows
        counts_only = context.needs.counts_rows_only and len(context.tree.nodes) == 1
        path = access_path(node, context.conditions, context.cache, rows, entered, counts_only=counts_only)
        self._add(path.operator, path.cost)
        if path.remaining:
            self._add(_filter(start, path.remaining), path.found * len(path.remaining))
        return path

    def _add(self, operator: Operator, cost: float) -> None:
        self.operators.append(operator)
        self.cost += STEP_COST + cost

    def _visit(self, node: int, entered: Link | None) -> None:
        links = list(self._context.tree.links_of(node, entered))
        for link in links:
            if link.child == node:
                (self._left_forward if link.left else self._forward)(node, link)
        reverse = sorted((link for link in links if link.parent == node), key=lambda link: link.left)
        expanded = [link for link in reverse if not self._fold(link)]
        for link in expanded:
            self._expand(node, link)

    def _forward(self, node: int, link: Link) -> None:
        parent, needs = link.parent, self._context.needs
        beyond = self._context.tree.beyond(parent, link)
        uses = sum(needs.uses[one] for one in beyond)
        bound = self._needs_rows(parent, link)
        if not bound and not uses:
            return
        if bound or uses > 1:
            self._add(ForwardGather(node, parent, link.pointers, link.text), self.length * _GATHER)
            self.access[parent] = Access(parent)
        else:
            base = self.access[node]
            self.access[parent] = Access(base.alias, hops=(*base.hops, link.pointers.pointers))
            self.cost += self.length * _GATHER
        self._visit(parent, link)

    def _needs_rows(self, node: int, entered: Link) -> bool:
        """Whether joins go on from a node in a way that needs its rows."""
        return any(
            link.left or link.parent == node or self._needs_rows(link.parent, link)
            for link in self._context.tree.links_of(node, entered)
        )

    def _left_forward(self, node: int, link: Link) -> None:
        tree, parent = self._context.tree, link.parent
        beyond = tree.beyond(parent, link)
        used = any(self._context.needs.uses[one] or tree.nodes[one].filters for one in beyond)
        if not used and not self._needs_rows(parent, link):
            return
        self._add(LeftGather(node, parent, link.pointers, link.text), self.length * _GATHER)
        self._continue_left(parent, link)

    def _continue_left(self, node: int, link: Link) -> None:
        self.access[node] = Access(node, optional=True)
        conditions = self._context.conditions.optional(node)
        if conditions:
            self._add(_filter(node, conditions), self.length)
            self.length *= self._context.conditions.keeps(conditions)
        self._visit(node, link)

    def _expand(self, node: int, link: Link) -> None:
        child, rows = link.child, self._context.limits.rows
        degree = link.pointers.children / max(link.pointers.parents, 1)
        self.length *= max(degree, 1.0) if link.left else degree
        if link.left:
            self._add(LeftExpansion(node, child, link.pointers, rows, link.text), self.length * _EXPAND)
            self._continue_left(child, link)
            return
        planned = self._context.conditions.of(child, link)
        conditions = [part.condition for part in planned]
        text = link.text + "".join(f" and {part.text}" for part in planned)
        self._add(ReverseExpansion(node, child, link.pointers, conditions, rows, text), self.length * _EXPAND)
        self.length *= self._context.conditions.keeps(planned)
        self.access[child] = Access(child)
        self._visit(child, link)

    def _fold(self, link: Link) -> bool:
        """Add the branch beyond a link up, if it may be and the rows so far are enough of its parents."""
        context = self._context
        if self.access[link.parent].optional or self.length * _FOLDED_SHARE < link.pointers.parents:
            return False
        if not context.needs.may_fold(context.tree, link.child, link):
            return False
        branch = Branch(context, link.child, link)
        outputs = [
            output
            for node in sorted(context.tree.beyond(link.child, link))
            for output in context.needs.foldable.get(node, ())
        ]
        whole = len(branch.operators) == 1 and not context.conditions.of(link.child, link)
        if whole and all(context.counts_rows(output, link) for output in outputs):
            fold = FoldDegrees(link.parent, link.pointers, outputs, link.left, link.text)
            self._add(fold, self.length * _GATHER)
        else:
            self._add_fold(link, branch, outputs)
        self.messages.update(dict.fromkeys(outputs, self._message_count))
        self._message_count += 1
        return True

    def _add_fold(self, link: Link, branch: "Branch", outputs: Sequence[int]) -> None:
        aggregations = {output: self._context.foldable(output, branch) for output in outputs}
        steps = branch.operators
        fold = Fold(link.parent, link.child, link.pointers, steps, aggregations, link.left, link.text)
        self._add(fold, branch.cost + branch.length * _GROUP * (1 + len(outputs)) + self.length * _GATHER)


def _filter(node: int, planned: Sequence[Planned]) -> FilterRows:
    return FilterRows(node, [part.condition for part in planned], " " + " and ".join(part.text for part in planned))
