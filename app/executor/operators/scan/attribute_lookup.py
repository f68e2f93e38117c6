"""Attribute index: conditions are tested on attribute entities, and lead to their rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from app.budget import RowLimit
from app.executor.columns.conditions import Condition, all_of
from app.executor.indexes.attribute_index import AttributeIndex
from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator, RowOrder


@dataclass(slots=True)
class AttributeLookup(Operator):
    """Rows of the root whose attribute entity meets the conditions.

    If that is `one_entity` at most, rows come out in their table's order.
    """

    reads_entities: ClassVar[bool] = True

    alias: Alias
    name: str
    index: AttributeIndex
    conditions: Sequence[Condition]
    one_entity: bool
    counts_only: bool
    limit: RowLimit
    text: str
    found: int = field(default=0, init=False)

    @override
    def prepare(self) -> None:
        _ = self.index.pointers.degrees if self.counts_only else self.index.pointers.adjacency

    def run(self, frame: Frame) -> None:
        """Set the alias' rows."""
        entities = all_of(self.conditions).nonzero()[0]
        if self.counts_only:
            frame.length = int(self.index.pointers.degrees.take(entities).sum())
            self.found = len(entities)
            return
        _, rows = self.index.pointers.adjacency.expand(entities, self.limit)
        self.found = len(rows)
        frame.rows[self.alias], frame.length = rows, len(rows)

    def count_only(self) -> None:
        """Add degrees up instead of listing rows."""
        self.counts_only = True

    def order(self, before: RowOrder) -> RowOrder:
        """The rows of one entity stand in their table's order; those of several follow one another."""
        return ((self.alias, False),) if self.one_entity else before

    def examined(self) -> int:
        """Rows that the last run looked at; entities if it only counted."""
        return self.found

    @override
    def describe(self) -> str:
        return f"AttributeIndex {self.name} by {self.index.label}{self.text}"
