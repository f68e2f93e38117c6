"""Builds: their time, their number and their processes."""

from app.errors.base import GraphwrightError


class TimeBudgetExhaustedError(GraphwrightError):
    """The overall deadline, or an earlier nested one, has passed."""

    code = "construction_time_budget_exhausted"
    http_status = 504


class BuildConflictError(GraphwrightError):
    """The same dataset is being built with other options."""

    code = "construction_build_conflict"
    http_status = 409


class BuildCapacityError(GraphwrightError):
    """As many builds as are allowed at a time are running."""

    code = "construction_capacity_exhausted"
    http_status = 429


class NotBuiltError(GraphwrightError):
    """A dataset without a graph to read yet."""

    code = "construction_not_ready"
    http_status = 409


class WorkerLostError(GraphwrightError):
    """A build whose process ended without a valid receipt: killed, out of memory, or cut off."""

    code = "construction_worker_lost"
