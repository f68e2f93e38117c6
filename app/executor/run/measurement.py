"""L and P: how long compiled plans take, by the rule that makes graphs comparable.

Each plan is warmed up once and then sampled; a sample repeats the plan until it has lasted `min_query_seconds`, so
that short plans are not measured by the clock's grain. A plan's time is the median over samples of the seconds per
run, L is the sum over plans, P the time of preparation. Cost = L + P / expected_query_runs.
"""

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from app.budget import check_deadline
from app.executor.run.executor import CompiledPlan

MAX_RUNS_PER_SAMPLE = 10_000
"""A sample repeats a plan at most this often."""

MAX_SAMPLING_SECONDS = 10.0
"""No further sample of a plan begins once its samples have lasted this long."""


@dataclass(frozen=True, slots=True)
class MeasurementOptions:
    """How much to measure; the defaults are those of a construction."""

    benchmark_repeats: int = 5
    min_query_seconds: float = 0.003
    expected_query_runs: int = 100


@dataclass(frozen=True, slots=True)
class PlanTiming:
    """The time of one plan: `seconds` per run; how many runs a sample had, and all samples together."""

    plan_id: str
    seconds: float
    timing_iterations: int
    measured_query_runs: int
    warmup_runs: int
    materialized_path_hits: int


def measure_plan(plan: CompiledPlan, options: MeasurementOptions) -> PlanTiming:
    """Warm a plan up, sample it, and take the median."""
    return _measured([plan], options)[0]


def measure_pair(
    plans: tuple[CompiledPlan, CompiledPlan], options: MeasurementOptions
) -> tuple[PlanTiming, PlanTiming]:
    """Measure one plan on two graphs, sample by sample in turn, so that a machine that slows down slows both."""
    first, second = _measured(plans, options)
    return first, second


def _measured(plans: Sequence[CompiledPlan], options: MeasurementOptions) -> list[PlanTiming]:
    iterations = [_iterations(_seconds_of(plan, 1), options.min_query_seconds) for plan in plans]
    samples: list[list[float]] = [[] for _ in plans]
    started = perf_counter()
    while len(samples[0]) < options.benchmark_repeats and perf_counter() - started < MAX_SAMPLING_SECONDS:
        check_deadline()
        for plan, runs, own in zip(plans, iterations, samples, strict=True):
            own.append(_seconds_of(plan, runs) / runs)
    return [_timing(plan, runs, own) for plan, runs, own in zip(plans, iterations, samples, strict=True)]


def _timing(plan: CompiledPlan, iterations: int, samples: Sequence[float]) -> PlanTiming:
    runs = iterations * len(samples)
    hits = plan.metrics.materialized_path_hits * runs
    return PlanTiming(plan.plan.id, median(samples), iterations, runs, 1, hits)


def _iterations(seconds: float, wanted: float) -> int:
    """How many runs of this length make a sample of the wanted length."""
    return max(1, min(MAX_RUNS_PER_SAMPLE, round(wanted / max(seconds, 1e-9) + 0.5)))


def _seconds_of(plan: CompiledPlan, runs: int) -> float:
    """Seconds that `runs` runs take, without garbage collection falling into some of them."""
    collects = gc.isenabled()
    gc.disable()
    try:
        started = perf_counter()
        for _ in range(runs):
            plan.run()
        return perf_counter() - started
    finally:
        if collects:
            gc.enable()
