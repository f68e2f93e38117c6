"""Which parts of a source and of the DSL a workload covers."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from app.tables.schema import RelationalSchema
from app.workload.bound import BoundPlan
from app.workload.plan import Comparison

_NULL_TESTS = (Comparison.IS_NULL, Comparison.NOT_NULL)


class Coverage(StrEnum):
    """What a plan can exercise; a plan has all that apply."""

    RELATIONSHIP = "relationship"
    OPTIONAL_RELATIONSHIP = "optional_relationship"
    MULTI_HOP = "multi_hop"
    VALUE_FILTER = "value_filter"
    NULL_CHECK = "null_check"
    AGGREGATION = "aggregation"
    GROUPING = "grouping"
    ORDERING = "ordering"


def plan_coverage(plan: BoundPlan) -> frozenset[Coverage]:
    """Everything that a plan exercises."""
    operators = [part.op for part in plan.filters]
    applies = {
        Coverage.RELATIONSHIP: bool(plan.joins),
        Coverage.OPTIONAL_RELATIONSHIP: any(join.left for join in plan.joins),
        Coverage.MULTI_HOP: hops(plan) > 1,
        Coverage.VALUE_FILTER: any(op not in _NULL_TESTS for op in operators),
        Coverage.NULL_CHECK: any(op in _NULL_TESTS for op in operators),
        Coverage.AGGREGATION: any(output.function for output in plan.outputs),
        Coverage.GROUPING: bool(plan.group_by),
        Coverage.ORDERING: bool(plan.order_by),
    }
    return frozenset(category for category, holds in applies.items() if holds)


def hops(plan: BoundPlan) -> int:
    """The longest chain of joins from the root."""
    depth = dict.fromkeys(plan.tables, 0)
    for join in plan.joins:
        depth[join.alias] = depth[join.source] + 1
    return max(depth.values())


def workload_coverage(plans: Sequence[BoundPlan], schema: RelationalSchema) -> dict[str, Any]:
    """The report's `workload_coverage`.

    `tables` and `root_tables` count plans by table (0 if none touches it), `categories` by `Coverage`, `hops` by the
    longest chain; `joins` counts single joins by type and direction; `foreign_keys` says how many of the declared ones
    some plan follows.
    """
    joins = [join for plan in plans for join in plan.joins]
    touched = Counter(name for plan in plans for name in {table.name for table in plan.tables.values()})
    roots = Counter(next(iter(plan.tables.values())).name for plan in plans)
    categories = Counter(category for plan in plans for category in plan_coverage(plan))
    longest = Counter(map(hops, plans))
    return {
        "queries": len(plans),
        "tables": {table.name: touched[table.name] for table in schema},
        "root_tables": {table.name: roots[table.name] for table in schema},
        "categories": {str(category): categories[category] for category in Coverage},
        "hops": {str(number): longest[number] for number in sorted(longest)},
        "joins": {
            "total": len(joins),
            "inner": sum(not join.left for join in joins),
            "left": sum(join.left for join in joins),
            "forward": sum(join.forward for join in joins),
            "reverse": sum(not join.forward for join in joins),
        },
        "foreign_keys": {
            "declared": len(schema.foreign_keys),
            "followed": len({join.foreign_key for join in joins}),
        },
    }
