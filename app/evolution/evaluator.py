"""Answers the frozen workload from a graph with a fresh executor, compares each answer in full, and times it."""

from collections.abc import Sequence
from dataclasses import asdict

from app.errors import GraphwrightError, OutOfMemoryError, TimeBudgetExhaustedError
from app.evolution.acceptance import MeasuredCost, Side
from app.evolution.evaluation import PREVIEW_ROWS, Evaluation, PlanResult, Rows
from app.executor.plan.limits import QueryLimits
from app.executor.run.comparison import compare_rows
from app.executor.run.executor import CompiledPlan, GraphExecutor, PreparedWorkload
from app.executor.run.measurement import MeasurementOptions, PlanTiming, measure_pair, measure_plan
from app.graph.model.property_graph import PropertyGraph
from app.workload.freezing import FrozenWorkload


class WorkloadEvaluator:
    """Holds the oracle's answers; a new executor is prepared for each evaluation, so that P is measured each time."""

    def __init__(
        self, workload: FrozenWorkload, expected: Sequence[Rows], limits: QueryLimits, timing: MeasurementOptions
    ) -> None:
        self._workload = workload
        self._expected = expected
        self._limits = limits
        self._timing = timing

    def evaluate(self, graph: PropertyGraph) -> Evaluation:
        """Every plan compared in full with the oracle's answer, and timed if it was right."""
        prepared = self._prepare(graph)
        results = tuple(map(self._result, prepared.plans, self._expected))
        return Evaluation(results, prepared.preparation_seconds, self._timing.expected_query_runs)

    def measure_pair(
        self, current: PropertyGraph, candidate: PropertyGraph, first: Side
    ) -> tuple[MeasuredCost, MeasuredCost]:
        """The costs of two graphs measured anew, plan by plan in turn, and whether all their answers were right."""
        graphs = (current, candidate) if first == "current" else (candidate, current)
        prepared = [self._prepare(graph) for graph in graphs]
        correct = [all(map(self._is_right, side.plans, self._expected)) for side in prepared]
        pairs = zip(prepared[0].plans, prepared[1].plans, strict=True)
        timings = [measure_pair(plans, self._timing) for plans in pairs]
        one, other = (
            MeasuredCost(sum(timing[side].seconds for timing in timings) + self._share(prepared[side]), correct[side])
            for side in (0, 1)
        )
        return (one, other) if first == "current" else (other, one)

    def _is_right(self, compiled: CompiledPlan, expected: Rows) -> bool:
        return compare_rows(compiled.plan, expected, compiled.run().rows()).passed

    def _share(self, prepared: PreparedWorkload) -> float:
        """The preparation's share in one run of the workload."""
        return prepared.preparation_seconds / self._timing.expected_query_runs

    def _prepare(self, graph: PropertyGraph) -> PreparedWorkload:
        return GraphExecutor(graph, self._limits).prepare(self._workload.bound)

    def _result(self, compiled: CompiledPlan, expected: Rows) -> PlanResult:
        """One plan's result; a plan that fails is a result too, unless the whole build is out of time."""
        plan = compiled.plan
        try:
            actual = compiled.run().rows()
            comparison = compare_rows(plan, expected, actual)
            timing = measure_plan(compiled, self._timing) if comparison.passed else None
        except TimeBudgetExhaustedError:
            raise
        except GraphwrightError as error:
            return PlanResult(plan.id, False, error=error.to_dict(), expected_row_count=len(expected))
        except MemoryError:
            lacking = OutOfMemoryError(
                "There is not enough memory for this plan.", hint="Filter earlier, or join less."
            )
            return PlanResult(plan.id, False, error=lacking.to_dict(), expected_row_count=len(expected))
        return PlanResult(
            plan.id,
            comparison.passed,
            difference=comparison.reason or None,
            row_count=len(actual),
            expected_row_count=len(expected),
            seconds=None if timing is None else timing.seconds,
            timing={} if timing is None else _timing_document(timing),
            metrics=asdict(compiled.metrics),
            expected_preview=comparison.expected_preview or tuple(expected[:PREVIEW_ROWS]),
            actual_preview=comparison.actual_preview or tuple(actual[:PREVIEW_ROWS]),
        )


def _timing_document(timing: PlanTiming) -> dict[str, int]:
    return {
        "timing_iterations": timing.timing_iterations,
        "measured_query_runs": timing.measured_query_runs,
        "warmup_runs": timing.warmup_runs,
        "materialized_path_hits": timing.materialized_path_hits,
    }
