"""Rules mode: proposals from the measured hotspots of the workload, deterministic for given times.

The order is the seed's search priority: the share of query time that a proposal covers comes first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from app.evolution.proposal import Proposal
from app.evolution.wishes import Step, Wish, wishes
from app.graph.model.property_graph import PropertyGraph
from app.values import canonical_json
from app.workload.bound import BoundPlan

MAX_BATCH_STEPS = 6

Share = Callable[[frozenset[str]], float]


def propose(
    graph: PropertyGraph, plans: Sequence[BoundPlan], seconds: Mapping[str, float], min_speedup: float
) -> list[Proposal]:
    """Proposals for this graph, best first; `seconds` are the measured medians by plan id.

    What covers no more than `min_speedup` of the query time cannot gain more than that, and is not proposed.
    """
    total = sum(seconds.values()) or 1.0

    def share(covered: frozenset[str]) -> float:
        return sum(seconds.get(plan, 0.0) for plan in covered) / total

    wished = wishes(graph, plans)
    proposals = [*_widest(wished, share), *(_proposal(wish, share) for wish in wished)]
    different = {proposal.key(graph.digest): proposal for proposal in proposals}
    worthwhile = (proposal for proposal in different.values() if proposal.cost_share > min_speedup)
    return sorted(
        worthwhile, key=lambda proposal: (-proposal.cost_share, proposal.tool, canonical_json(proposal.arguments))
    )


def _proposal(wish: Wish, share: Share) -> Proposal:
    if len(wish.steps) == 1:
        return Proposal(wish.steps[0].tool, wish.steps[0].arguments, share(wish.plans))
    return Proposal("transform_batch", _batch(wish.steps), share(wish.plans))


def _batch(steps: Sequence[Step]) -> dict[str, object]:
    """The arguments of a batch: paths come last, since other steps would drop them."""
    ordered = sorted(steps, key=lambda step: step.tool == "materialize_join")
    return {"steps": [{"tool": step.tool, "arguments": dict(step.arguments)} for step in ordered]}


def _widest(wished: Sequence[Wish], share: Share) -> list[Proposal]:
    """The wishes of the hottest plans together, as many as fit one candidate."""
    steps: dict[str, Step] = {}
    covered: frozenset[str] = frozenset()
    for wish in sorted(wished, key=lambda wish: -share(wish.plans)):
        more = {**steps, **{step.key: step for step in wish.steps}}
        if len(more) <= MAX_BATCH_STEPS and _agree(more.values()):
            steps, covered = more, covered | wish.plans
    return [_proposal(Wish(tuple(steps.values()), covered), share)] if steps else []


def _agree(steps: Iterable[Step]) -> bool:
    """Whether no table is to have two keys."""
    keyed = [step.arguments["table"] for step in steps if step.tool == "add_primary_key"]
    return len(keyed) == len(set(keyed))
