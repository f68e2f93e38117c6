"""How the first rows of a branch are found: by key, by attribute entities, or by a scan."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.budget import RowLimit
from app.executor.indexes.index_cache import IndexCache
from app.executor.operators.protocol import Operator
from app.executor.operators.scan.attribute_lookup import AttributeLookup
from app.executor.operators.scan.attribute_order import AttributeOrder
from app.executor.operators.scan.key_lookup import KeyLookup
from app.executor.operators.scan.materialized_path import MaterializedPath
from app.executor.operators.scan.scan import Scan
from app.executor.plan.join_tree import Link, Node
from app.executor.plan.plan_facts import key_columns, ordering_attribute
from app.executor.plan.table_conditions import Planned, TableConditions
from app.workload.bound import BoundOrder, BoundPlan
from app.workload.plan import Comparison

_INDEX_SHARE = 0.2
"""An index is used if it finds at most this share of the rows; a scan reads in order and is faster from there."""

_DENSE_SHARE = 0.1
"""Once this share of rows is left, further conditions are tested on these rows alone."""

_TEST, _LIST, _LOOKED_UP = 0.5, 1.0, 5.0


@dataclass(frozen=True, slots=True)
class AccessPath:
    """The first operator of a branch, how many rows it finds, and the conditions that are still to be tested.

    `scan` is the operator again if it reads a table from its beginning to its end.
    """

    operator: Operator
    found: float
    remaining: Sequence[Planned]
    cost: float
    scan: Scan | None = None


@dataclass(frozen=True, slots=True)
class _Table:
    """The node, its conditions and what else all access paths of it need."""

    node: Node
    planned: Sequence[Planned]
    conditions: TableConditions
    cache: IndexCache
    limit: RowLimit

    def without(self, used: Planned) -> list[Planned]:
        return [part for part in self.planned if part is not used]


def access_path(
    node: Node,
    conditions: TableConditions,
    cache: IndexCache,
    limit: RowLimit,
    entered: Link | None,
    *,
    counts_only: bool,
) -> AccessPath:
    """The path that finds the fewest rows, if an index serves; else a scan.

    Attribute entities serve the root only; if rows are only counted (`counts_only`), their degrees always do.
    """
    planned = conditions.of(node.offset, entered)
    if entered is not None:
        planned = [*planned, *conditions.existence(entered)]
    table = _Table(node, planned, conditions, cache, limit)
    if node.table is None:
        return _scan(table)
    by_attribute = list(_attribute_lookups(table)) if node.offset == 0 and entered is None else []
    if by_attribute and counts_only and len(planned) == 1:
        return by_attribute[0]
    options = [*_key_lookups(table, node.table), *by_attribute]
    good = [option for option in options if option.found <= node.rows * _INDEX_SHARE]
    return min(good, key=lambda option: option.found) if good else _scan(table)


def ordered_access(
    plan: BoundPlan, order_by: Sequence[BoundOrder], cache: IndexCache, limit: RowLimit
) -> AttributeOrder | None:
    """The entry through attribute entities for a plan that wants the first rows of one table by their attribute.

    NULLs have no entity: they must be filtered out, or there must be none, or they must come after enough other rows.
    `order_by` is the part of the plan's order that decides anything.
    """
    column = ordering_attribute(plan)
    if column is None or plan.limit is None:
        return None
    index = cache.attribute(column.table, column.schema)
    if index is None or len(index.values.column) == 0:
        return None
    descending = order_by[0].descending
    complete = bool(plan.filters) or index.pointers.total
    if not complete and (not descending or int(index.pointers.degrees.sum()) < plan.limit):
        return None
    others = [(plan.outputs[order.output].column, order.descending) for order in order_by[1:]]
    cuts = len(others) == 1 and all(
        other is not None and cache.view(other.table, other.schema).ascends and not down for other, down in others
    )
    return AttributeOrder(0, f"{column.table}.{column.name}", index, plan.limit, descending, cuts, limit)


def _scan(table: _Table) -> AccessPath:
    node, planned = table.node, table.planned
    left, dense = 1.0, 0
    for part in planned:
        if dense and left < _DENSE_SHARE:
            break
        left *= part.keeps
        dense += 1
    text = "".join(f" {'where' if not number else 'and'} {part.text}" for number, part in enumerate(planned))
    kind = MaterializedPath if node.table is None else Scan
    name = node.alias if node.table is None else f"{node.table} {node.alias}"
    tests = [part.condition for part in planned]
    operator = kind(node.offset, name, node.rows, tests, dense, counts_only=False, limit=table.limit, text=text)
    cost = node.rows * (_TEST * dense + (_LIST if planned else 0.0))
    scan = None if node.table is None else operator
    return AccessPath(operator, node.rows * table.conditions.keeps(planned), (), cost, scan)


def _key_lookups(table: _Table, name: str) -> Iterator[AccessPath]:
    indexed = key_columns(table.cache.schema(name))
    for part in table.planned:
        if part.part is None or part.part.op not in (Comparison.EQ, Comparison.IN):
            continue
        column = part.part.column
        if column.name not in indexed:
            continue
        view = table.conditions.view(column)
        keys = view.keys_of(part.part.value)
        found = sum(len(view.key_index.rows(key)) for key in keys)
        label = f"{name} {table.node.alias} by {column.name}"
        operator = KeyLookup(table.node.offset, label, view.key_index, keys, table.limit)
        yield AccessPath(operator, found, table.without(part), found * _LOOKED_UP)


def _attribute_lookups(table: _Table) -> Iterator[AccessPath]:
    for part in table.planned:
        if part.part is None or part.part.op is Comparison.IS_NULL:
            continue
        column = part.part.column
        index = table.cache.attribute(column.table, column.schema)
        if index is None:
            continue
        condition = index.values.match(part.part.op, part.part.value)
        entities = condition.mask().nonzero()[0]
        found = int(index.pointers.degrees[entities].sum())
        name = f"{column.table}.{column.name}"
        text = f" where {part.text}"
        one = len(entities) <= 1
        operator = AttributeLookup(table.node.offset, name, index, [condition], one, False, table.limit, text)
        yield AccessPath(operator, found, table.without(part), index.values.rows + found * _LOOKED_UP)
