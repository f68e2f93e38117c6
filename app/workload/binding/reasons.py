"""Why a plan is refused: stable reasons that a model or a person can act on."""

from enum import StrEnum

from app.errors import PlanInvalidError


class Reason(StrEnum):
    """The `reason` of a `PlanInvalidError`; these words are a contract."""

    MALFORMED = "malformed"
    MISSING_FIELD = "missing_field"
    UNKNOWN_FIELD = "unknown_field"
    UNKNOWN_OPERATOR = "unknown_operator"
    UNKNOWN_FUNCTION = "unknown_function"
    TEXT_INVALID = "text_invalid"
    ROOT_ALIAS = "root_alias"
    UNKNOWN_TABLE = "unknown_table"
    TOO_MANY_JOINS = "too_many_joins"
    ALIAS_INVALID = "alias_invalid"
    ALIAS_DUPLICATE = "alias_duplicate"
    UNKNOWN_ALIAS = "unknown_alias"
    FOREIGN_KEY_NOT_DECLARED = "foreign_key_not_declared"
    FOREIGN_KEY_SWAPPED = "foreign_key_swapped"
    JOIN_DIRECTION = "join_direction"
    COLUMN_NOT_QUALIFIED = "column_not_qualified"
    UNKNOWN_COLUMN = "unknown_column"
    HAVING_NOT_SUPPORTED = "having_not_supported"
    VALUE_MISSING = "value_missing"
    VALUE_NOT_ALLOWED = "value_not_allowed"
    VALUE_INVALID = "value_invalid"
    VALUE_NULL = "value_null"
    FLOAT_TEXT_COMPARISON = "float_text_comparison"
    STAR_NOT_ALLOWED = "star_not_allowed"
    NOT_NUMERIC = "not_numeric"
    SUM_MAY_OVERFLOW = "sum_may_overflow"
    NO_OUTPUT = "no_output"
    NOT_GROUPED = "not_grouped"
    GROUP_DUPLICATE = "group_duplicate"
    OUTPUT_DUPLICATE = "output_duplicate"
    ORDER_UNKNOWN_OUTPUT = "order_unknown_output"
    ORDER_DUPLICATE = "order_duplicate"
    LIMIT_INVALID = "limit_invalid"
    LIMIT_NOT_ORDERED = "limit_not_ordered"


def refusal(plan: str | None, reason: Reason, message: str, hint: str = "", **where: object) -> PlanInvalidError:
    """The error for plan id `plan`; `where` adds identifiers such as a field or a column."""
    prefix = f"Plan {plan}: " if plan else "A plan: "
    return PlanInvalidError(prefix + message, hint=hint, plan=plan, reason=str(reason), **where)
