"""The evolution loop: try proposals on the incumbent, keep what passes every gate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from app.budget import check_deadline, deadline, remaining_seconds
from app.errors import GraphInvalidError, GraphwrightError, QueryLimitError, TimeBudgetExhaustedError, TransformError
from app.evolution.acceptance import MeasuredCost, PairedComparison, Side, compare
from app.evolution.evaluation import Evaluation
from app.evolution.proposal import Proposal
from app.evolution.rules import propose
from app.graph.checks.integrity import SourceIntegrity
from app.graph.model.property_graph import PropertyGraph
from app.transform.registry import strategy_named
from app.workload.freezing import FrozenWorkload


class Outcome(StrEnum):
    """What became of a candidate: the stable reasons of the report's history."""

    ACCEPTED = "accepted"
    TRANSFORM_INVALID = "transform_invalid"
    NO_CHANGE = "no_change"
    GROWTH_EXCEEDED = "graph_growth_budget_exceeded"
    SOURCE_FIDELITY_FAILED = "source_fidelity_failed"
    FEWER_PLANS_PASSED = "fewer_plans_passed"
    COMPARISON_FAILED = "comparison_query_failure"
    NO_GAIN = "no_gain"


_EVALUATED = frozenset({Outcome.ACCEPTED, Outcome.FEWER_PLANS_PASSED, Outcome.COMPARISON_FAILED, Outcome.NO_GAIN})

_RESERVED_SHARE = 0.25
"""The share of the time that the loop leaves for the last checks and the output."""

_OWN_SHARE = 0.5
"""The share of the time that is left which one candidate may take."""


@dataclass(frozen=True)
class Attempt:
    """One entry of the history."""

    proposal: Proposal
    outcome: Outcome
    detail: str = ""
    size: tuple[int, int] | None = None
    current: Evaluation | None = None
    candidate: Evaluation | None = None
    comparison: PairedComparison | None = None

    @property
    def evaluated(self) -> bool:
        """Whether the candidate reached the frozen queries."""
        return self.outcome in _EVALUATED

    def to_dict(self) -> dict[str, object]:
        """The entry as the report holds it; costs in seconds."""
        return {
            "tool": self.proposal.tool,
            "arguments": self.proposal.arguments,
            "strategy": None if self.proposal.tool == "transform_batch" else self.proposal.tool,
            "search_priority": self.proposal.cost_share,
            "accepted": self.outcome is Outcome.ACCEPTED,
            "reason": self.outcome.value,
            "detail": self.detail,
            "size": None if self.size is None else {"nodes": self.size[0], "edges": self.size[1]},
            "current_cost": None if self.current is None else self.current.cost,
            "candidate_cost": None if self.candidate is None else self.candidate.cost,
            "candidate_passed": None if self.candidate is None else self.candidate.passed,
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """How far the loop may go, and what a candidate must gain.

    `min_speedup` is a share of the cost, `max_graph_growth` a multiple of G0's nodes and edges.
    """

    max_iterations: int
    min_speedup: float
    max_graph_growth: float
    comparison_rounds: int


class Evaluator(Protocol):
    """Answers the frozen workload from a graph."""

    def evaluate(self, graph: PropertyGraph) -> Evaluation:
        """Every plan compared in full with the oracle's answer, and timed."""
        ...

    def measure_pair(
        self, current: PropertyGraph, candidate: PropertyGraph, first: Side
    ) -> tuple[MeasuredCost, MeasuredCost]:
        """The costs of two graphs measured anew side by side, preparation included, every answer checked."""
        ...


@dataclass
class Evolution:
    """The state of one exploration: the incumbent graph, its evaluation, and the history so far."""

    graph: PropertyGraph
    evaluation: Evaluation
    workload: FrozenWorkload
    integrity: SourceIntegrity
    evaluator: Evaluator
    limits: LoopLimits
    initial_size: int
    on_attempt: Callable[["Evolution"], None]
    history: list[Attempt] = field(default_factory=list)
    _tried: set[str] = field(default_factory=set)

    @property
    def accepted(self) -> int:
        """Candidates that became the incumbent."""
        return sum(attempt.outcome is Outcome.ACCEPTED for attempt in self.history)

    @property
    def evaluated(self) -> int:
        """Candidates that reached the frozen queries."""
        return sum(attempt.evaluated for attempt in self.history)

    def run(self) -> None:
        """Try the rules' proposals, best first, until none is left, `max_iterations` were tried or time gets short."""
        reserved = remaining_seconds() * _RESERVED_SHARE
        while len(self.history) < self.limits.max_iterations and remaining_seconds() >= reserved:
            seconds, threshold = self.evaluation.seconds_of(), self.limits.min_speedup
            proposal = self._next(propose(self.graph, self.workload.bound, seconds, threshold))
            if proposal is None:
                return
            self.attempt(proposal)

    def _next(self, proposals: Sequence[Proposal]) -> Proposal | None:
        untried = (proposal for proposal in proposals if proposal.key(self.graph.digest) not in self._tried)
        return next(untried, None)

    def attempt(self, proposal: Proposal) -> Attempt:
        """Build the candidate of a proposal, judge it, and keep it if it passes; the incumbent never suffers."""
        check_deadline()
        self.workload.verify()
        self._tried.add(proposal.key(self.graph.digest))
        attempt, graph = self._judged(proposal)
        if attempt.outcome is Outcome.ACCEPTED and attempt.candidate is not None:
            self.graph, self.evaluation = graph, attempt.candidate
        self.history.append(attempt)
        self.on_attempt(self)
        return attempt

    def _judged(self, proposal: Proposal) -> tuple[Attempt, PropertyGraph]:
        """The verdict on a proposal, and its graph; whatever limit a candidate meets, it alone is rejected."""
        try:
            with deadline(remaining_seconds() * _OWN_SHARE, f"the candidate {proposal.tool}"):
                return self._gated(proposal)
        except TransformError as error:
            return Attempt(proposal, Outcome.TRANSFORM_INVALID, error.message), self.graph
        except TimeBudgetExhaustedError as error:
            check_deadline()  # raises if it is the whole build that is out of time
            return Attempt(proposal, Outcome.COMPARISON_FAILED, error.message), self.graph
        except GraphInvalidError as error:
            return Attempt(proposal, Outcome.SOURCE_FIDELITY_FAILED, error.message), self.graph
        except (QueryLimitError, MemoryError) as error:
            return Attempt(proposal, Outcome.GROWTH_EXCEEDED, _told(error)), self.graph

    def _gated(self, proposal: Proposal) -> tuple[Attempt, PropertyGraph]:
        graph = self._candidate(proposal)
        if graph is None:
            return Attempt(proposal, Outcome.GROWTH_EXCEEDED, self._growth_detail()), self.graph
        size = (graph.node_count, graph.edge_count)
        if graph.digest == self.graph.digest:
            return Attempt(proposal, Outcome.NO_CHANGE, size=size), graph
        if sum(size) > self._most_elements():
            return Attempt(proposal, Outcome.GROWTH_EXCEEDED, self._growth_detail(), size), graph
        errors = self.integrity.errors(graph, checked=self.graph)
        if errors:
            return Attempt(proposal, Outcome.SOURCE_FIDELITY_FAILED, errors[0], size), graph
        return self._measured(proposal, graph, size), graph

    def _candidate(self, proposal: Proposal) -> PropertyGraph | None:
        """The transformed graph, or None if a step is known to lead over the limit before it is built."""
        strategy, graph = strategy_named(proposal.tool), self.graph
        for step, arguments in strategy.steps(strategy.parse(proposal.arguments)):
            kept = graph if step.keeps_paths else graph.without_paths()
            if kept.node_count + kept.edge_count + step.added_size(graph, arguments) > self._most_elements():
                return None
            graph = step.apply(graph, arguments)
        return graph

    def _most_elements(self) -> float:
        return self.initial_size * self.limits.max_graph_growth

    def _growth_detail(self) -> str:
        return f"Over {self.limits.max_graph_growth:g} times the {self.initial_size:,} nodes and edges of G0."

    def _measured(self, proposal: Proposal, graph: PropertyGraph, size: tuple[int, int]) -> Attempt:
        current, candidate = self.evaluation, None
        try:
            candidate = self.evaluator.evaluate(graph)
            if candidate.passed > current.passed:
                return Attempt(proposal, Outcome.ACCEPTED, "More plans pass.", size, current, candidate)
            if not (candidate.all_passed and current.all_passed):
                detail = f"{candidate.passed} of {len(candidate.results)} plans pass."
                return Attempt(proposal, Outcome.FEWER_PLANS_PASSED, detail, size, current, candidate)
            comparison = self._compared(graph)
        except TimeBudgetExhaustedError:
            raise
        except (GraphwrightError, MemoryError) as error:
            return Attempt(proposal, Outcome.COMPARISON_FAILED, _told(error), size, current, candidate)
        outcome = Outcome.ACCEPTED if comparison.passed else Outcome.NO_GAIN
        if not comparison.all_correct:
            outcome = Outcome.COMPARISON_FAILED
        return Attempt(proposal, outcome, "", size, current, candidate, comparison)

    def _compared(self, graph: PropertyGraph) -> PairedComparison:
        return compare(
            lambda first: self.evaluator.measure_pair(self.graph, graph, first),
            self.limits.comparison_rounds,
            self.limits.min_speedup,
        )


def _told(error: GraphwrightError | MemoryError) -> str:
    return error.message if isinstance(error, GraphwrightError) else f"There is not enough memory. {error}".strip()
