"""The timing rule, with real runs."""

from app.executor.run.executor import GraphExecutor
from app.executor.run.measurement import MeasurementOptions, measure_pair, measure_plan
from tests.executor.support import WIDE, medium_source

SOURCE = medium_source(400)
COUNT = {"function": "count", "column": "*", "as": "n"}
PLANS = [
    SOURCE.bind({"id": name, "root": {"table": table, "alias": "t0"}, "aggregations": [COUNT]})
    for name, table in (("p", "parent"), ("l", "leaf"))
]


def test_short_plans_are_repeated_until_a_sample_is_long_enough() -> None:
    plan = GraphExecutor(SOURCE.graph, WIDE).compile(PLANS[0])
    timing = measure_plan(plan, MeasurementOptions(benchmark_repeats=3, min_query_seconds=0.002))
    assert timing.plan_id == "p"
    assert timing.timing_iterations > 1
    assert timing.measured_query_runs == 3 * timing.timing_iterations
    assert timing.warmup_runs == 1
    assert 0 < timing.seconds < 0.002


def test_without_a_least_time_each_sample_is_one_run() -> None:
    plan = GraphExecutor(SOURCE.graph, WIDE).compile(PLANS[0])
    timing = measure_plan(plan, MeasurementOptions(benchmark_repeats=4, min_query_seconds=0.0))
    assert (timing.timing_iterations, timing.measured_query_runs) == (1, 4)


def test_a_pair_is_measured_with_the_same_number_of_samples() -> None:
    executors = GraphExecutor(SOURCE.graph, WIDE), GraphExecutor(SOURCE.graph, WIDE)
    first, second = measure_pair(
        (executors[0].compile(PLANS[0]), executors[1].compile(PLANS[0])),
        MeasurementOptions(benchmark_repeats=3, min_query_seconds=0.0),
    )
    assert first.measured_query_runs == second.measured_query_runs == 3
    assert min(first.seconds, second.seconds) > 0
