"""A bound plan as Cypher."""

from typing import Any

from app.graph.model.property_graph import PropertyGraph
from app.tables.schema import TableSchema
from app.workload.bound import BoundColumn, BoundFilter, BoundJoin, BoundOutput, BoundPlan
from app.workload.plan import Comparison, Function

_COMPARISONS = {
    Comparison.EQ: "=",
    Comparison.NE: "<>",
    Comparison.LT: "<",
    Comparison.LE: "<=",
    Comparison.GT: ">",
    Comparison.GE: ">=",
    Comparison.IN: "IN",
    Comparison.CONTAINS: "CONTAINS",
}


def edge_type(schema: TableSchema, number: int) -> str:
    """The edge type of a table's foreign key."""
    return f"{schema.name}_{'_'.join(schema.foreign_keys[number].columns)}"


def cypher_of(plan: BoundPlan, graph: PropertyGraph) -> tuple[str, dict[str, Any]]:
    """The query and its parameters.

    Aggregates are SQL's: a sum of nothing is NULL in this dialect too. NULL is sorted first in ascending order by a
    key of its own, only where a column has NULLs.
    """
    parameters: dict[str, Any] = {}
    root, schema = next(iter(plan.tables.items()))
    clauses = [f"MATCH ({root}:`{schema.name}`)"]
    for join in plan.joins:
        clauses.append(f"{'OPTIONAL ' if join.left else ''}MATCH {_pattern(plan, join)}")
    if plan.filters:
        conditions = [_condition(part, number, parameters) for number, part in enumerate(plan.filters)]
        clauses.append(f"{_scope(plan)}WHERE {' AND '.join(conditions)}")
    returned = [f"{_expression(output)} AS o{number}" for number, output in enumerate(plan.outputs)]
    hidden = [column for column in plan.group_by if column not in [output.column for output in plan.outputs]]
    if plan.group_by and not any(output.function for output in plan.outputs):
        returned[0] = "DISTINCT " + returned[0]
    assert not hidden, "the generator projects its group keys"
    clauses.append("RETURN " + ", ".join(returned))
    if plan.order_by:
        clauses.append("ORDER BY " + ", ".join(_order_terms(plan, graph)))
    if plan.limit is not None:
        clauses.append(f"LIMIT {plan.limit}")
    return "\n".join(clauses), parameters


def _scope(plan: BoundPlan) -> str:
    """A filter after an optional match stands behind WITH, so that it is not a part of the match."""
    return f"WITH {', '.join(plan.tables)} " if any(join.left for join in plan.joins) else ""


def _pattern(plan: BoundPlan, join: BoundJoin) -> str:
    source, target = plan.tables[join.source], plan.tables[join.alias]
    child = source if join.forward else target
    kind = edge_type(child, child.foreign_keys.index(join.foreign_key))
    arrow = f"-[:`{kind}`]->" if join.forward else f"<-[:`{kind}`]-"
    return f"({join.source}){arrow}({join.alias}:`{target.name}`)"


def _column(column: BoundColumn) -> str:
    return f"{column.alias}.`{column.name}`"


def _condition(part: BoundFilter, number: int, parameters: dict[str, Any]) -> str:
    if part.op is Comparison.IS_NULL:
        return f"{_column(part.column)} IS NULL"
    if part.op is Comparison.NOT_NULL:
        return f"{_column(part.column)} IS NOT NULL"
    parameters[f"p{number}"] = list(part.value) if isinstance(part.value, tuple) else part.value
    return f"{_column(part.column)} {_COMPARISONS[part.op]} $p{number}"


def _expression(output: BoundOutput) -> str:
    column = "*" if output.column is None else _column(output.column)
    return column if output.function is None else f"{output.function}({column})"


def _order_terms(plan: BoundPlan, graph: PropertyGraph) -> list[str]:
    terms: list[str] = []
    for order in plan.order_by:
        name, direction = f"o{order.output}", "DESC" if order.descending else "ASC"
        if _may_be_null(plan, plan.outputs[order.output], graph):
            terms.append(f"{name} IS NULL {'ASC' if order.descending else 'DESC'}")
        terms.append(f"{name} {direction}")
    return terms


def _may_be_null(plan: BoundPlan, output: BoundOutput, graph: PropertyGraph) -> bool:
    if output.column is None or output.function is Function.COUNT:
        return False
    if any(join.left and join.alias == output.column.alias for join in plan.joins):
        return True
    return graph.rows_of(output.column.table).columns[output.column.name].null_count() > 0
