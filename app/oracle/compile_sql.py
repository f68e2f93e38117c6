"""A plan -> one parameterised SELECT.

Names from the plan and the schema are quoted, values are bound: nothing of a plan becomes SQL text. What the SQL
means where SQLite's rules are subtle, and what whoever answers the same plan must therefore do:

- A join is `parent = +child` on each key column: the parent's affinity and collation decide. The plus is left out
  if it changes nothing, so that an index on the child's columns serves. If the child's column says that an
  empty text is a missing reference, an empty text joins nothing, as NULL does.
- Filters stand in WHERE, also those on the right side of a left join: a row that lacks the relation is NULL there,
  and only `is_null` keeps it.
- A filter's value has no affinity of its own: a numeric column converts text that looks like a number, a TEXT column
  converts integers to text, and a column without affinity converts nothing, so that numbers < text.
- `contains` is `instr`: by bytes, with case; numbers are taken as their text; every text contains "".
- Rows, `count`, `min` and `max` skip or keep NULL as SQL does; `sum` and `avg` of nothing are NULL, `count` is 0.
  `sum` of integers is an integer, of anything with a real a real; `avg` is always a real. A sum of integers that
  leaves 64 bits on its way is an error. `min` and `max` order numbers before text.
- Groups are equal under the column's collation, 1 equals 1.0, and NULL is a group. Which of the equal values stands
  for its group, or is a `min` or `max`, is open.
- Order is NULL, numbers, text; `desc` reverses all of it. An output orders by its column's collation, `min` and `max`
  too. With a limit on ungrouped rows, texts that tie under NOCASE or RTRIM order by their bytes at last
  (`BoundPlan.tie_breaks`), so that the cut is exact.
"""

from collections.abc import Iterator
from typing import TypeAlias

from app.tables.key_affinity import child_affinity_matters
from app.values import Collation
from app.workload.bound import BoundColumn, BoundFilter, BoundJoin, BoundOutput, BoundPlan
from app.workload.plan import Comparison

SqlValue: TypeAlias = int | float | str

_COMPARISONS = {
    Comparison.EQ: "=",
    Comparison.NE: "<>",
    Comparison.LT: "<",
    Comparison.LE: "<=",
    Comparison.GT: ">",
    Comparison.GE: ">=",
}


def compile_sql(plan: BoundPlan) -> tuple[str, tuple[SqlValue, ...]]:
    """The SELECT and its parameters in order."""
    parameters: list[SqlValue] = []
    clauses = ["SELECT " + ", ".join(f"{_expression(output)} AS {quoted(output.name)}" for output in plan.outputs)]
    root = next(iter(plan.tables))
    clauses.append(f"FROM {quoted(plan.tables[root].name)} AS {quoted(root)}")
    clauses.extend(_join(plan, join) for join in plan.joins)
    if plan.filters:
        clauses.append("WHERE " + " AND ".join(_condition(part, parameters) for part in plan.filters))
    if plan.group_by:
        clauses.append("GROUP BY " + ", ".join(map(_column, plan.group_by)))
    if plan.order_by:
        clauses.append("ORDER BY " + ", ".join(_order_terms(plan)))
    if plan.limit is not None:
        clauses.append("LIMIT ?")
        parameters.append(plan.limit)
    return "\n".join(clauses), tuple(parameters)


def quoted(name: str) -> str:
    """`name` as a SQL identifier.

    >>> print(quoted('a "b'))
    "a ""b"
    """
    return '"' + name.replace('"', '""') + '"'


def _column(column: BoundColumn) -> str:
    return f"{quoted(column.alias)}.{quoted(column.name)}"


def _expression(output: BoundOutput) -> str:
    operand = "*" if output.column is None else _column(output.column)
    return operand if output.function is None else f"{output.function}({operand})"


def _join(plan: BoundPlan, join: BoundJoin) -> str:
    child, parent = (join.source, join.alias) if join.forward else (join.alias, join.source)
    pairs = zip(join.foreign_key.columns, join.foreign_key.ref_columns, strict=True)
    conditions = [_key_condition(plan, (child, column), (parent, ref_column)) for column, ref_column in pairs]
    kind = "LEFT JOIN" if join.left else "JOIN"
    return f"{kind} {quoted(join.table)} AS {quoted(join.alias)} ON {' AND '.join(conditions)}"


def _key_condition(plan: BoundPlan, child: tuple[str, str], parent: tuple[str, str]) -> str:
    child_schema, parent_schema = (plan.tables[alias].column(name) for alias, name in (child, parent))
    plus = "+" if child_affinity_matters(parent_schema, child_schema) else ""
    reference = f"{quoted(child[0])}.{quoted(child[1])}"
    present = f" AND {reference} <> ''" if child_schema.empty_is_missing else ""
    return f"{quoted(parent[0])}.{quoted(parent[1])} = {plus}{reference}{present}"


def _condition(part: BoundFilter, parameters: list[SqlValue]) -> str:
    column = _column(part.column)
    if part.op is Comparison.IS_NULL:
        return f"{column} IS NULL"
    if part.op is Comparison.NOT_NULL:
        return f"{column} IS NOT NULL"
    values = part.value if isinstance(part.value, tuple) else (part.value,)
    parameters.extend(map(_bindable, values))
    if part.op is Comparison.IN:
        return f"{column} IN ({', '.join('?' * len(values))})"
    if part.op is Comparison.CONTAINS:
        return f"instr({column}, ?) > 0"
    return f"{column} {_COMPARISONS[part.op]} ?"


def _bindable(value: object) -> SqlValue:
    assert isinstance(value, int | float | str), "validation refuses NULL"
    return int(value) if isinstance(value, bool) else value


def _order_terms(plan: BoundPlan) -> Iterator[str]:
    for order in plan.order_by:
        output = plan.outputs[order.output]
        collation = "" if output.function is None else f" COLLATE {output.collation}"
        yield f"{order.output + 1}{collation} {'DESC' if order.descending else 'ASC'}"
    for offset in plan.tie_breaks:
        yield f"{_expression(plan.outputs[offset])} COLLATE {Collation.BINARY} ASC"
