"""What edges hold of source rows: whole rows that are edges, and fields that were moved to edges."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from app.tables.column import Column
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey

End = Literal["source", "target"]
"""One of the two ends of an edge."""


@dataclass(frozen=True, eq=False)
class RowEdges:
    """Rows of `table` that are edges, with all their fields; each joins the two rows that it references.

    `row_index` is the row's place in its table, int64, shape (edges,); the edge begins where `source_key` leads, and
    ends where `target_key` leads. `columns` are the fields by name, one cell an edge.
    """

    table: str
    source_key: ForeignKey
    target_key: ForeignKey
    row_index: IntArray
    columns: Mapping[str, Column]


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

    def moved(self, place: IntArray) -> "RelocatedAttribute":
        """The field of the edges that have a new place (`place` by old offset, -1: they are gone)."""
        edges = place[self.edges]
        kept = np.flatnonzero(edges >= 0)
        order = kept[np.argsort(edges[kept], kind="stable")]
        return replace(self, edges=edges[order], values=self.values.take(order))
