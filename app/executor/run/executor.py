"""GraphExecutor: answers plans from a graph alone; it never sees the source or the oracle's answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic, perf_counter

from app.budget import check_deadline, remaining_seconds
from app.errors import QueryTimeError
from app.executor.indexes.index_cache import IndexCache
from app.executor.operators.frame import Frame
from app.executor.operators.protocol import Operator
from app.executor.plan.compiler import compile_plan
from app.executor.plan.limits import QueryLimits
from app.executor.run.answer import Answer
from app.graph.model.property_graph import PropertyGraph
from app.workload.bound import BoundPlan


@dataclass(frozen=True, slots=True)
class QueryMetrics:
    """What one run of a plan does.

    `source_rows_examined` are the rows that its first operators read, in the last run; the hits are per run.
    """

    physical_plan: tuple[str, ...]
    source_rows_examined: int
    attribute_index_hits: int
    materialized_path_hits: int


class CompiledPlan:
    """A plan as operators over one graph; `run` does all of the query's work each time. Not for several threads."""

    def __init__(self, plan: BoundPlan, cache: IndexCache, limits: QueryLimits) -> None:
        self.plan = plan
        compiled = compile_plan(plan, cache, limits)
        self._operators: list[Operator] = compiled.operators
        self._path_hits = len(compiled.tree.paths)
        self._steps = [operator.run for operator in compiled.operators]
        self._seconds = limits.seconds
        self._names = tuple(output.name for output in plan.outputs)

    def run(self) -> Answer:
        """The plan's answer.

        Raises `QueryLimitError`, `TimeBudgetExhaustedError` and `IntegerOverflowError`.
        """
        late = monotonic() + min(self._seconds, remaining_seconds())
        frame = Frame()
        for step in self._steps:
            step(frame)
            if monotonic() > late:
                self._stop()
        return Answer(self._names, frame.vectors)

    def _stop(self) -> None:
        check_deadline()
        raise QueryTimeError(
            f"Plan {self.plan.id} took more than {self._seconds:g} seconds.",
            hint="Filter earlier, join less, or use resource_profile=full_scale.",
            plan=self.plan.id,
        )

    @property
    def physical_plan(self) -> tuple[str, ...]:
        """The operators in words, in the order in which they run."""
        return tuple(operator.describe() for operator in self._operators)

    @property
    def metrics(self) -> QueryMetrics:
        """The metrics of the last run."""
        return QueryMetrics(
            self.physical_plan,
            sum(operator.examined() for operator in self._operators),
            sum(operator.reads_entities for operator in self._operators),
            self._path_hits,
        )


@dataclass(frozen=True, slots=True)
class PreparedWorkload:
    """Compiled plans in the workload's order, and the seconds of index preparation, P."""

    plans: tuple[CompiledPlan, ...]
    preparation_seconds: float


class GraphExecutor:
    """Answers plans from one graph. Indexes are shared by all plans of an executor, and by nothing else."""

    def __init__(self, graph: PropertyGraph, limits: QueryLimits | None = None) -> None:
        self._cache = IndexCache(graph)
        self._limits = limits or QueryLimits()

    def compile(self, plan: BoundPlan) -> CompiledPlan:
        """A plan ready to run any number of times."""
        return CompiledPlan(plan, self._cache, self._limits)

    def prepare(self, plans: Sequence[BoundPlan]) -> PreparedWorkload:
        """All plans compiled, and how long that took with everything they read prepared."""
        started = perf_counter()
        compiled = tuple(self.compile(plan) for plan in plans)
        return PreparedWorkload(compiled, perf_counter() - started)
