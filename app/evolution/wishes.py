"""What each plan of a workload wishes for: the transformations that could lower its cost, and no others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.executor.plan.plan_facts import (
    FEWEST_ROWS,
    PATH_HOPS,
    clustering_attribute,
    inner_chain,
    key_columns,
    ordering_attribute,
    runs_forward,
)
from app.graph.checks.integrity import key_problem
from app.graph.derivation.paths import PathStep
from app.graph.model.names import entity_type, next_free
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.rows import resolve_column, resolve_rows, row_locations
from app.tables.column import Column, Kind
from app.tables.schema import TableSchema
from app.values import canonical_json
from app.workload.bound import BoundColumn, BoundPlan
from app.workload.plan import Comparison

_INDEXED = frozenset({Comparison.EQ, Comparison.IN, Comparison.CONTAINS})
"""Filters that pick few of a column's values, so that an entry through its entities can pay."""


@dataclass(frozen=True, slots=True)
class Step:
    """One transformation."""

    tool: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Equal for equal steps."""
        return canonical_json([self.tool, self.arguments])


@dataclass(frozen=True, slots=True)
class Wish:
    """Transformations that help together, materializations last, and the plans (by id) that they help."""

    steps: tuple[Step, ...]
    plans: frozenset[str]


def wishes(graph: PropertyGraph, plans: Sequence[BoundPlan]) -> list[Wish]:
    """One wish for each set of steps, with all plans that it helps."""
    known_keys: dict[tuple[str, tuple[str, ...]], bool] = {}
    found: dict[tuple[str, ...], Wish] = {}
    for plan in plans:
        for steps in _wished(graph, plan, known_keys):
            key = tuple(step.key for step in steps)
            others = found[key].plans if key in found else frozenset()
            found[key] = Wish(steps, others | {plan.id})
    return list(found.values())


def _wished(
    graph: PropertyGraph, plan: BoundPlan, known_keys: dict[tuple[str, tuple[str, ...]], bool]
) -> Iterator[tuple[Step, ...]]:
    keys = [key for key in _wanted_keys(plan) if _is_new_key(graph, key, known_keys)]
    for table, columns in keys:
        yield (Step("add_primary_key", {"table": table, "columns": list(columns)}),)
    column = clustering_attribute(plan)
    if column is None:
        yield from ((step,) for step in _paths(graph, plan, PATH_HOPS))
        yield from _entries(graph, plan, keys)
        yield from _orders(graph, plan)
    elif not _is_key(graph, column):
        yield from _clusters(graph, plan, column)


def _entries(
    graph: PropertyGraph, plan: BoundPlan, keys: Sequence[tuple[str, tuple[str, ...]]]
) -> Iterator[tuple[Step, ...]]:
    """Entities through which filters of the root find their rows, except for columns that a key finds them by."""
    root = next(iter(plan.tables))
    for part in plan.filters:
        column = part.column
        keyed = _is_key(graph, column) or (column.table, (column.name,)) in keys
        if column.alias == root and part.op in _INDEXED and not keyed and _has_no_entities(graph, column):
            yield (_entities(graph, column),)


def _orders(graph: PropertyGraph, plan: BoundPlan) -> Iterator[tuple[Step, ...]]:
    """Entities in whose order a plan finds the first rows of a table."""
    first = ordering_attribute(plan)
    if first is not None and not _is_key(graph, first) and _has_no_entities(graph, first):
        yield (_entities(graph, first),)


def _clusters(graph: PropertyGraph, plan: BoundPlan, column: BoundColumn) -> Iterator[tuple[Step, ...]]:
    """Entities by which an aggregating plan reads its rows, and its path if joins do not run forward."""
    if not _has_few_values(graph, plan, column):
        return
    steps = [_entities(graph, column)] if _has_no_entities(graph, column) else []
    if not runs_forward(plan):
        if len(inner_chain(plan)) < len(plan.joins):
            return
        steps.extend(_paths(graph, plan, (len(plan.joins),)))
    if steps:
        yield tuple(steps)


def _has_few_values(graph: PropertyGraph, plan: BoundPlan, column: BoundColumn) -> bool:
    """Whether a column's values may have many joined rows each."""
    cells = resolve_column(graph, column.table, column.name)
    rows = max(row_locations(graph, table.name).count for table in plan.tables.values())
    return _distinct(cells) * FEWEST_ROWS <= rows


def _distinct(column: Column) -> int:
    """About how many different values a column has."""
    if column.kind is Kind.MIXED:
        return len(set(column.values.tolist()))
    return len(np.unique(column.values))


def _paths(graph: PropertyGraph, plan: BoundPlan, lengths: Sequence[int]) -> Iterator[Step]:
    chain = inner_chain(plan)
    if any(graph.collapsed_rows(join.foreign_key.table) for join in chain):
        return
    for hops in lengths:
        path = tuple(PathStep(join.foreign_key, join.forward) for join in chain[:hops])
        if len(path) == hops and hops in PATH_HOPS and not graph.paths(path):
            yield Step("materialize_join", {"path": [step.to_dict() for step in path]})


def _entities(graph: PropertyGraph, column: BoundColumn) -> Step:
    node_type = next_free(entity_type(column.table, column.name), graph.node_tables)
    return Step("generate_entity_table", {"table": column.table, "column": column.name, "node_type": node_type})


def _has_no_entities(graph: PropertyGraph, column: BoundColumn) -> bool:
    return not graph.attribute_edges(column.table, column.name)


def _is_key(graph: PropertyGraph, column: BoundColumn) -> bool:
    """Whether a column is a part of its table's key, declared or proposed."""
    nodes = graph.rows_of(column.table)
    return nodes.schema is not None and column.name in (*nodes.schema.primary_key, *nodes.identity_key)


def _wanted_keys(plan: BoundPlan) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Keys by which a filter finds its row, and by which groups are rows."""
    for part in plan.filters:
        if part.op in (Comparison.EQ, Comparison.IN):
            yield part.column.table, (part.column.name,)
    for alias, schema in plan.tables.items():
        columns = tuple(column.name for column in plan.group_by if column.alias == alias)
        if any(set(key) <= set(columns) for key in _declared_keys(schema)):
            continue
        yield from ((schema.name, (column,)) for column in columns)
        if len(columns) > 1:
            yield schema.name, columns


def _declared_keys(schema: TableSchema) -> list[tuple[str, ...]]:
    return [key for key in (schema.primary_key, *schema.unique_keys) if key]


def _is_new_key(
    graph: PropertyGraph, key: tuple[str, tuple[str, ...]], known: dict[tuple[str, tuple[str, ...]], bool]
) -> bool:
    """Whether the columns tell a table's rows apart, and no declared or proposed key does."""
    if key not in known:
        known[key] = _would_be_key(graph, *key)
    return known[key]


def _would_be_key(graph: PropertyGraph, table: str, columns: Sequence[str]) -> bool:
    nodes = graph.rows_of(table)
    if nodes.schema is None or nodes.identity_key or nodes.count == 0:
        return False
    if any(set(key) <= set(columns) for key in _declared_keys(nodes.schema)):
        return False
    if len(columns) == 1 and columns[0] in key_columns(nodes.schema):
        return False
    if any(name not in nodes.columns or name in nodes.absent for name in columns):
        return False
    if len(columns) == 1 and _repeats(nodes.columns[columns[0]]):
        return False
    rows = resolve_rows(graph, table)
    return not key_problem([rows.columns[name] for name in columns], rows, columns)


def _repeats(column: Column) -> bool:
    """Whether it is plain to see that a column has a value twice."""
    return column.kind is Kind.TEXT and len(column.texts) < len(column)
