"""A plan -> `BoundPlan`: names resolved by SQLite's ASCII case rule, every rule of the DSL checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from app.errors import NotFoundError
from app.errors.wording import listed
from app.tables.schema import RelationalSchema, TableSchema
from app.values import INT64_MAX, fold_identifier
from app.workload.binding.cell_types import MOST_SUMMED, CellTypes, ColumnCells, is_numeric
from app.workload.binding.filter_values import bound_value, is_valid_text
from app.workload.binding.joins import bind_join, require_table
from app.workload.binding.reasons import Reason, refusal
from app.workload.bound import (
    BoundColumn,
    BoundFilter,
    BoundJoin,
    BoundOrder,
    BoundOutput,
    BoundPlan,
)
from app.workload.plan import MAX_JOINS, Aggregation, Filter, Function, Order, Plan, Projection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scope:
    """The aliases that a plan's column references may use; `tables` maps aliases as written."""

    plan: str
    tables: Mapping[str, TableSchema]

    def column(self, reference: str) -> BoundColumn:
        """The column that `alias.column` names."""
        written, dot, name = reference.partition(".")
        if not dot:
            raise refusal(
                self.plan,
                Reason.COLUMN_NOT_QUALIFIED,
                f"{reference!r} is not of the form alias.column.",
                "Refer to source columns, for example t0.status; output aliases are for order_by only.",
                column=reference,
            )
        alias = next((known for known in self.tables if fold_identifier(known) == fold_identifier(written)), None)
        if alias is None:
            raise refusal(self.plan, Reason.UNKNOWN_ALIAS, f"no alias {written!r} for {reference!r}.", column=reference)
        table = self.tables[alias]
        try:
            return BoundColumn(alias, table.name, table.column(name))
        except NotFoundError:
            raise refusal(
                self.plan,
                Reason.UNKNOWN_COLUMN,
                f"table {table.name} has no column {name!r}.",
                f"Its columns are {listed(table.column_names)}.",
                table=table.name,
                column=name,
            ) from None


def bind_plan(plan: Plan, schema: RelationalSchema, stored: CellTypes | None = None) -> BoundPlan:
    """The plan bound to a schema, or `PlanInvalidError` with a stable `reason`.

    `stored` says which types the columns really hold (see `cell_types`): with it, `sum` and `avg` are refused on a
    column where text occurs and allowed on a column without affinity that holds numbers only.
    """
    _check_texts(plan)
    tables, joins = _bind_tables(plan, schema)
    scope = Scope(plan.id, tables)
    filters = tuple(_bind_filter(scope, part, plan.aggregations) for part in plan.filters)
    group_by = _bind_group(scope, plan.group_by)
    outputs = (
        *(BoundOutput(part.output, scope.column(part.column)) for part in plan.projection),
        *(_bind_aggregation(scope, part, stored) for part in plan.aggregations),
    )
    _check_outputs(plan.id, outputs)
    _check_grouping(scope, plan.projection, group_by, grouped=bool(plan.group_by or plan.aggregations))
    order_by = _bind_order(plan.id, plan.order_by, outputs)
    _check_limit(plan, outputs, order_by)
    return BoundPlan(plan.id, plan.question, tables, tuple(joins), filters, outputs, group_by, order_by, plan.limit)


def _check_texts(plan: Plan) -> None:
    outputs = [part.output for part in plan.projection] + [part.output for part in plan.aggregations]
    if not plan.id.strip():
        raise refusal(None, Reason.TEXT_INVALID, "its id is empty.", field="id")
    if not all(map(is_valid_text, [plan.id, plan.question, *outputs])):
        raise refusal(None, Reason.TEXT_INVALID, "its id, question or an alias is not valid Unicode.")
    if not all(outputs):
        raise refusal(plan.id, Reason.ALIAS_INVALID, "an output alias is empty.", field="as")


def _bind_tables(plan: Plan, schema: RelationalSchema) -> tuple[dict[str, TableSchema], list[BoundJoin]]:
    if len(plan.joins) > MAX_JOINS:
        raise refusal(
            plan.id, Reason.TOO_MANY_JOINS, f"{len(plan.joins)} joins; at most {MAX_JOINS} are allowed.", field="joins"
        )
    tables: dict[str, TableSchema] = {plan.root.alias: require_table(plan.id, schema, plan.root.table)}
    joins: list[BoundJoin] = []
    for part in plan.joins:
        joins.append(bind_join(plan.id, part, tables, schema))
        tables[part.alias] = schema.table(joins[-1].table)
    return tables, joins


def _bind_filter(scope: Scope, part: Filter, aggregations: Iterable[Aggregation]) -> BoundFilter:
    outputs = {fold_identifier(item.output) for item in aggregations}
    if fold_identifier(part.column) in outputs and "." not in part.column:
        raise refusal(
            scope.plan,
            Reason.HAVING_NOT_SUPPORTED,
            f"a filter uses the aggregate {part.column!r}; filters see source columns only.",
            "The DSL has no HAVING: filter source columns, or read the aggregate from the answer.",
            column=part.column,
        )
    column = scope.column(part.column)
    return BoundFilter(column, part.op, bound_value(scope.plan, part, column.schema))


def _bind_group(scope: Scope, references: Sequence[str]) -> tuple[BoundColumn, ...]:
    columns = tuple(scope.column(reference) for reference in references)
    repeated = _first_repeated(columns)
    if repeated is not None:
        name = f"{repeated.alias}.{repeated.name}"
        raise refusal(scope.plan, Reason.GROUP_DUPLICATE, f"group_by names {name} twice.", column=name)
    return columns


def _bind_aggregation(scope: Scope, part: Aggregation, stored: CellTypes | None) -> BoundOutput:
    if part.column == "*":
        if part.function is not Function.COUNT:
            raise refusal(
                scope.plan,
                Reason.STAR_NOT_ALLOWED,
                f"{part.function}(*) needs a column; only count takes *.",
                field=part.output,
            )
        return BoundOutput(part.output, None, part.function)
    column = scope.column(part.column)
    if part.function not in (Function.SUM, Function.AVG):
        return BoundOutput(part.output, column, part.function)
    held = None if stored is None else stored[column.table][column.name]
    _check_numeric(scope.plan, part, column, held)
    return BoundOutput(part.output, column, part.function, 0.0 if held is None else held.sum_noise)


def _check_numeric(plan: str, part: Aggregation, column: BoundColumn, held: ColumnCells | None) -> None:
    if held is not None and held.largest > MOST_SUMMED:
        raise refusal(
            plan,
            Reason.SUM_MAY_OVERFLOW,
            f"{part.function} of {part.column} may leave REAL: it stores values beyond {MOST_SUMMED:g}.",
            "Use count, min or max, or scale the column: whether such sums overflow depends on the order of rows.",
            table=column.table,
            column=column.name,
        )
    if not is_numeric(column.schema, held):
        kinds = "" if held is None or not held.types else f" and stores {', '.join(sorted(held.types))}"
        raise refusal(
            plan,
            Reason.NOT_NUMERIC,
            f"{part.function} needs numbers; {part.column} is declared {column.schema.declared_type!r}{kinds}.",
            "Use count, min or max, or prepare the source with a numeric column.",
            table=column.table,
            column=column.name,
        )


def _check_outputs(plan: str, outputs: Sequence[BoundOutput]) -> None:
    if not outputs:
        raise refusal(plan, Reason.NO_OUTPUT, "it has neither a projection nor an aggregation.", field="projection")
    repeated = _first_repeated(fold_identifier(output.name) for output in outputs)
    if repeated is not None:
        raise refusal(
            plan,
            Reason.OUTPUT_DUPLICATE,
            f"two outputs are called {repeated!r}.",
            "Names ignore ASCII case.",
            field="as",
        )


def _check_grouping(
    scope: Scope, projection: Iterable[Projection], group_by: Sequence[BoundColumn], *, grouped: bool
) -> None:
    if not grouped:
        return
    for part in projection:
        if scope.column(part.column) not in group_by:
            raise refusal(
                scope.plan,
                Reason.NOT_GROUPED,
                f"{part.column} is projected beside groups but is not in group_by.",
                "Add it to group_by, or aggregate it.",
                column=part.column,
            )


def _bind_order(plan: str, parts: Iterable[Order], outputs: Sequence[BoundOutput]) -> tuple[BoundOrder, ...]:
    offsets = {fold_identifier(output.name): offset for offset, output in enumerate(outputs)}
    orders: list[BoundOrder] = []
    for part in parts:
        offset = offsets.get(fold_identifier(part.column))
        if offset is None:
            raise refusal(
                plan,
                Reason.ORDER_UNKNOWN_OUTPUT,
                f"order_by names {part.column!r}, which is not an output alias.",
                f"The output aliases are {', '.join(output.name for output in outputs)}.",
                column=part.column,
            )
        if offset in {order.output for order in orders}:
            raise refusal(plan, Reason.ORDER_DUPLICATE, f"order_by names {part.column!r} twice.", column=part.column)
        orders.append(BoundOrder(offset, part.direction == "desc"))
    return tuple(orders)


def _check_limit(plan: Plan, outputs: Sequence[BoundOutput], order_by: Sequence[BoundOrder]) -> None:
    if plan.limit is None:
        return
    if not 1 <= plan.limit <= INT64_MAX:
        raise refusal(plan.id, Reason.LIMIT_INVALID, f"limit {plan.limit} is not at least 1.", field="limit")
    ordered = {order.output for order in order_by}
    unordered = [output.name for offset, output in enumerate(outputs) if offset not in ordered]
    if unordered:
        raise refusal(
            plan.id,
            Reason.LIMIT_NOT_ORDERED,
            f"limit needs an order over all outputs; {', '.join(unordered)} is not ordered.",
            "Without it the rows that are kept would be arbitrary.",
            field="order_by",
        )


def _first_repeated(items: Iterable[T]) -> T | None:
    seen: set[T] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None
