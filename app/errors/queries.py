"""Plans, workloads, and the answers to them."""

from app.errors.base import GraphwrightError


class PlanInvalidError(GraphwrightError):
    """A plan that the DSL does not allow; `reason` in `where` is its stable reason."""

    code = "plan_invalid"
    http_status = 422


class QueryLimitError(GraphwrightError):
    """A query over its limit of intermediate rows."""

    code = "query_row_limit_exceeded"
    http_status = 422


class QueryTimeError(GraphwrightError):
    """A query over its own limit of time, while the whole build still has some."""

    code = "query_time_limit_exceeded"
    http_status = 422


class WorkloadInvalidError(GraphwrightError):
    """A list of plans that cannot be frozen: wrong count, duplicates, or invalid plans."""

    code = "workload_invalid"
    http_status = 422


class WorkloadGenerationError(GraphwrightError):
    """No workload of the wanted size could be generated."""

    code = "workload_generation_failed"
    http_status = 422


class WorkloadChangedError(GraphwrightError):
    """The frozen workload no longer has its digest."""

    code = "workload_changed"


class OracleError(GraphwrightError):
    """SQLite could not answer a plan from the source."""

    code = "oracle_failed"


class IntegerOverflowError(GraphwrightError):
    """An integer sum outside 64 bits, which SQLite refuses as well."""

    code = "integer_overflow"
    http_status = 422
