"""What an edge table means: the marks of construction_graph.v1, one class each.

`properties()` are the edge properties that all edges of a table share; what differs from edge to edge are `arrays` and
columns beside them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from app.tables.column import Column, concatenated
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey

End = Literal["source", "target"]
"""One of the two ends of an edge."""


class EdgeMark(ABC):
    """The meaning of all edges of one table."""

    __slots__ = ()

    @abstractmethod
    def properties(self) -> dict[str, object]:
        """The edge properties that all edges share, as the document holds them."""

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """Integers of each edge beside its ends."""
        return ()

    @property
    def columns_held(self) -> Mapping[str, Column]:
        """Cells of each edge."""
        return {}

    def rebuilt(self, arrays: Sequence[IntArray], columns: Mapping[str, Column]) -> "EdgeMark":
        """The same mark on other edges, with what differs from edge to edge."""
        del arrays, columns
        return self

    def take(self, edges: IntArray) -> "EdgeMark":
        """The mark of these edges alone (offsets), in this order."""
        columns = {name: column.take(edges) for name, column in self.columns_held.items()}
        return self.rebuilt([array[edges] for array in self.arrays], columns)

    def joined(self, others: Sequence["EdgeMark"]) -> "EdgeMark":
        """The mark of these edges and then of the others', whose properties are the same."""
        every = (self, *others)
        arrays = [np.concatenate(parts) for parts in zip(*(mark.arrays for mark in every), strict=True)]
        columns = {name: concatenated([mark.columns_held[name] for mark in every]) for name in self.columns_held}
        return self.rebuilt(arrays, columns)


@dataclass(frozen=True, slots=True)
class ForeignKeyMark(EdgeMark):
    """Each edge runs from a child row to the parent row that it references."""

    foreign_key: ForeignKey

    def properties(self) -> dict[str, object]:
        """See `EdgeMark`."""
        return {"foreign_key": self.foreign_key.to_dict()}


@dataclass(frozen=True, slots=True)
class ColumnJoinMark(EdgeMark):
    """Each edge joins two rows with equal values under `parent = +child`; `key` is declared nowhere.

    The edges run from `key.table` to `key.ref_table`, or the other way where they are `reverse`.
    """

    key: ForeignKey
    reverse: bool = False

    def properties(self) -> dict[str, object]:
        """See `EdgeMark`."""
        direction = {"direction": "reverse"} if self.reverse else {}
        return {"column_join": {**self.key.to_dict(), **direction}}


@dataclass(frozen=True, slots=True)
class PathStep:
    """One hop along a declared foreign key: forward from child to parent, or reverse."""

    foreign_key: ForeignKey
    forward: bool

    @property
    def source_table(self) -> str:
        """The table where the hop begins."""
        return self.foreign_key.table if self.forward else self.foreign_key.ref_table

    @property
    def target_table(self) -> str:
        """The table where the hop ends."""
        return self.foreign_key.ref_table if self.forward else self.foreign_key.table

    def to_dict(self) -> dict[str, object]:
        """The document form: the key's fields and `direction`."""
        return {**self.foreign_key.to_dict(), "direction": "forward" if self.forward else "reverse"}


@dataclass(frozen=True, eq=False, slots=True)
class MaterializedPathMark(EdgeMark):
    """Each edge is one whole path of 2 or 3 hops, kept with its multiplicity.

    `inner_nodes[i]` holds, for each edge, the row offset in the table where hop i ends (all hops but the last).
    """

    path: tuple[PathStep, ...]
    inner_nodes: tuple[IntArray, ...]

    def properties(self) -> dict[str, object]:
        """See `EdgeMark`."""
        return {"path": [step.to_dict() for step in self.path]}

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """See `EdgeMark`."""
        return self.inner_nodes

    def rebuilt(self, arrays: Sequence[IntArray], columns: Mapping[str, Column]) -> "MaterializedPathMark":
        """See `EdgeMark`."""
        del columns
        return replace(self, inner_nodes=tuple(arrays))


@dataclass(frozen=True, slots=True)
class ExtractedAttributeMark(EdgeMark):
    """Each edge joins a source row and the entity that holds the value of `column`, in either direction."""

    table: str
    column: str

    def properties(self) -> dict[str, object]:
        """See `EdgeMark`."""
        return {"extracted_attribute": {"table": self.table, "column": self.column}}


@dataclass(frozen=True, eq=False, slots=True)
class UnfoldedCategoryMark(EdgeMark):
    """Each edge joins a source row and one part of its `column`, split at `delimiter`; parts count from 0."""

    table: str
    column: str
    delimiter: str
    positions: IntArray

    def properties(self) -> dict[str, object]:
        """See `EdgeMark`."""
        return {"unfolded_category": {"table": self.table, "column": self.column, "delimiter": self.delimiter}}

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """See `EdgeMark`."""
        return (self.positions,)

    def rebuilt(self, arrays: Sequence[IntArray], columns: Mapping[str, Column]) -> "UnfoldedCategoryMark":
        """See `EdgeMark`."""
        del columns
        return replace(self, positions=arrays[0])


@dataclass(frozen=True, eq=False, slots=True)
class CollapsedRowMark(EdgeMark):
    """Each edge is a row of `table` with all its fields; it joins the two rows that the row references.

    `row_index` is the row's place in its table, shape (edges,); the edge begins where `source_key` leads, and ends
    where `target_key` leads.
    """

    table: str
    source_key: ForeignKey
    target_key: ForeignKey
    row_index: IntArray
    columns: Mapping[str, Column]

    def properties(self) -> dict[str, object]:
        """See `EdgeMark`."""
        ends = {"source": self.source_key.to_dict(), "target": self.target_key.to_dict()}
        return {"table": self.table, "row_endpoints": ends}

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """See `EdgeMark`."""
        return (self.row_index,)

    @property
    def columns_held(self) -> Mapping[str, Column]:
        """See `EdgeMark`."""
        return self.columns

    def rebuilt(self, arrays: Sequence[IntArray], columns: Mapping[str, Column]) -> "CollapsedRowMark":
        """See `EdgeMark`."""
        return replace(self, row_index=arrays[0], columns=columns)


@dataclass(frozen=True, eq=False, slots=True)
class RelocatedAttribute:
    """A field that some edges hold for the row at one of their ends.

    `edges` are offsets in the edge table, ascending, int64, and `values` their cells; `name` is what the field is
    called on the edge.
    """

    table: str
    column: str
    end: End
    name: str
    edges: IntArray
    values: Column

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it apart from the others on the same edges."""
        return (self.end, self.column, self.name)

    def without(self, edges: IntArray) -> "RelocatedAttribute":
        """The field without these edges."""
        kept = np.flatnonzero(~np.isin(self.edges, edges))
        return replace(self, edges=self.edges[kept], values=self.values.take(kept))
