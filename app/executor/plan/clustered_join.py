"""Joins of an aggregating plan that a clustering answers: by entity, without a lookup for each row."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.budget import RowLimit
from app.executor.indexes.attribute_index import AttributeIndex
from app.executor.indexes.clustering import Clustering, Hops
from app.executor.indexes.index_cache import IndexCache
from app.executor.operators.access import Access
from app.executor.operators.group.cluster_scan import ClusterAccess, ClusterScan
from app.executor.operators.protocol import Operator
from app.executor.plan.join_tree import JoinTree
from app.executor.plan.plan_facts import FEWEST_ROWS, clustering_attribute
from app.executor.plan.table_conditions import filter_text
from app.workload.bound import BoundColumn, BoundPlan


@dataclass(frozen=True, slots=True)
class ClusteredJoin:
    """As `Branch`; if `groups` is set, groups are the clusters of the entities of `index`."""

    operators: Sequence[Operator]
    access: dict[int, Access]
    index: AttributeIndex
    groups: bool
    messages: dict[int, int] = field(default_factory=dict)


def clustered_join(plan: BoundPlan, tree: JoinTree, cache: IndexCache, limit: RowLimit) -> ClusteredJoin | None:
    """The joins of a plan by clusters, if the plan aggregates, filters by one attribute at most, and joins forward.

    Joins run forward from one alias if inner joins lead from its rows to exactly one row of each other alias. The
    attribute is the one that the plan filters or groups by.
    """
    column = clustering_attribute(plan)
    paths = {} if column is None else _forward_paths(tree)
    if column is None or not paths or (len(tree.nodes) == 1 and _only_counts(plan)):
        return None
    index = cache.attribute(column.table, column.schema)
    start = next(node for node in tree.nodes if paths[node.offset] == ())
    if index is None or len(index.values.column) * FEWEST_ROWS > start.rows:
        return None
    nodes = {node.alias: node for node in tree.nodes}
    made = cache.clustering(start.rows, index, paths[nodes[column.alias].offset], tuple(paths.values()))
    scan = _scan(plan, column, made, f"{start.alias} [{start.rows} rows]", limit)
    access: dict[int, Access] = {node: ClusterAccess(node, clustering=made, path=hops) for node, hops in paths.items()}
    return ClusteredJoin([scan], access, index, scan.groups)


def _only_counts(plan: BoundPlan) -> bool:
    """Whether a plan counts what its filters leave: degrees tell that, without an order."""
    return not plan.group_by and all(output.column is None for output in plan.outputs)


def _scan(plan: BoundPlan, column: BoundColumn, made: Clustering, rows: str, limit: RowLimit) -> ClusterScan:
    groups = list(plan.group_by) == [column]
    aggregates = any(output.function and output.column for output in plan.outputs)
    conditions = [made.index.values.match(part.op, part.value) for part in plan.filters]
    where = " where " + " and ".join(map(filter_text, plan.filters)) if plan.filters else ""
    reads_rows = aggregates or (bool(plan.group_by) and not groups)
    return ClusterScan(made, conditions, groups, reads_rows, limit, f"{column.table}.{column.name}, {rows}", where)


def _forward_paths(tree: JoinTree) -> dict[int, Hops]:
    """The pointers that lead from the rows of one node to each node; none if no node leads to all."""
    if any(link.left for link in tree.links) or any(node.absent for node in tree.nodes):
        return {}
    parents = {link.parent for link in tree.links}
    starts = [node.offset for node in tree.nodes if node.offset not in parents]
    if len(starts) != 1:
        return {}
    paths: dict[int, Hops] = {starts[0]: ()}
    for node in (reached := list(starts)):
        for link in tree.links:
            if link.child == node:
                paths[link.parent] = (*paths[node], link.pointers)
                reached.append(link.parent)
    return paths
