"""Edges that are declared foreign keys."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from app.graph.model.edge_documents import EdgeDocuments
from app.graph.model.edge_key import EdgeKey
from app.graph.model.property_graph import EdgeMark, EdgeTable, PropertyGraph
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey


@dataclass(frozen=True, slots=True)
class ForeignKeyMark(EdgeMark):
    """Each edge runs from a child row to the parent row that it references."""

    member: ClassVar[str] = "foreign_key"
    merges: ClassVar[bool] = False

    foreign_key: ForeignKey

    @property
    def about(self) -> tuple[Hashable, ...]:
        """The foreign key."""
        return ("foreign_key", self.foreign_key)

    @property
    def reference(self) -> ForeignKey:
        """The declared foreign key that the edges are."""
        return self.foreign_key

    def properties(self) -> dict[str, object]:
        """The key's fields."""
        return {"foreign_key": self.foreign_key.to_dict()}

    def order_keys(self, edges: EdgeTable) -> list[IntArray]:
        """A child has one parent at most, so that sources in order are enough."""
        ascend = bool(np.all(edges.sources[1:] > edges.sources[:-1]))
        return [edges.sources] if ascend else [edges.sources, edges.targets]

    def turned(self) -> None:
        """A reference runs from child to parent."""

    def identity(self, edges: EdgeTable, graph: PropertyGraph) -> EdgeKey:
        """The child row's."""
        del graph
        return EdgeKey.of(["foreign_key", self.foreign_key.to_dict()], [(edges.source_label, edges.sources)])

    @classmethod
    def from_document(cls, edges: EdgeDocuments) -> "ForeignKeyMark":
        """The mark of edges that were read."""
        return cls(ForeignKey.from_dict(edges.shared["foreign_key"]))
