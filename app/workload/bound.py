"""A plan bound to a schema: names resolved, rules checked; what the oracle and the executor compile."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.tables.schema import ColumnSchema, ForeignKey, TableSchema
from app.values import Collation
from app.workload.plan import Comparison, FilterValue, Function


@dataclass(frozen=True, slots=True)
class BoundColumn:
    """A column of one alias."""

    alias: str
    table: str
    schema: ColumnSchema

    @property
    def name(self) -> str:
        """The column's name as declared."""
        return self.schema.name


@dataclass(frozen=True, slots=True)
class BoundJoin:
    """One hop: from `source` to the new `alias` over `table`; forward runs from child to parent."""

    source: str
    alias: str
    table: str
    foreign_key: ForeignKey
    forward: bool
    left: bool


@dataclass(frozen=True, slots=True)
class BoundFilter:
    """A comparison; `value` is None for is_null and not_null, and a tuple for `in`."""

    column: BoundColumn
    op: Comparison
    value: FilterValue


@dataclass(frozen=True, slots=True)
class BoundOutput:
    """One column of the answer: a plain column (`function` None) or an aggregate; `column` None means count(*).

    `noise` is how far apart two right sums may be, at any size (see `ColumnCells.sum_noise`).
    """

    name: str
    column: BoundColumn | None
    function: Function | None = None
    noise: float = 0.0

    @property
    def collation(self) -> Collation:
        """How the output's texts compare in order_by: as its column's do; counts, sums and averages are numbers."""
        if self.column is None or self.function in (Function.COUNT, Function.SUM, Function.AVG):
            return Collation.BINARY
        return self.column.schema.collation


@dataclass(frozen=True, slots=True)
class BoundOrder:
    """A sort key by offset into the outputs."""

    output: int
    descending: bool


@dataclass(frozen=True, slots=True)
class BoundPlan:
    """A validated plan. Outputs are the projection, then the aggregations; `tables` maps aliases in join order."""

    id: str
    question: str
    tables: Mapping[str, TableSchema]
    joins: tuple[BoundJoin, ...]
    filters: tuple[BoundFilter, ...]
    outputs: tuple[BoundOutput, ...]
    group_by: tuple[BoundColumn, ...]
    order_by: tuple[BoundOrder, ...]
    limit: int | None

    @property
    def is_aggregate(self) -> bool:
        """Whether rows are grouped: there is a group_by or an aggregate output."""
        return bool(self.group_by) or any(output.function for output in self.outputs)

    @property
    def tie_breaks(self) -> tuple[int, ...]:
        """Outputs that order once more, ascending by their bytes, after order_by, so that a limit cuts one exact set.

        Under NOCASE or RTRIM different texts tie. Groups need none: their keys differ under the collation.
        """
        if self.limit is None or self.is_aggregate:
            return ()
        ordered = (order.output for order in self.order_by)
        return tuple(output for output in ordered if self.outputs[output].collation is not Collation.BINARY)
