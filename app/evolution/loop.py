"""The evolution loop: try proposals on the incumbent, keep what passes every gate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from app.budget import check_deadline
from app.errors import GraphwrightError, TimeBudgetExhaustedError, TransformError
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
        """Try the rules' proposals, best first, until none is left or `max_iterations` were tried."""
        while len(self.history) < self.limits.max_iterations:
            seconds, threshold = self.evaluation.seconds_of(), self.limits.min_speedup
            proposal = self._next(propose(self.graph, self.workload.bound, seconds, threshold))
            if proposal is None:
                return
            self.attempt(proposal)

    def _next(self, proposals: Sequence[Proposal]) -> Proposal | None:
        untried = (proposal for proposal in proposals if proposal.key(self.graph.digest) not in self._tried)
        return next(untried, None)

    def attempt(self, proposal: Proposal) -> Attempt:
        """Build the candidate of a proposal, judge it, and keep it where it passes; the incumbent never suffers."""
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
        try:
            graph = self._candidate(proposal)
        except TransformError as error:
            return Attempt(proposal, Outcome.TRANSFORM_INVALID, error.message), self.graph
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
        """The transformed graph, or None where its size is known to be over the limit before it is built."""
        strategy = strategy_named(proposal.tool)
        arguments = strategy.parse(proposal.arguments)
        size = self.graph.node_count + self.graph.edge_count
        if size + strategy.added_size(self.graph, arguments) > self._most_elements():
            return None
        return strategy.apply(self.graph, arguments)

    def _most_elements(self) -> float:
        return self.initial_size * self.limits.max_graph_growth

    def _growth_detail(self) -> str:
        return f"Over {self.limits.max_graph_growth:g} times the {self.initial_size:,} nodes and edges of G0."

    def _measured(self, proposal: Proposal, graph: PropertyGraph, size: tuple[int, int]) -> Attempt:
        current, candidate = self.evaluation, self.evaluator.evaluate(graph)
        if candidate.passed > current.passed:
            return Attempt(proposal, Outcome.ACCEPTED, "More plans pass.", size, current, candidate)
        if not (candidate.all_passed and current.all_passed):
            detail = f"{candidate.passed} of {len(candidate.results)} plans pass."
            return Attempt(proposal, Outcome.FEWER_PLANS_PASSED, detail, size, current, candidate)
        return self._compared(proposal, graph, size, candidate)

    def _compared(
        self, proposal: Proposal, graph: PropertyGraph, size: tuple[int, int], candidate: Evaluation
    ) -> Attempt:
        try:
            comparison = compare(
                lambda first: self.evaluator.measure_pair(self.graph, graph, first),
                self.limits.comparison_rounds,
                self.limits.min_speedup,
            )
        except TimeBudgetExhaustedError:
            raise
        except GraphwrightError as error:
            return Attempt(proposal, Outcome.COMPARISON_FAILED, error.message, size, self.evaluation, candidate)
        outcome = Outcome.ACCEPTED if comparison.passed else Outcome.NO_GAIN
        if not comparison.all_correct:
            outcome = Outcome.COMPARISON_FAILED
        return Attempt(proposal, outcome, "", size, self.evaluation, candidate, comparison)
