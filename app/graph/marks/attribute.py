"""Edges between rows and the entities of a column's values."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from app.graph.model.edge_documents import EdgeDocuments, text_of
from app.graph.model.edge_key import EdgeKey
from app.graph.model.property_graph import EdgeMark, EdgeTable, PropertyGraph
from app.graph.model.rows import attribute_ends


@dataclass(frozen=True, slots=True)
class ExtractedAttributeMark(EdgeMark):
    """Each edge joins a source row and the entity that holds the value of `column`, in either direction."""

    member: ClassVar[str] = "extracted_attribute"
    reaches_entities: ClassVar[bool] = True

    table: str
    column: str

    @property
    def about(self) -> tuple[Hashable, ...]:
        """The column."""
        return ("attribute", self.table, self.column)

    def properties(self) -> dict[str, object]:
        """Table and column."""
        return {"extracted_attribute": {"table": self.table, "column": self.column}}

    def identity(self, edges: EdgeTable, graph: PropertyGraph) -> EdgeKey:
        """The row's, and the type of the entities."""
        row, (label, _) = attribute_ends(graph, edges)
        return EdgeKey.of(["attribute", self.table, self.column, graph.node_tables[label].identity_type], [row])

    @classmethod
    def from_document(cls, edges: EdgeDocuments) -> "ExtractedAttributeMark":
        """The mark of edges that were read."""
        attribute = edges.shared["extracted_attribute"]
        return cls(text_of(attribute["table"]), text_of(attribute["column"]))
