"""What one operation of optimize_graph is."""

from abc import abstractmethod

from app.graph.model.property_graph import PropertyGraph
from app.transform.strategy import Arguments


class Operation(Arguments):
    """One operation with its fields; it is applied to a graph without paths, and may leave it out of canonical form."""

    op: str

    @abstractmethod
    def apply(self, graph: PropertyGraph) -> PropertyGraph:
        """The changed graph; `TransformError` with a stable `reason` if it cannot be."""

    def structure(self, graph: PropertyGraph) -> str:
        """What it changes, without any name or value of the source."""
        del graph
        return self.op
