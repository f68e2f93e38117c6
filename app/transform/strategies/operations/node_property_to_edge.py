"""node_property_to_edge: a field of a row moves to edges of that row."""

from typing import Literal

import numpy as np
from pydantic import Field, model_validator
from typing_extensions import override

from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.row_edges import End, RelocatedAttribute
from app.graph.model.rows import present
from app.tables.dictionary import BoolArray, IntArray
from app.transform.selection import (
    check_not_key,
    column_named,
    edges_by_id,
    edges_of_type,
    nodes_by_id,
    replaced_edges,
    table_named,
)
from app.transform.strategies.operations.operation import Operation
from app.transform.strategy import refused


class NodePropertyToEdge(Operation):
    """Puts a field of the row `node_id` on its edges `edge_ids`, or of a whole `table` on edges of an `edge_type`.

    The field is called `target_property` there, if given. It leaves the nodes that have such an edge, unless
    `remove_from_node` is false; other nodes keep it.

    >>> from app.transform.example import example_graph, outline
    >>> operation = NodePropertyToEdge(
    ...     op="node_property_to_edge", table="attends", property="grade", edge_type="COURSE",
    ...     target_property="mark",
    ... )
    >>> print(outline(operation.apply(example_graph())))
    student: 3 nodes with id, name, city, tags
    course: 2 nodes with id, title
    attends: 3 nodes with student_id, course_id
    (attends)-[STUDENT]->(student): 3
    (attends)-[COURSE]->(course): 3 with mark
    """

    op: Literal["node_property_to_edge"]
    property: str
    node_id: str | None = None
    edge_ids: tuple[str, ...] | None = Field(default=None, min_length=1)
    table: str | None = None
    edge_type: str | None = None
    target_property: str | None = Field(default=None, min_length=1, max_length=200)
    remove_from_node: bool = True

    @model_validator(mode="after")
    def _one_form(self) -> "NodePropertyToEdge":
        single, whole = (self.node_id, self.edge_ids), (self.table, self.edge_type)
        if not ((None not in single and whole == (None, None)) or (None not in whole and single == (None, None))):
            raise ValueError("give either node_id and edge_ids, or table and edge_type")
        return self

    @override
    def apply(self, graph: PropertyGraph) -> PropertyGraph:
        nodes, name, chosen = self._chosen(graph)
        if self.remove_from_node:
            check_not_key(nodes, name, self.op)
        reached = np.zeros(nodes.count, np.bool_)
        changed: dict[int, list[EdgeTable]] = {}
        for number, offsets in self._edges(graph).items():
            table = graph.edge_tables[number]
            end, ends = self._end(table, nodes, offsets, chosen)
            kept = offsets[chosen[ends]]
            if len(kept):
                changed[number] = [self._with_field(table, nodes, name, end, kept)]
                reached[ends[chosen[ends]]] = True
        if not reached.any():
            raise refused(self.op, "no_edges", f"no row has {name} and such an edge.", column=name)
        graph = replaced_edges(graph, changed)
        return graph.with_tables([nodes.without_field(name, reached)]) if self.remove_from_node else graph

    @override
    def structure(self, graph: PropertyGraph) -> str:
        del graph
        whole = "one" if self.table is None else "table"
        return f"{self.op}|{whole}|{'moved' if self.remove_from_node else 'copied'}"

    def _chosen(self, graph: PropertyGraph) -> tuple[NodeTable, str, BoolArray]:
        """The node table, the field's name, and the nodes that hold the field and are asked for."""
        if self.node_id is None:
            nodes = graph.rows_of(table_named(graph, self.table or "", self.op).name)
            wanted = np.ones(nodes.count, np.bool_)
        else:
            ((label, offsets),) = nodes_by_id(graph, [self.node_id], self.op).items()
            nodes = graph.node_tables[label]
            wanted = np.zeros(nodes.count, np.bool_)
            wanted[offsets] = True
        if nodes.schema is None:
            raise refused(self.op, "not_a_row", f"{self.node_id} is not a source row.", id=self.node_id)
        name = column_named(nodes.schema, self.property, self.op)
        chosen = wanted & present(nodes, name)
        if not chosen.any():
            raise refused(self.op, "property_moved", f"{name} is not on these nodes.", column=name)
        return nodes, name, chosen

    def _edges(self, graph: PropertyGraph) -> dict[int, IntArray]:
        if self.edge_ids is None:
            return edges_of_type(graph, self.edge_type or "", self.op)
        return edges_by_id(graph, self.edge_ids, self.op)

    def _end(self, table: EdgeTable, nodes: NodeTable, offsets: IntArray, chosen: BoolArray) -> tuple[End, IntArray]:
        """The end at which edges have the rows: their source if both ends could be; and the nodes there."""
        sides: list[tuple[End, str, IntArray]] = [
            ("source", table.source_label, table.sources[offsets]),
            ("target", table.target_label, table.targets[offsets]),
        ]
        fitting = [(end, ends) for end, label, ends in sides if label == nodes.label]
        if self.edge_ids is not None:
            fitting = [(end, ends) for end, ends in fitting if chosen[ends].all()]
        if not fitting:
            message = f"edges {table.type} do not end at the rows of {nodes.label} that are meant."
            raise refused(self.op, "edge_not_at_node", message, edge_type=table.type)
        return fitting[0]

    def _with_field(self, table: EdgeTable, nodes: NodeTable, name: str, end: End, edges: IntArray) -> EdgeTable:
        assert nodes.schema is not None, "a table's nodes are rows"
        target = self.target_property or name
        self._check_free(table, target, name, end, edges)
        ends = table.sources if end == "source" else table.targets
        values = nodes.columns[name].take(ends[edges])
        moved = RelocatedAttribute(nodes.schema.name, name, end, target, edges, values)
        return table.with_field(moved)

    def _check_free(self, table: EdgeTable, target: str, name: str, end: End, edges: IntArray) -> None:
        taken = target in table.mark.fields
        for moved in table.relocated:
            clash = moved.name == target or (moved.column, moved.end) == (name, end)
            taken |= clash and len(np.intersect1d(moved.edges, edges)) > 0
        if taken:
            raise refused(
                self.op,
                "edge_property_taken",
                f"edges {table.type} hold a field {target} already.",
                hint="Choose another target_property.",
                edge_type=table.type,
            )
