"""A bound plan -> operators over a graph."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.executor.columns.views.column_view import ColumnView
from app.executor.indexes.index_cache import IndexCache
from app.executor.operators.access import Access
from app.executor.operators.group.aggregate import Aggregate, KeyOutput
from app.executor.operators.group.aggregations import (
    Aggregator,
    CountRows,
    CountValues,
    Foldable,
    Folded,
    MixedSum,
    Sum,
)
from app.executor.operators.group.cluster_scan import ClusterGroup
from app.executor.operators.group.column_state import ColumnState
from app.executor.operators.group.extreme import Extreme
from app.executor.operators.group.group import Group, GroupKey
from app.executor.operators.order.limit import Limit
from app.executor.operators.order.ordered_prefix import OrderedPrefix
from app.executor.operators.order.sort import Sort
from app.executor.operators.order.sort_keys import ColumnKey, ResultKey, SortKey, are_met
from app.executor.operators.order.top_k import TopK
from app.executor.operators.project import ColumnOutput, ProjectColumns, ProjectGroups
from app.executor.operators.protocol import Operator, RowOrder
from app.executor.plan.access_path import ordered_access
from app.executor.plan.branch import Branch, PlanContext
from app.executor.plan.clustered_join import ClusteredJoin, clustered_join
from app.executor.plan.join_tree import JoinTree, join_tree
from app.executor.plan.limits import QueryLimits
from app.executor.plan.plan_needs import cuts_by_sum, plan_needs
from app.executor.plan.settled_rows import SettledRows
from app.executor.plan.table_conditions import TableConditions
from app.workload.bound import BoundColumn, BoundOutput, BoundPlan
from app.workload.plan import Function

_TAIL = 4.0

_SMALLEST_PREFIX = 4

_ENOUGH = 4
"""A prefix is looked for if the joined rows are expected to be at least this many times the limit."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The operators of a plan, and the tree that they join."""

    operators: list[Operator]
    tree: JoinTree


def compile_plan(plan: BoundPlan, cache: IndexCache, limits: QueryLimits) -> Compiled:
    """The cheapest operators found, with all indexes that they read prepared."""
    compiler = _Compiler(plan, cache, limits)
    operators = compiler.operators()
    for operator in operators:
        operator.prepare()
    return Compiled(operators, compiler.tree)


class _Compiler:
    """Compiles one plan."""

    def __init__(self, plan: BoundPlan, cache: IndexCache, limits: QueryLimits) -> None:
        self._plan = plan
        self._cache = cache
        self.tree = join_tree(plan, cache)
        self._settled = SettledRows(plan, cache)
        self._order_by = self._settled.decisive(plan.order_by)
        self._states: dict[tuple[BoundColumn, int], ColumnState] = {}
        self._offsets = {node.alias: node.offset for node in self.tree.nodes}
        self._conditions = TableConditions(self.tree, cache)
        self._clustered = clustered_join(plan, self.tree, cache, limits.rows)
        self._joins: Sequence[Operator]
        self._joined: Branch | ClusteredJoin
        if self._clustered is None:
            self._joined, self._joins = self._cheapest_branch(limits)
        else:
            self._joined, self._joins = self._clustered, self._clustered.operators

    def operators(self) -> list[Operator]:
        """All operators in order."""
        return [*self._joins, *(self._grouped() if self._plan.is_aggregate else self._listed())]

    def _cheapest_branch(self, limits: QueryLimits) -> tuple[Branch, Sequence[Operator]]:
        needs = plan_needs(self._plan, self.tree, self._conditions)
        context = PlanContext(self.tree, self._conditions, needs, self._cache, limits, self._foldable)
        branches = {start: Branch(context, start) for start in self.tree.core()}
        prefix = self._prefix(branches)
        if prefix is not None:
            return prefix, [self._ordered_prefix(prefix)]
        ordered = ordered_access(self._plan, self._order_by, self._cache, limits.rows)
        if ordered is not None:
            return branches[0], [ordered]
        cheapest = min(branches.values(), key=lambda branch: branch.cost + branch.length * _TAIL)
        return cheapest, cheapest.operators

    def _prefix(self, branches: dict[int, Branch]) -> Branch | None:
        """The branch whose first rows in their own order are enough for the plan's limit, if there is one."""
        plan = self._plan
        if plan.limit is None or plan.is_aggregate:
            return None
        column = plan.outputs[plan.order_by[0].output].column
        assert column is not None, "outputs of listed rows are columns"
        branch = branches.get(self._offsets[column.alias])
        if branch is None or branch.scan is None or branch.length < plan.limit * _ENOUGH:
            return None
        return branch if self._conditions.view(column).ascends else None

    def _ordered_prefix(self, branch: Branch) -> OrderedPrefix:
        scan, joins, limit = branch.scan, branch.operators[1:], self._plan.limit
        assert scan is not None, "a prefix is that of a scan"
        assert limit is not None, "a prefix is for a limit"
        descending = self._plan.order_by[0].descending
        name = scan.name + (" from its end" if descending else "")
        first = max(_SMALLEST_PREFIX, int(2 * limit * scan.table_rows / branch.length))
        tests = scan.conditions
        return OrderedPrefix(scan.alias, name, scan.table_rows, descending, tests, joins, limit, first, scan.text)

    def _listed(self) -> list[Operator]:
        outputs = [ColumnOutput(*self._column(output.column)) for output in self._plan.outputs if output.column]
        for output in outputs:
            output.view.prepare_texts()
        keys: list[ColumnKey] = []
        for order in self._order_by:
            keys.append(ColumnKey(outputs[order.output].view, outputs[order.output].access, order.descending))
        for offset, column in self._settled.tie_breaks(self._order_by):
            binary = self._cache.binary_view(column.table, column.schema)
            keys.append(ColumnKey(binary, outputs[offset].access, descending=False))
        rows: RowOrder = ()
        for operator in self._joins:
            rows = operator.order(rows)
        return [*self._ordered([] if are_met(keys, rows) else keys), ProjectColumns(outputs, self._names())]

    def _grouped(self) -> list[Operator]:
        steps: list[Operator] = []
        group, key_of = self._group()
        if group is not None:
            steps.append(group)
        outputs: list[Aggregator] = []
        for number, output in enumerate(self._plan.outputs):
            if group is not None and output.function is None and output.column is not None:
                view, access = self._key_view(output.column), self._access(output.column)
                view.prepare_texts()
                key = key_of[self._plan.group_by.index(output.column)]
                has_nulls = access.optional or self._conditions.view(output.column).nulls is not None
                outputs.append(KeyOutput(group, key, view, has_nulls))
            else:
                outputs.append(self._aggregation(number))
        steps.append(Aggregate(group is not None, outputs, self._names()))
        keys = [
            ResultKey(order.output, order.descending, self._ordered_view(self._plan.outputs[order.output]))
            for order in self._order_by
        ]
        return [*steps, *self._ordered(keys), ProjectGroups(self._names())]

    def _ordered_view(self, output: BoundOutput) -> ColumnView | None:
        return None if output.function is not None or output.column is None else self._key_view(output.column)

    def _key_view(self, column: BoundColumn) -> ColumnView:
        """The view that groups' rows of a column are read by: that of its entities if clusters are the groups."""
        clustered = self._clustered
        return clustered.index.values if clustered and clustered.groups else self._conditions.view(column)

    def _group(self) -> tuple[Group | None, list[int]]:
        """The group operator, and for each column of group_by the offset of the key that it belongs to."""
        if not self._plan.group_by:
            return None, []
        text = " by " + ", ".join(f"{column.alias}.{column.name}" for column in self._plan.group_by)
        if self._clustered is not None and self._clustered.groups:
            (column,) = self._plan.group_by
            return ClusterGroup([GroupKey(self._clustered.index.values.groups, self._access(column))], text), [0]
        keys: list[GroupKey] = []
        key_of: list[int] = []
        rows_of: dict[str, int] = {}
        for column in self._plan.group_by:
            access = self._access(column)
            if self._settled.settles(self._plan.group_by, column.alias):
                if column.alias not in rows_of:
                    rows_of[column.alias] = len(keys)
                    keys.append(GroupKey(self._cache.rows_as_groups(column.table), access))
                key_of.append(rows_of[column.alias])
            else:
                key_of.append(len(keys))
                keys.append(GroupKey(self._conditions.view(column).groups, access))
        return Group(keys, text), key_of

    def _ordered(self, keys: Sequence[SortKey]) -> list[Operator]:
        limit = self._plan.limit
        if not keys:
            return [] if limit is None else [Limit(limit)]
        text = " by " + ", ".join(
            f"{self._plan.outputs[order.output].name}{' desc' if order.descending else ''}"
            for order in self._plan.order_by
        )
        by_keys = self._is_by_group_keys()
        return [Sort(keys, text, by_keys) if limit is None else TopK(keys, limit, text, by_keys)]

    def _is_by_group_keys(self) -> bool:
        """Whether order_by begins with the columns of group_by in their order, ascending, or is a part of them."""
        ordered = [(self._plan.outputs[order.output], order.descending) for order in self._order_by]
        pairs = zip(ordered, self._plan.group_by, strict=False)
        return all(
            output.function is None and output.column == column and not descending
            for (output, descending), column in pairs
        ) and bool(self._plan.group_by)

    def _names(self) -> str:
        return " " + ", ".join(_described(output) for output in self._plan.outputs)

    def _column(self, column: BoundColumn) -> tuple[ColumnView, Access]:
        return self._conditions.view(column), self._access(column)

    def _access(self, column: BoundColumn) -> Access:
        return self._joined.access[self._offsets[column.alias]]

    def _aggregation(self, number: int) -> Aggregator:
        output, joined = self._plan.outputs[number], self._joined
        if output.column is None:
            return CountRows()
        view = self._conditions.view(output.column)
        if output.function in (Function.MIN, Function.MAX):
            return self._extreme(view, self._access(output.column), smallest=output.function is Function.MIN)
        if output.function in (Function.SUM, Function.AVG) and view.numbers.is_real is not None:
            return MixedSum(output.function, self._state(output, joined))
        return self._foldable(number, joined)

    @staticmethod
    def _extreme(view: ColumnView, access: Access, *, smallest: bool) -> Extreme:
        view.prepare_order()
        access.prepare(view.order)
        view.prepare_texts()
        return Extreme(smallest, view, access)

    def _foldable(self, number: int, branch: Branch | ClusteredJoin) -> Foldable:
        """A count, or a sum of integers alone or reals alone; from its message if its branch was folded."""
        output = self._plan.outputs[number]
        assert output.function is not None, "a plain column is a group's key"
        if number in branch.messages:
            return Folded(output.function, branch.messages[number], number)
        state = self._state(output, branch)
        return CountValues(state) if output.function is Function.COUNT else Sum(output.function, state)

    def _state(self, output: BoundOutput, branch: Branch | ClusteredJoin) -> ColumnState:
        """The state that all aggregates of a column share; it keeps its access alive, whose id so stays its own."""
        column = output.column
        assert column is not None, "rows are counted without a state"
        view, access = self._conditions.view(column), branch.access[self._offsets[column.alias]]
        made = ColumnState(view, access, cuts_by_sum(self._plan, column))
        state = self._states.setdefault((column, id(access)), made)
        state.prepare(sums=output.function is not Function.COUNT)
        return state


def _described(output: BoundOutput) -> str:
    column = "*" if output.column is None else f"{output.column.alias}.{output.column.name}"
    return column if output.function is None else f"{output.function}({column})"
