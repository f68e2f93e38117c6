"""A plan's document -> `Plan`, with a clear reason if its form is wrong."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from app.errors import PlanInvalidError
from app.workload.binding.reasons import Reason, refusal
from app.workload.plan import Plan

_FIELD_REASONS = {
    "op": Reason.UNKNOWN_OPERATOR,
    "function": Reason.UNKNOWN_FUNCTION,
    "limit": Reason.LIMIT_INVALID,
    "alias": Reason.ROOT_ALIAS,
}
_TYPE_REASONS = {
    "missing": Reason.MISSING_FIELD,
    "extra_forbidden": Reason.UNKNOWN_FIELD,
    "string_unicode": Reason.TEXT_INVALID,
}
_HINTS = {
    Reason.UNKNOWN_FIELD: "The DSL has no HAVING, DISTINCT, OR, NOT, arithmetic, set operations or subqueries.",
    Reason.UNKNOWN_OPERATOR: "Use eq, ne, lt, le, gt, ge, in, contains, is_null or not_null.",
    Reason.UNKNOWN_FUNCTION: "Use count, sum, min, max or avg.",
    Reason.LIMIT_INVALID: "Use a whole number of at least 1, or null.",
    Reason.ROOT_ALIAS: "The root's alias is always t0.",
}


def parse_plan(document: object) -> Plan:
    """The plan of a JSON document (or the plan itself); `PlanInvalidError` names the first wrong field."""
    if isinstance(document, Plan):
        return document
    try:
        return Plan.model_validate(document)
    except ValidationError as error:
        raise _form_error(document, error.errors(include_url=False, include_context=False)[0]) from None


def _form_error(document: object, problem: Mapping[str, Any]) -> PlanInvalidError:
    plan = document.get("id") if isinstance(document, Mapping) else None
    path = ".".join(str(part) for part in problem["loc"]) or "the plan"
    reason = _reason(problem)
    message = f"{path}: {problem['msg']}."
    return refusal(plan if isinstance(plan, str) else None, reason, message, _HINTS.get(reason, ""), field=path)


def _reason(problem: Mapping[str, Any]) -> Reason:
    if problem["type"] in _TYPE_REASONS:
        return _TYPE_REASONS[problem["type"]]
    last = problem["loc"][-1] if problem["loc"] else ""
    return _FIELD_REASONS.get(str(last), Reason.MALFORMED)
