"""What one evaluation of a graph under the frozen workload found: a result for each plan, and the cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.values import Scalar

PREVIEW_ROWS = 20
"""Rows of an answer that a report shows; the comparison covers all of them."""

Rows = Sequence[tuple[Scalar, ...]]


@dataclass(frozen=True, slots=True)
class PlanResult:
    """How the graph answered one plan, and how long it took.

    `seconds` is the median time of one run, None if the plan failed or was not timed. `metrics` are the
    executor's: `physical_plan`, `source_rows_examined`, `attribute_index_hits`, `materialized_path_hits`.
    """

    plan_id: str
    passed: bool
    difference: str | None = None
    error: Mapping[str, object] | None = None
    row_count: int | None = None
    expected_row_count: int | None = None
    seconds: float | None = None
    timing: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, object] = field(default_factory=dict)
    expected_preview: Rows = ()
    actual_preview: Rows = ()

    def to_dict(self) -> dict[str, object]:
        """The result as the private report holds it, answers included."""
        return {
            **self.feedback(),
            "metrics": dict(self.metrics),
            "expected_preview": [list(row) for row in self.expected_preview],
            "actual_preview": [list(row) for row in self.actual_preview],
        }

    def feedback(self) -> dict[str, object]:
        """The result without any answer: what whoever proposes candidates may see."""
        return {
            "id": self.plan_id,
            "passed": self.passed,
            "difference": self.difference,
            "error": self.error,
            "row_count": self.row_count,
            "expected_row_count": self.expected_row_count,
            "seconds": self.seconds,
            **self.timing,
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results of all plans; cost is L + P / R in seconds (see `cost`)."""

    results: tuple[PlanResult, ...]
    preparation_seconds: float
    expected_query_runs: int

    @property
    def passed(self) -> int:
        """A: how many plans were answered as the source answers them."""
        return sum(result.passed for result in self.results)

    @property
    def all_passed(self) -> bool:
        """Whether every plan was."""
        return self.passed == len(self.results)

    @property
    def latency(self) -> float:
        """L: the sum of the plans' median seconds."""
        return sum(result.seconds or 0.0 for result in self.results)

    @property
    def cost(self) -> float:
        """Latency, and the preparation spread over the expected runs of the workload."""
        return self.latency + self.preparation_seconds / self.expected_query_runs

    def seconds_of(self) -> dict[str, float]:
        """The median seconds of each timed plan, by id."""
        return {result.plan_id: result.seconds for result in self.results if result.seconds is not None}

    def to_dict(self) -> dict[str, object]:
        """The evaluation as the report holds it."""
        return {
            "passed": self.passed,
            "total": len(self.results),
            "latency_seconds": self.latency,
            "preparation_seconds": self.preparation_seconds,
            "cost": self.cost,
            "results": [result.to_dict() for result in self.results],
        }
