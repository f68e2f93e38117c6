"""Rules mode: proposals from the measured hotspots of the workload, deterministic for given times.

The order is the seed's search priority: the share of query time that a proposal covers comes first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.evolution.proposal import Proposal
from app.graph.marks import PathStep
from app.graph.names import next_free
from app.graph.property_graph import PropertyGraph
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
    singles = _merged([*_path_proposals(plans), *_entity_proposals(graph, plans)])
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


def _path_proposals(plans: Sequence[BoundPlan]) -> Iterator[_Single]:
    for plan in plans:
        chain = inner_chain(plan)
        for hops in _PATH_HOPS:
            if len(chain) >= hops:
                path = [PathStep(join.foreign_key, join.forward).to_dict() for join in chain[:hops]]
                yield _Single("materialize_join", {"path": path}, frozenset({plan.id}))


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
    schema = graph.rows_of(part.column.table).schema
    is_key = schema is not None and part.column.name in schema.primary_key
    return not is_key and not graph.attribute_edges(part.column.table, part.column.name)


def _entity_arguments(graph: PropertyGraph, part: BoundFilter) -> dict[str, Any]:
    table, column = part.column.table, part.column.name
    return {"table": table, "column": column, "node_type": next_free(f"{table} {column}", graph.node_tables)}


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
