"""A digest of what a plan asks, so that the same question in other words, names or orderings counts once."""

import math
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

from app.values import Collation, Scalar, canonical_json, canonical_sha256, comparison_operand, equality_key
from app.workload.bound import BoundColumn, BoundFilter, BoundJoin, BoundOutput, BoundPlan
from app.workload.plan import Comparison

Names = Mapping[str, str]


def semantic_fingerprint(plan: BoundPlan) -> str:
    """SHA-256 that is equal for plans that ask the same.

    It ignores id, question, alias names, and the order of joins, filters, `in` values, groups and output columns;
    constants that compare alike (1 and 1.0, or texts under the column's collation) are one. Order of rows and limit
    count.
    """
    return canonical_sha256(min((_document(plan, order) for order in _join_orders(plan)), key=canonical_json))


def _join_orders(plan: BoundPlan) -> Iterator[tuple[BoundJoin, ...]]:
    """All orders of the joins in which each starts from an alias before it; each gives the same rows."""
    root = next(iter(plan.tables))
    for order in permutations(plan.joins):
        known = [root, *(join.alias for join in order)]
        if all(join.source in known[: offset + 1] for offset, join in enumerate(order)):
            yield order


def _document(plan: BoundPlan, joins: tuple[BoundJoin, ...]) -> dict[str, Any]:
    root = next(iter(plan.tables))
    names = {root: "t0", **{join.alias: f"t{number}" for number, join in enumerate(joins, start=1)}}
    outputs = [_output(output, names) for output in plan.outputs]
    return {
        "root": plan.tables[root].name,
        "joins": [
            [names[join.source], join.foreign_key.to_dict(), join.forward, join.left, names[join.alias]]
            for join in joins
        ],
        "filters": sorted({canonical_json(_filter(part, names)) for part in plan.filters}),
        "outputs": sorted(map(canonical_json, outputs)),
        "group_by": sorted(_column(column, names) for column in plan.group_by),
        "order_by": [[outputs[order.output], order.descending] for order in plan.order_by],
        "limit": plan.limit,
    }


def _column(column: BoundColumn, names: Names) -> list[str]:
    return [names[column.alias], column.name]


def _output(output: BoundOutput, names: Names) -> list[Any]:
    return [output.function, None if output.column is None else _column(output.column, names)]


def _filter(part: BoundFilter, names: Names) -> list[Any]:
    values = part.value if isinstance(part.value, tuple) else (part.value,)
    constants = {canonical_json(_constant(part, value)) for value in values}
    op = Comparison.EQ if part.op is Comparison.IN and len(constants) == 1 else part.op
    return [_column(part.column, names), op, sorted(constants)]


def _constant(part: BoundFilter, value: Scalar) -> int | float | str | list[str] | None:
    """The constant as it takes part in the comparison; `contains` compares by bytes, without affinity.

    A text that overflows REAL, such as "1e400" against a number, is an infinity, for which JSON has no number.
    """
    if part.op is Comparison.CONTAINS:
        return equality_key(value, Collation.BINARY)
    schema = part.column.schema
    key = equality_key(comparison_operand(value, schema.affinity), schema.collation)
    if isinstance(key, float) and math.isinf(key):
        return ["infinite", "positive" if key > 0 else "negative"]
    return int(key) if isinstance(key, float) and key.is_integer() and abs(key) < 2**63 else key
