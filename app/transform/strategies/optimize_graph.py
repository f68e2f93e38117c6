"""optimize_graph: structural changes, one after the other, as one candidate."""

from typing import Annotated

from pydantic import Field

from app.graph.checks.canonical import canonical
from app.graph.model.property_graph import PropertyGraph
from app.transform.strategies.operations.collapse_node import CollapseNode
from app.transform.strategies.operations.delete import Delete
from app.transform.strategies.operations.extract_property_node import ExtractPropertyNode
from app.transform.strategies.operations.node_property_to_edge import NodePropertyToEdge
from app.transform.strategies.operations.rename_type import RenameType
from app.transform.strategies.operations.reverse_edges import ReverseEdges
from app.transform.strategy import Arguments, Strategy

OneOperation = Annotated[
    CollapseNode | NodePropertyToEdge | ExtractPropertyNode | Delete | ReverseEdges | RenameType,
    Field(discriminator="op"),
]


class OptimizeGraphArguments(Arguments):
    """Operations in their order; each sees what those before it did."""

    operations: tuple[OneOperation, ...] = Field(min_length=1, max_length=20)


class OptimizeGraph(Strategy[OptimizeGraphArguments]):
    """Applies its operations; materialized paths, which they would make stale, are removed first.

    >>> from app.transform.example import example_graph, outline
    >>> arguments = OptimizeGraph().parse({"operations": [
    ...     {"op": "collapse_node", "table": "attends", "edge_type": "ATTENDS"},
    ...     {"op": "rename_type", "target": "node", "old_type": "student", "new_type": "Person"},
    ... ]})
    >>> print(outline(OptimizeGraph().apply(example_graph(), arguments)))
    Person: 3 nodes with id, name, city, tags
    course: 2 nodes with id, title
    attends: 0 nodes with student_id, course_id, grade
    (attends)-[STUDENT]->(Person): 0
    (attends)-[COURSE]->(course): 0
    (Person)-[ATTENDS]->(course): 3 with student_id, course_id, grade
    """

    name = "optimize_graph"
    arguments = OptimizeGraphArguments

    def apply(self, graph: PropertyGraph, arguments: OptimizeGraphArguments) -> PropertyGraph:
        """The graph after all operations, in canonical form; the same graph, with its paths, if they change nothing."""
        changed = before = graph.without_paths()
        for operation in arguments.operations:
            changed = canonical(operation.apply(changed))
        return graph if changed.digest == before.digest else changed

    def signature(self, graph: PropertyGraph, arguments: OptimizeGraphArguments) -> str | None:
        """The kind of the operations; None if several kinds are mixed."""
        first = arguments.operations[0]
        if any(operation.op != first.op for operation in arguments.operations):
            return None
        return f"{self.name}|{first.structure(graph)}"
