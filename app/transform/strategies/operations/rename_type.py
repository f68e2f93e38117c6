"""rename_type: a node or edge type gets another name."""

from dataclasses import replace
from typing import Literal

from pydantic import Field
from typing_extensions import override

from app.graph.checks.canonical import relabelled
from app.graph.model.property_graph import PropertyGraph
from app.transform.selection import check_node_type, edges_of_type, replaced_edges
from app.transform.strategies.operations.operation import Operation
from app.transform.strategy import refused
from app.values import fold_identifier


class RenameType(Operation):
    """Renames a type; identities and meaning stay.

    >>> from app.transform.example import example_graph, outline
    >>> graph = example_graph()
    >>> for target, old, new in (("node", "student", "Person"), ("edge", "STUDENT", "WHO")):
    ...     graph = RenameType(op="rename_type", target=target, old_type=old, new_type=new).apply(graph)
    >>> print(outline(graph))
    Person: 3 nodes with id, name, city, tags
    course: 2 nodes with id, title
    attends: 3 nodes with student_id, course_id, grade
    (attends)-[WHO]->(Person): 3
    (attends)-[COURSE]->(course): 3
    """

    op: Literal["rename_type"]
    target: Literal["node", "edge"]
    old_type: str
    new_type: str = Field(min_length=1, max_length=200)

    @override
    def apply(self, graph: PropertyGraph) -> PropertyGraph:
        return self._nodes_renamed(graph) if self.target == "node" else self._edges_renamed(graph)

    @override
    def structure(self, graph: PropertyGraph) -> str:
        del graph
        return f"{self.op}|{self.target}"

    def _nodes_renamed(self, graph: PropertyGraph) -> PropertyGraph:
        nodes = graph.node_tables.get(self.old_type)
        if nodes is None or nodes.count == 0:
            raise refused(
                self.op, "type_unknown", f"there is no node of type {self.old_type}.", node_type=self.old_type
            )
        own_name = nodes.schema.name if nodes.schema else nodes.identity_type
        own = {fold_identifier(self.old_type), fold_identifier(own_name)}
        others = {fold_identifier(label) for label in graph.node_tables} - {fold_identifier(self.old_type)}
        if fold_identifier(self.new_type) not in own or fold_identifier(self.new_type) in others:
            check_node_type(graph, self.new_type, self.op)
        return relabelled(graph, self.old_type, self.new_type)

    def _edges_renamed(self, graph: PropertyGraph) -> PropertyGraph:
        found = edges_of_type(graph, self.old_type, self.op)
        if any(edges.type == self.new_type for edges in graph.edge_tables):
            message = f"the edge type {self.new_type} exists already."
            raise refused(self.op, "type_taken", message, edge_type=self.new_type)
        changed = {number: [replace(graph.edge_tables[number], type=self.new_type)] for number in found}
        return replaced_edges(graph, changed)
