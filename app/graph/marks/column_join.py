"""Edges between rows whose columns hold equal values."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from app.graph.derivation.column_pairs import are_equal, join_codes
from app.graph.model.edge_documents import EdgeDocuments
from app.graph.model.edge_key import EdgeKey
from app.graph.model.property_graph import Content, EdgeMark, EdgeTable, PropertyGraph
from app.graph.model.shared_content import column_content
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey


@dataclass(frozen=True, slots=True)
class ColumnJoinMark(EdgeMark):
    """Each edge joins two rows with equal values under `parent = +child`; `key` is declared nowhere.

    The edges run from `key.table` to `key.ref_table`, or the other way if they are `reverse`.
    """

    member: ClassVar[str] = "column_join"

    key: ForeignKey
    reverse: bool = False

    @property
    def about(self) -> tuple[Hashable, ...]:
        """The columns."""
        return ("column_join", self.key)

    def properties(self) -> dict[str, object]:
        """The columns, and the direction if it is not the key's."""
        direction = {"direction": "reverse"} if self.reverse else {}
        return {"column_join": {**self.key.to_dict(), **direction}}

    def turned(self) -> "ColumnJoinMark":
        """The direction is noted."""
        return replace(self, reverse=not self.reverse)

    def identity(self, edges: EdgeTable, graph: PropertyGraph) -> EdgeKey:
        """That of the two rows."""
        del graph
        return EdgeKey.of(["column_join", self.key.to_dict()], self._ends(edges))

    def _ends(self, edges: EdgeTable) -> list[tuple[str, IntArray]]:
        """Node type and offsets of the rows of `key.table`, then of those of `key.ref_table`."""
        ends = [(edges.source_label, edges.sources), (edges.target_label, edges.targets)]
        return ends[::-1] if self.reverse else ends

    def content(self, edges: EdgeTable, graph: PropertyGraph) -> Content:
        """Both sides' columns."""
        del edges
        read = [(self.key.table, name) for name in self.key.columns]
        read += [(self.key.ref_table, name) for name in self.key.ref_columns]
        return tuple(part for table, name in read for part in column_content(graph, table, name))

    def errors(self, edges: EdgeTable, graph: PropertyGraph) -> Iterator[str]:
        """Rows of other values, or of other tables."""
        child, parent = graph.rows_of(self.key.table), graph.rows_of(self.key.ref_table)
        (child_label, children), (parent_label, parents) = self._ends(edges)
        if (child_label, parent_label) != (child.label, parent.label):
            yield f"Edge type {edges.type}: its edges end at other node types than {self.key.label} joins."
            return
        right = are_equal(join_codes(graph, self.key), child.rows[children], parent.rows[parents])
        if not right.all():
            row = int(child.rows[children[np.argmin(right)]]) + 1
            yield f"Edge type {edges.type}: row {row} of {self.key.table} is joined to a row of another value."

    @classmethod
    def from_document(cls, edges: EdgeDocuments) -> "ColumnJoinMark":
        """The mark of edges that were read."""
        join = edges.shared["column_join"]
        return cls(ForeignKey.from_dict(join), join.get("direction") == "reverse")
