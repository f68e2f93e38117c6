"""What the options of a build mean for the queries, the timing and the loop."""

from app.budget import RowLimit
from app.build.options import BuildOptions
from app.evolution.loop import LoopLimits
from app.executor.plan.limits import QueryLimits
from app.executor.run.measurement import MeasurementOptions

FULL_SCALE_LIMITS = QueryLimits(RowLimit(100_000_000), 600.0)
"""What one query may use under resource_profile=full_scale."""


def query_limits(options: BuildOptions) -> QueryLimits:
    """What one query of the graph may use under the profile in force."""
    return FULL_SCALE_LIMITS if options.resource_profile == "full_scale" else QueryLimits()


def measurement_options(options: BuildOptions) -> MeasurementOptions:
    """How much of each plan is measured."""
    return MeasurementOptions(options.benchmark_repeats, options.min_query_seconds, options.expected_query_runs)


def loop_limits(options: BuildOptions) -> LoopLimits:
    """How far the loop may go, and what it must gain."""
    return LoopLimits(options.max_iterations, options.min_speedup, options.max_graph_growth, options.comparison_rounds)
