"""Indexes for the joins of a plan, so that a join over a large table ends."""

from collections.abc import Iterator

import apsw

from app.oracle.compile_sql import quoted
from app.tables.key_affinity import child_affinity_matters
from app.tables.schema import ForeignKey, TableSchema
from app.workload.bound import BoundJoin, BoundPlan


class KeyIndexes:
    """Adds the indexes of a foreign key to a database that is the oracle's own, when a plan first needs them."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._prepared: set[ForeignKey] = set()

    def prepare(self, plan: BoundPlan) -> None:
        """Make sure that the keys of all joins of `plan` are indexed if an index can serve."""
        for join in plan.joins:
            if join.foreign_key not in self._prepared:
                self._prepared.add(join.foreign_key)
                child, parent = _sides(plan, join)
                for statement in _statements(join.foreign_key, child, parent, len(self._prepared)):
                    self._connection.execute(statement)


def _sides(plan: BoundPlan, join: BoundJoin) -> tuple[TableSchema, TableSchema]:
    source, target = plan.tables[join.source], plan.tables[join.alias]
    return (source, target) if join.forward else (target, source)


def _statements(key: ForeignKey, child: TableSchema, parent: TableSchema, number: int) -> Iterator[str]:
    if key.ref_columns != parent.primary_key and key.ref_columns not in parent.unique_keys:
        columns = ", ".join(map(quoted, key.ref_columns))
        yield f'CREATE INDEX IF NOT EXISTS "graphwright_parent_{number}" ON {quoted(parent.name)} ({columns})'
    pairs = [(child.column(own), parent.column(other)) for own, other in zip(key.columns, key.ref_columns, strict=True)]
    if not any(child_affinity_matters(other, own) for own, other in pairs):
        columns = ", ".join(f"{quoted(own.name)} COLLATE {other.collation}" for own, other in pairs)
        yield f'CREATE INDEX IF NOT EXISTS "graphwright_child_{number}" ON {quoted(child.name)} ({columns})'
