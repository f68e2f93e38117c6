"""Which columns settle which rows, so that no sort key is read that decides nothing, and no group key twice."""

from collections.abc import Iterable, Iterator, Sequence

from app.executor.indexes.index_cache import IndexCache
from app.tables.schema import TableSchema
from app.workload.bound import BoundColumn, BoundOrder, BoundPlan


class SettledRows:
    """Joined rows of one plan that are equal in some columns have the same row of some aliases.

    A unique key without NULLs settles its alias' row, and a row settles the parent rows that its foreign keys lead to.
    """

    def __init__(self, plan: BoundPlan, cache: IndexCache) -> None:
        self._plan = plan
        self._cache = cache

    def settles(self, columns: Iterable[BoundColumn], alias: str) -> bool:
        """Whether the columns of this alias alone tell its rows apart."""
        schema = self._cache.schema(self._plan.tables[alias].name)
        names = {column.name for column in columns if column.alias == alias}
        return any(set(key) <= names and self._is_complete(schema, key) for key in _unique_keys(schema))

    def decisive(self, order_by: Sequence[BoundOrder]) -> list[BoundOrder]:
        """The part of an order that orders just the same."""
        kept: list[BoundOrder] = []
        columns: list[BoundColumn] = []
        for order in order_by:
            column = self._column(order.output)
            if self._is_settled(column, columns):
                continue
            kept.append(order)
            if column is not None:
                columns.append(column)
        return kept

    def tie_breaks(self, order_by: Sequence[BoundOrder]) -> Iterator[tuple[int, BoundColumn]]:
        """The plan's tie breaks, by offset of the output, that this order leaves anything to."""
        settled = self._aliases([column for order in order_by if (column := self._column(order.output)) is not None])
        for offset in self._plan.tie_breaks:
            column = self._column(offset)
            if column is not None and column.alias not in settled:
                yield offset, column

    def _column(self, offset: int) -> BoundColumn | None:
        """The column that an output is, None for an aggregate."""
        output = self._plan.outputs[offset]
        return output.column if output.function is None else None

    def _is_settled(self, output: BoundColumn | None, columns: Sequence[BoundColumn]) -> bool:
        """Whether rows, or groups, that are equal in these columns are equal in this output (None: an aggregate)."""
        settled = self._aliases(columns)
        if output is not None:
            return output.alias in settled or output in columns
        keys = self._plan.group_by
        return bool(keys) and all(key.alias in settled or key in columns for key in keys)

    def _aliases(self, columns: Sequence[BoundColumn]) -> set[str]:
        """The aliases whose rows these columns settle; joins stand in the plan after what they join to."""
        settled = {alias for alias in self._plan.tables if self.settles(columns, alias)}
        for join in self._plan.joins:
            if join.forward and join.source in settled:
                settled.add(join.alias)
        return settled

    def _is_complete(self, schema: TableSchema, key: Sequence[str]) -> bool:
        return all(self._cache.view(schema.name, schema.column(name)).nulls is None for name in key)


def _unique_keys(schema: TableSchema) -> Iterator[tuple[str, ...]]:
    if schema.primary_key:
        yield schema.primary_key
    yield from schema.unique_keys
