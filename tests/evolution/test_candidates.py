"""What becomes of candidates that meet a limit, repeat what is there, or fit only because old paths go."""

from dataclasses import dataclass, field
from itertools import product
from time import sleep
from typing import Any

import pytest

from app.budget import RowLimit, check_deadline, deadline
from app.build.options import BuildOptions
from app.build.phases import compare_with_initial
from app.errors import GraphwrightError, QueryLimitError, TimeBudgetExhaustedError
from app.evolution.acceptance import MeasuredCost, Side
from app.evolution.evaluation import Evaluation
from app.evolution.evaluator import WorkloadEvaluator
from app.evolution.loop import Attempt, Evolution, LoopLimits, Outcome
from app.evolution.proposal import Proposal
from app.evolution.rules import propose
from app.executor.plan.limits import QueryLimits
from app.executor.run.measurement import MeasurementOptions
from app.graph.checks.integrity import SourceIntegrity
from app.graph.derivation.paths import PathStep, count_paths, enumerate_paths
from app.graph.g0 import match_references
from app.graph.model.property_graph import PropertyGraph
from app.workload.freezing import freeze
from tests.executor.support import Source

SOURCE = Source.of(
    "CREATE TABLE hub (id INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE spoke (id INTEGER PRIMARY KEY, hub_id INTEGER REFERENCES hub(id), kind TEXT);"
    "CREATE TABLE rare (spoke_id INTEGER REFERENCES spoke(id));"
    "INSERT INTO hub VALUES (1, 'a'), (2, 'b');"
    "INSERT INTO spoke VALUES "
    + ", ".join(f"({number}, {1 + number % 2}, 'k{number % 3}')" for number in range(40))
    + "; INSERT INTO rare VALUES (0), (3)"
)
HUB = {"table": "spoke", "columns": ["hub_id"], "ref_table": "hub", "ref_columns": ["id"]}
RARE = {"table": "rare", "columns": ["spoke_id"], "ref_table": "spoke", "ref_columns": ["id"]}
SIBLINGS = [{**HUB, "direction": "forward"}, {**HUB, "direction": "reverse"}]
COUNT = {"id": "q", "question": "?", "root": {"table": "spoke"},
         "aggregations": [{"function": "count", "column": "*", "as": "n"}]}  # fmt: skip
ENTITIES = Proposal("generate_entity_table", {"table": "spoke", "column": "kind", "node_type": "Kind"})
PATH = Proposal("materialize_join", {"path": SIBLINGS})


@dataclass
class Failing:
    """Evaluates graphs, but each but the first fails with `error`."""

    evaluator: WorkloadEvaluator
    error: BaseException | None = None
    delay: float = 0.0
    seen: list[PropertyGraph] = field(default_factory=list)

    def evaluate(self, graph: PropertyGraph) -> Evaluation:
        if self.seen and self.error is not None:
            raise self.error
        self.seen.append(graph)
        sleep(self.delay if len(self.seen) > 1 else 0.0)
        return self.evaluator.evaluate(graph)

    def measure_pair(
        self, current: PropertyGraph, candidate: PropertyGraph, first: Side
    ) -> tuple[MeasuredCost, MeasuredCost]:
        return self.evaluator.measure_pair(current, candidate, first)


def evaluator(limits: QueryLimits, plans: list[dict[str, Any]] | None = None) -> WorkloadEvaluator:
    asked = plans or [COUNT]
    workload = freeze(asked, SOURCE.tables.schema, len(asked))
    answers = [SOURCE.oracle.answers(plan).rows for plan in workload.bound]
    return WorkloadEvaluator(workload, answers, limits, MeasurementOptions(1, 0.0, 100))


def evolution(
    growth: float = 10.0,
    error: BaseException | None = None,
    plans: list[dict[str, Any]] | None = None,
    delay: float = 0.0,
) -> Evolution:
    asked, tables = plans or [COUNT], SOURCE.tables
    integrity = SourceIntegrity(tables.schema, tables.tables, match_references(tables.schema, tables.tables))
    judge = Failing(evaluator(QueryLimits(), asked), error, delay)
    graph = SOURCE.graph
    size = graph.node_count + graph.edge_count
    return Evolution(
        graph, judge.evaluate(graph), freeze(asked, tables.schema, len(asked)), integrity, judge,
        LoopLimits(12, 0.05, growth, 2), size, lambda _: None,
    )  # fmt: skip


@pytest.mark.parametrize("error", [QueryLimitError("too many rows"), MemoryError(), GraphwrightError("something else")])
def test_a_candidate_that_cannot_be_measured_is_rejected(error: BaseException) -> None:
    explored = evolution(error=error)
    assert explored.attempt(ENTITIES).outcome is Outcome.COMPARISON_FAILED
    assert explored.graph is SOURCE.graph


def test_a_final_comparison_that_meets_a_limit_claims_nothing() -> None:
    explored = evolution()
    explored.history.append(Attempt(ENTITIES, Outcome.ACCEPTED))
    options = BuildOptions()
    assert compare_with_initial(SOURCE.graph, explored, evaluator(QueryLimits()), options) is not None
    slow = evaluator(QueryLimits(RowLimit(1_000), 0.0))
    assert compare_with_initial(SOURCE.graph, explored, slow, options) is None


def test_a_candidate_that_takes_its_own_time_is_rejected() -> None:
    explored = evolution(error=TimeBudgetExhaustedError("too long"))
    with deadline(600, "a build"):
        assert explored.attempt(ENTITIES).outcome is Outcome.COMPARISON_FAILED


def test_the_loop_leaves_time_to_finish() -> None:
    asked = product([("spoke", "kind"), ("hub", "name")], ("eq", "contains"))
    plans = [
        {
            **COUNT,
            "id": f"q{number}",
            "root": {"table": table},
            "filters": [{"column": f"t0.{column}", "op": op, "value": "a"}],
        }
        for number, ((table, column), op) in enumerate(asked)
    ]
    seconds = {plan["id"]: 1.0 for plan in plans}
    assert len(propose(SOURCE.graph, list(map(SOURCE.bind, plans)), seconds, 0.0)) > 2
    explored = evolution(plans=plans, delay=0.4)
    with deadline(1.0, "a build"):
        explored.run()
    assert 0 < len(explored.history) < 3


def test_a_build_that_is_out_of_time_is_not_saved_by_rejecting_a_candidate() -> None:
    explored = evolution()
    with deadline(0, "a build"), pytest.raises(TimeBudgetExhaustedError):
        explored.attempt(ENTITIES)


def test_a_plan_over_its_time_is_the_result_of_that_plan() -> None:
    (result,) = evaluator(QueryLimits(RowLimit(1_000), 0.0)).evaluate(SOURCE.graph).results
    assert result.error is not None
    assert (result.passed, result.error["code"]) == (False, "query_time_limit_exceeded")
    check_deadline()


def test_a_step_over_the_growth_limit_is_not_built() -> None:
    # 20 spokes at either hub: 800 paths.
    attempt = evolution(growth=3.0).attempt(PATH)
    assert (attempt.outcome, attempt.size) == (Outcome.GROWTH_EXCEEDED, None)


def test_old_paths_do_not_count_against_a_step_that_drops_them() -> None:
    explored = evolution(growth=10.0)
    explored.graph = grown(explored, PATH)
    explored.limits = LoopLimits(12, 0.05, explored_growth(explored), 2)
    assert explored.attempt(ENTITIES).outcome not in (Outcome.GROWTH_EXCEEDED, Outcome.TRANSFORM_INVALID)


def explored_growth(explored: Evolution) -> float:
    """The growth that the graph has reached."""
    return (explored.graph.node_count + explored.graph.edge_count) / explored.initial_size


def grown(explored: Evolution, proposal: Proposal) -> PropertyGraph:
    explored.limits = LoopLimits(12, 0.05, 100.0, 2)
    graph = explored._candidate(proposal)
    assert graph is not None
    return graph


@pytest.mark.parametrize("growth", [1.0, 100.0])
@pytest.mark.parametrize("proposal", [PATH, ENTITIES])
def test_a_step_that_is_done_already_changes_nothing(proposal: Proposal, growth: float) -> None:
    explored = evolution()
    explored.graph = grown(explored, proposal)
    explored.limits = LoopLimits(12, 0.05, growth * explored_growth(explored), 2)
    batch: dict[str, Any] = {"steps": [{"tool": proposal.tool, "arguments": dict(proposal.arguments)}] * 2}
    for repeated in (proposal, Proposal("transform_batch", batch)):
        assert explored.attempt(repeated).outcome is Outcome.NO_CHANGE


def test_operations_without_effect_change_nothing_and_leave_paths() -> None:
    explored = evolution(growth=100.0)
    explored.graph = grown(explored, PATH)
    same = {"op": "rename_type", "target": "node", "old_type": "hub", "new_type": "hub"}
    assert explored.attempt(Proposal("optimize_graph", {"operations": [same]})).outcome is Outcome.NO_CHANGE


def test_no_part_of_a_path_is_longer_than_the_whole() -> None:
    keys = {key.table: key for key in SOURCE.tables.schema.foreign_keys}
    path = (PathStep(keys["spoke"], True), PathStep(keys["spoke"], False), PathStep(keys["rare"], False))
    count = count_paths(SOURCE.graph, path)
    sources, _, ends, targets = enumerate_paths(SOURCE.graph, path, RowLimit(count))
    assert count == len(sources) == 40
    assert set(zip(ends.tolist(), targets.tolist(), strict=True)) == {(0, 0), (3, 1)}
