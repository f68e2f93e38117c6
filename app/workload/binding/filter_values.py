"""What a filter may compare its column with."""

from typing import TypeGuard

from app.errors import PlanInvalidError
from app.tables.schema import ColumnSchema
from app.values import Affinity, Scalar, is_finite_scalar
from app.workload.binding.reasons import Reason, refusal
from app.workload.plan import Comparison, Filter, FilterValue

MAX_LISTED_VALUES = 10_000
"""SQLite binds at most 32,766 values in one statement."""

_NULL_TESTS = (Comparison.IS_NULL, Comparison.NOT_NULL)


def bound_value(plan: str, part: Filter, column: ColumnSchema) -> FilterValue:
    """The filter's checked value: None for null tests, a tuple for `in`, else a scalar that is not NULL."""
    if part.op in _NULL_TESTS:
        if "value" in part.model_fields_set:
            raise refusal(
                plan,
                Reason.VALUE_NOT_ALLOWED,
                f"{part.op} on {part.column} carries a value.",
                "A null test is {column, op} alone.",
                column=part.column,
            )
        return None
    if part.op is Comparison.IN:
        return _listed(plan, part, column)
    return _scalar(plan, part, column, part.value)


def _listed(plan: str, part: Filter, column: ColumnSchema) -> tuple[Scalar, ...]:
    if not isinstance(part.value, list | tuple) or not part.value:
        raise refusal(
            plan,
            Reason.VALUE_MISSING if part.value is None else Reason.VALUE_INVALID,
            f"in on {part.column} needs a list with at least one value.",
            column=part.column,
        )
    if len(part.value) > MAX_LISTED_VALUES:
        raise refusal(
            plan,
            Reason.VALUE_INVALID,
            f"in on {part.column} lists {len(part.value):,} values; at most {MAX_LISTED_VALUES:,} are allowed.",
            "Use a range, or join a table that holds the values.",
            column=part.column,
        )
    return tuple(_scalar(plan, part, column, value) for value in part.value)


def _scalar(plan: str, part: Filter, column: ColumnSchema, value: object) -> Scalar:
    if value is None:
        raise _null_refusal(plan, part)
    if not _is_scalar(value):
        raise refusal(
            plan,
            Reason.VALUE_INVALID,
            f"{part.op} on {part.column} has a value that is not a finite JSON scalar of at most 64 bits.",
            column=part.column,
        )
    if part.op is Comparison.CONTAINS and not isinstance(value, str):
        raise refusal(plan, Reason.VALUE_INVALID, f"contains on {part.column} needs a text.", column=part.column)
    if isinstance(value, float) and column.affinity is Affinity.TEXT:
        raise refusal(
            plan,
            Reason.FLOAT_TEXT_COMPARISON,
            f"{part.column} is a TEXT column and is compared with the real number {value!r}.",
            "Write the value as the text that the column stores.",
            column=part.column,
        )
    return value


def _null_refusal(plan: str, part: Filter) -> PlanInvalidError:
    given = "value" in part.model_fields_set
    return refusal(
        plan,
        Reason.VALUE_NULL if given else Reason.VALUE_MISSING,
        f"{part.op} on {part.column} compares with NULL." if given else f"{part.op} on {part.column} has no value.",
        "A comparison with NULL is never true; use is_null or not_null.",
        column=part.column,
    )


def _is_scalar(value: object) -> TypeGuard[Scalar]:
    return is_finite_scalar(value) and is_valid_text(value)


def is_valid_text(value: object) -> bool:
    """Whether a value is not a text, or a text that UTF-8 can write (without lone surrogates)."""
    return not isinstance(value, str) or value.isascii() or not any("\ud800" <= part <= "\udfff" for part in value)
