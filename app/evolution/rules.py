"""Rules mode: proposals from the measured hotspots of the workload, deterministic for given times.

The order is the seed's search priority: the share of query time that a proposal covers comes first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.evolution.proposal import Proposal
from app.graph.integrity import key_problem
from app.graph.marks import MaterializedPathMark, PathStep
from app.graph.names import next_free
from app.graph.property_graph import PropertyGraph
from app.graph.rows import resolve_rows
from app.tables.column import Column, Kind
from app.tables.schema import TableSchema
from app.values import canonical_json
from app.workload.bound import BoundFilter, BoundJoin, BoundPlan
from app.workload.plan import Operator

MAX_BATCH_STEPS = 6

_PATH_HOPS = (3, 2)
_INDEXED = frozenset({Operator.EQ, Operator.IN, Operator.CONTAINS})
"""Filters that pick few of a column's values, so that an entry through its entities can pay."""


@dataclass(frozen=True, slots=True)
class _Single:
    """One transformation before its share is known: the plans that it covers."""

    tool: str
    arguments: Mapping[str, Any]
    plans: frozenset[str]


def propose(
    graph: PropertyGraph, plans: Sequence[BoundPlan], seconds: Mapping[str, float], min_speedup: float
) -> list[Proposal]:
    """Proposals for this graph, best first; `seconds` are the measured medians by plan id.

    What covers no more than `min_speedup` of the query time cannot gain more than that, and is not proposed.
    """
    singles = _merged([*_path_proposals(graph, plans), *_entity_proposals(graph, plans), *_key_proposals(graph, plans)])
    total = sum(seconds.values()) or 1.0

    def share(covered: frozenset[str]) -> float:
        return sum(seconds.get(plan, 0.0) for plan in covered) / total

    proposals = [Proposal(single.tool, single.arguments, share(single.plans)) for single in singles]
    proposals.extend(_batches(singles, share))
    worthwhile = (proposal for proposal in proposals if proposal.cost_share > min_speedup)
    return sorted(
        worthwhile, key=lambda proposal: (-proposal.cost_share, proposal.tool, canonical_json(proposal.arguments))
    )


def _merged(singles: Sequence[_Single]) -> list[_Single]:
    """One entry for each transformation, with all plans that it covers."""
    found: dict[str, _Single] = {}
    for single in singles:
        key = canonical_json([single.tool, single.arguments])
        known = found.get(key)
        plans = single.plans if known is None else known.plans | single.plans
        found[key] = _Single(single.tool, single.arguments, plans)
    return list(found.values())


def _path_proposals(graph: PropertyGraph, plans: Sequence[BoundPlan]) -> Iterator[_Single]:
    there = {edges.mark.path for edges in graph.paths() if isinstance(edges.mark, MaterializedPathMark)}
    for plan in plans:
        chain = inner_chain(plan)
        if any(graph.collapsed_rows(join.foreign_key.table) for join in chain):
            continue
        for hops in _PATH_HOPS:
            path = tuple(PathStep(join.foreign_key, join.forward) for join in chain[:hops])
            if len(path) == hops and path not in there:
                arguments = {"path": [step.to_dict() for step in path]}
                yield _Single("materialize_join", arguments, frozenset({plan.id}))


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


def _entity_proposals(graph: PropertyGraph, plans: Sequence[BoundPlan]) -> Iterator[_Single]:
    for plan in plans:
        root = next(iter(plan.tables))
        for part in plan.filters:
            if part.column.alias == root and part.op in _INDEXED and _is_open(graph, part):
                yield _Single("generate_entity_table", _entity_arguments(graph, part), frozenset({plan.id}))


def _is_open(graph: PropertyGraph, part: BoundFilter) -> bool:
    """Whether the column is not a key and has no entities yet."""
    nodes = graph.rows_of(part.column.table)
    is_key = nodes.schema is not None and part.column.name in (*nodes.schema.primary_key, *nodes.identity_key)
    return not is_key and not graph.attribute_edges(part.column.table, part.column.name)


def _entity_arguments(graph: PropertyGraph, part: BoundFilter) -> dict[str, Any]:
    table, column = part.column.table, part.column.name
    return {"table": table, "column": column, "node_type": next_free(f"{table} {column}", graph.node_tables)}


def _key_proposals(graph: PropertyGraph, plans: Sequence[BoundPlan]) -> Iterator[_Single]:
    """Keys by which a filter finds its row, and by which groups are rows."""
    found: dict[tuple[str, tuple[str, ...]], bool] = {}
    for plan in plans:
        for table, columns in _wanted_keys(plan):
            if (table, columns) not in found:
                found[table, columns] = _is_new_key(graph, table, columns)
            if found[table, columns]:
                arguments = {"table": table, "columns": list(columns)}
                yield _Single("add_primary_key", arguments, frozenset({plan.id}))


def _wanted_keys(plan: BoundPlan) -> Iterator[tuple[str, tuple[str, ...]]]:
    for part in plan.filters:
        if part.op in (Operator.EQ, Operator.IN):
            yield part.column.table, (part.column.name,)
    for alias in dict.fromkeys(column.alias for column in plan.group_by):
        columns = [column for column in plan.group_by if column.alias == alias]
        for column in columns:
            yield column.table, (column.name,)
        if len(columns) > 1:
            yield columns[0].table, tuple(column.name for column in columns)


def _is_new_key(graph: PropertyGraph, table: str, columns: Sequence[str]) -> bool:
    """Whether the columns tell a table's rows apart, and no declared or proposed key does."""
    nodes = graph.rows_of(table)
    if nodes.schema is None or nodes.identity_key or nodes.count == 0:
        return False
    declared = [key for key in (nodes.schema.primary_key, *nodes.schema.unique_keys) if key]
    if any(set(key) <= set(columns) for key in declared) or _is_indexed(nodes.schema, columns):
        return False
    if any(name not in nodes.columns or name in nodes.absent for name in columns):
        return False
    if len(columns) == 1 and _repeats(nodes.columns[columns[0]]):
        return False
    rows = resolve_rows(graph, table)
    return not key_problem([rows.columns[name] for name in columns], rows, columns)


def _is_indexed(schema: TableSchema, columns: Sequence[str]) -> bool:
    keys = [schema.primary_key, *schema.unique_keys, *(key.columns for key in schema.foreign_keys)]
    return len(columns) == 1 and any(columns[0] in key for key in keys)


def _repeats(column: Column) -> bool:
    """Whether it is plain to see that a column has a value twice."""
    return column.kind is Kind.TEXT and len(column.texts) < len(column)


def _batches(singles: Sequence[_Single], share: Any) -> list[Proposal]:
    """All entities of the hottest plans, then all their paths: one candidate with the widest cover."""
    ranked = sorted(singles, key=lambda single: -share(single.plans))
    chosen = ranked[:MAX_BATCH_STEPS]
    if len(chosen) < 2:
        return []
    ordered = sorted(chosen, key=lambda single: single.tool == "materialize_join")
    steps = [{"tool": single.tool, "arguments": single.arguments} for single in ordered]
    covered = frozenset().union(*(single.plans for single in chosen))
    return [Proposal("transform_batch", {"steps": steps}, share(covered))]
