"""What the planner can tell from a bound plan alone: which columns may serve as an entry, and how its joins run.

The compiler decides by these facts, and whoever proposes transformations asks them.
"""

from app.tables.schema import TableSchema
from app.workload.bound import BoundColumn, BoundJoin, BoundPlan
from app.workload.plan import Comparison

FEWEST_ROWS = 8
"""Entities are read one by one if they have this many rows each on average."""

PATH_HOPS = (3, 2)
"""How many hops a materialized path has, the longest first."""


def key_columns(schema: TableSchema) -> set[str]:
    """Columns that belong to a key; these are indexed, as they are in a database."""
    columns = {*schema.primary_key, *(name for key in schema.unique_keys for name in key)}
    return columns | {name for key in schema.foreign_keys for name in key.columns}


def clustering_attribute(plan: BoundPlan) -> BoundColumn | None:
    """The one column by whose entities an aggregating plan may read its rows: its filter's, or else its group's."""
    if not plan.is_aggregate or any(part.op is Comparison.IS_NULL for part in plan.filters):
        return None
    columns = {part.column for part in plan.filters} or set(plan.group_by)
    return columns.pop() if len(columns) == 1 else None


def ordering_attribute(plan: BoundPlan) -> BoundColumn | None:
    """The one column in the order of whose entities a plan may find the first rows of its only table."""
    if plan.is_aggregate or plan.limit is None or plan.joins or not plan.order_by:
        return None
    column = plan.outputs[plan.order_by[0].output].column
    alone = all(part.column == column and part.op is Comparison.NOT_NULL for part in plan.filters)
    return column if alone else None


def runs_forward(plan: BoundPlan) -> bool:
    """Whether inner joins lead from the rows of one alias to one row of each other alias."""
    parents = {join.alias if join.forward else join.source for join in plan.joins}
    return len(plan.tables) == len(parents) + 1 and not any(join.left for join in plan.joins)


def inner_chain(plan: BoundPlan) -> list[BoundJoin]:
    """The inner joins that lead from the root, each from where the one before it ended."""
    chain: list[BoundJoin] = []
    at = next(iter(plan.tables))
    for join in plan.joins:
        if join.source != at or join.left:
            break
        chain.append(join)
        at = join.alias
    return chain
