"""What a plan's outputs need of its aliases."""

from dataclasses import dataclass

from app.executor.plan.join_tree import JoinTree, Link
from app.executor.plan.table_conditions import TableConditions
from app.tables.column import Kind
from app.workload.bound import BoundColumn, BoundOutput, BoundPlan
from app.workload.plan import Function

_MOST_FOLDED = float(2**40)


@dataclass(frozen=True, slots=True)
class PlanNeeds:
    """`uses` counts a node's outputs and group keys; `listed` are nodes whose rows must be joined one by one.

    `foldable` has the aggregates (by offset among the outputs) that may be added up before their rows are joined,
    `counted` the column of each of them that is a count.
    """

    grouped: bool
    uses: dict[int, int]
    listed: set[int]
    foldable: dict[int, list[int]]
    counted: dict[int, BoundColumn]
    counts_rows_only: bool

    def may_fold(self, tree: JoinTree, node: int, link: Link) -> bool:
        """Whether the branch that `link` leads to, at `node`, may be added up."""
        branch = tree.beyond(node, link)
        unfiltered = not any(tree.nodes[one].filters for one in branch)
        return self.grouped and not branch & self.listed and (unfiltered or not link.left)


def plan_needs(plan: BoundPlan, tree: JoinTree, conditions: TableConditions) -> PlanNeeds:
    """The needs of a plan's outputs."""
    offsets = {node.alias: node.offset for node in tree.nodes}
    uses = dict.fromkeys(range(len(tree.nodes)), 0)
    listed: set[int] = set()
    foldable: dict[int, list[int]] = {}
    counted: dict[int, BoundColumn] = {}
    for column in plan.group_by:
        uses[offsets[column.alias]] += 1
        listed.add(offsets[column.alias])
    for number, output in enumerate(plan.outputs):
        if output.column is None or (plan.is_aggregate and output.function is None):
            continue
        node = offsets[output.column.alias]
        uses[node] += 1
        if _is_foldable(plan, output, conditions):
            foldable.setdefault(node, []).append(number)
            if output.function is Function.COUNT:
                counted[number] = output.column
        else:
            listed.add(node)
    counts_only = not plan.group_by and all(output.function and output.column is None for output in plan.outputs)
    return PlanNeeds(plan.is_aggregate, uses, listed, foldable, counted, counts_only)


def cuts_by_sum(plan: BoundPlan, column: BoundColumn) -> bool:
    """Whether a limit cuts by a sum or an average of a column."""
    ordered = (plan.outputs[order.output] for order in plan.order_by)
    return plan.limit is not None and any(
        output.function in (Function.SUM, Function.AVG) and output.column == column for output in ordered
    )


def _is_foldable(plan: BoundPlan, output: BoundOutput, conditions: TableConditions) -> bool:
    """Counts, integer sums and sums of reals of one sign; others need each value, or lose digits when added twice."""
    if output.column is None or output.function not in (Function.COUNT, Function.SUM, Function.AVG):
        return False
    if output.function is Function.COUNT:
        return True
    view = conditions.view(output.column)
    if view.column.kind is Kind.FLOAT64:
        return not view.numbers.mixed_signs and not cuts_by_sum(plan, output.column)
    return view.column.kind is Kind.INT64 and view.numbers.bound < _MOST_FOLDED
