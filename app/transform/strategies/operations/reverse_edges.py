"""reverse_edges: edges run the other way and mean the same."""

from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field, model_validator
from typing_extensions import override

from app.graph.model.property_graph import EdgeMark, EdgeTable, PropertyGraph
from app.graph.model.row_edges import RelocatedAttribute
from app.transform.selection import edges_by_id, edges_of_type, replaced_edges, rest_of
from app.transform.strategies.operations.operation import Operation
from app.transform.strategy import refused


class ReverseEdges(Operation):
    """Reverses the edges `edge_ids`, or all of an `edge_type`. What a foreign key declares runs from child to parent.

    >>> from app.transform.example import example_graph, outline
    >>> from app.transform.strategies.operations.collapse_node import CollapseNode
    >>> graph = CollapseNode(op="collapse_node", table="attends", edge_type="ATTENDS").apply(example_graph())
    >>> print(outline(graph).splitlines()[-1])
    (student)-[ATTENDS]->(course): 3 with student_id, course_id, grade
    >>> print(outline(ReverseEdges(op="reverse_edges", edge_type="ATTENDS").apply(graph)).splitlines()[-1])
    (course)-[ATTENDS]->(student): 3 with student_id, course_id, grade
    """

    op: Literal["reverse_edges"]
    edge_ids: tuple[str, ...] | None = Field(default=None, min_length=1)
    edge_type: str | None = None

    @model_validator(mode="after")
    def _one_form(self) -> "ReverseEdges":
        if (self.edge_ids is None) == (self.edge_type is None):
            raise ValueError("give either edge_ids or edge_type")
        return self

    @override
    def apply(self, graph: PropertyGraph) -> PropertyGraph:
        if self.edge_ids is None:
            found = edges_of_type(graph, self.edge_type or "", self.op)
        else:
            found = edges_by_id(graph, self.edge_ids, self.op)
        changed = {}
        for number, offsets in found.items():
            edges = graph.edge_tables[number]
            mark = edges.mark.turned()
            if mark is None:
                message = f"edges {edges.type} are a declared foreign key, which runs from child to parent."
                raise refused(self.op, "reference_direction", message, edge_type=edges.type)
            changed[number] = [_reversed(edges.take(offsets), mark.take(offsets)), rest_of(edges, offsets)]
        return replaced_edges(graph, changed)


def _reversed(edges: EdgeTable, mark: EdgeMark) -> EdgeTable:
    return replace(
        edges,
        source_label=edges.target_label,
        target_label=edges.source_label,
        sources=np.ascontiguousarray(edges.targets),
        targets=np.ascontiguousarray(edges.sources),
        mark=mark,
        relocated=tuple(map(_at_other_end, edges.relocated)),
    )


def _at_other_end(moved: RelocatedAttribute) -> RelocatedAttribute:
    return replace(moved, end="target" if moved.end == "source" else "source")
