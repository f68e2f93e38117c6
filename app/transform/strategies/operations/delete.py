"""delete: nodes, edges or fields that the graph holds twice."""

from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field, model_validator
from typing_extensions import override

from app.errors import GraphInvalidError
from app.graph.checks.canonical import moved_nodes
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import resolve_rows
from app.tables.dictionary import IntArray
from app.transform.selection import (
    check_not_key,
    column_named,
    edges_by_id,
    edges_of_type,
    nodes_by_id,
    replaced_edges,
    rest_of,
)
from app.transform.strategies.operations.operation import Operation
from app.transform.strategy import refused


class Delete(Operation):
    """Deletes the nodes or edges `ids`, or all of a `type`, or only their field `property`.

    A node with edges needs `cascade`, which deletes them too. Nothing of the source may be lost: no row, no declared
    reference, and no field that stands nowhere else.

    >>> from app.transform.example import example_graph, outline
    >>> from app.transform.strategies.operations.extract_property_node import ExtractPropertyNode
    >>> graph = ExtractPropertyNode(
    ...     op="extract_property_node", table="student", property="city", node_type="City", edge_type="LIVES_IN"
    ... ).apply(example_graph())
    >>> print(outline(Delete(op="delete", target="node", type="student", property="city").apply(graph)))
    student: 3 nodes with id, name, tags
    course: 2 nodes with id, title
    attends: 3 nodes with student_id, course_id, grade
    City: 2 nodes with value
    (attends)-[STUDENT]->(student): 3
    (attends)-[COURSE]->(course): 3
    (student)-[LIVES_IN]->(City): 3
    """

    op: Literal["delete"]
    target: Literal["node", "edge"]
    ids: tuple[str, ...] | None = Field(default=None, min_length=1)
    type: str | None = None
    property: str | None = None
    cascade: bool = False

    @model_validator(mode="after")
    def _one_form(self) -> "Delete":
        if (self.ids is None) == (self.type is None):
            raise ValueError("give either ids or type")
        return self

    @override
    def apply(self, graph: PropertyGraph) -> PropertyGraph:
        changed = self._without_nodes(graph) if self.target == "node" else self._without_edges(graph)
        for schema in changed.row_tables:
            try:
                resolve_rows(changed, schema.name)
            except GraphInvalidError as error:
                raise refused(self.op, "field_would_be_lost", error.message, table=schema.name) from error
        return changed

    @override
    def structure(self, graph: PropertyGraph) -> str:
        del graph
        return f"{self.op}|{self.target}|{'field' if self.property else 'whole'}"

    def _without_nodes(self, graph: PropertyGraph) -> PropertyGraph:
        for label, offsets in self._nodes(graph).items():
            if self.property is not None:
                graph = self._without_node_field(graph, label, offsets, self.property)
            elif graph.node_tables[label].is_rows:
                raise refused(self.op, "row_would_be_lost", f"nodes of type {label} are source rows.", node_type=label)
            else:
                graph = self._without_entities(graph, label, offsets)
        return graph

    def _nodes(self, graph: PropertyGraph) -> dict[str, IntArray]:
        if self.ids is not None:
            return nodes_by_id(graph, self.ids, self.op)
        nodes = graph.node_tables.get(self.type or "")
        if nodes is None or nodes.count == 0:
            raise refused(self.op, "type_unknown", f"there is no node of type {self.type}.", node_type=self.type)
        return {nodes.label: np.arange(nodes.count)}

    def _without_node_field(self, graph: PropertyGraph, label: str, offsets: IntArray, name: str) -> PropertyGraph:
        nodes = graph.node_tables[label]
        if nodes.schema is None:
            raise refused(self.op, "property_internal", f"an entity of type {label} is its value.", node_type=label)
        column = column_named(nodes.schema, name, self.op)
        check_not_key(nodes, column, self.op)
        if column not in nodes.columns:
            raise refused(self.op, "property_moved", f"{column} is not on these nodes.", column=column)
        gone = np.zeros(nodes.count, np.bool_)
        gone[offsets] = True
        return graph.with_tables([nodes.without_field(column, gone)])

    def _without_entities(self, graph: PropertyGraph, label: str, offsets: IntArray) -> PropertyGraph:
        nodes = graph.node_tables[label]
        if not self.cascade:
            message = f"nodes of type {label} have edges."
            raise refused(self.op, "node_has_edges", message, hint="Use cascade.", node_type=label)
        kept = np.setdiff1d(np.arange(nodes.count), offsets)
        place = np.full(nodes.count, -1, np.int64)
        place[kept] = np.arange(len(kept))
        columns = {name: column.take(kept) for name, column in nodes.columns.items()}
        left = replace(nodes, count=len(kept), columns=columns)
        return moved_nodes(graph.with_tables([left]), label, place)

    def _without_edges(self, graph: PropertyGraph) -> PropertyGraph:
        if self.ids is not None:
            found = edges_by_id(graph, self.ids, self.op)
        else:
            found = edges_of_type(graph, self.type or "", self.op)
        changed = {}
        for number, offsets in found.items():
            edges = graph.edge_tables[number]
            if self.property is not None:
                changed[number] = [self._without_edge_field(edges, offsets, self.property)]
            else:
                self._check_edges(edges)
                changed[number] = [rest_of(edges, offsets)]
        return replaced_edges(graph, changed)

    def _check_edges(self, edges: EdgeTable) -> None:
        if edges.mark.reference is not None:
            message = f"edges {edges.type} are a declared foreign key."
            raise refused(self.op, "reference_would_be_lost", message, edge_type=edges.type)
        if edges.mark.rows is not None:
            message = f"edges {edges.type} are source rows."
            raise refused(self.op, "row_would_be_lost", message, edge_type=edges.type)

    def _without_edge_field(self, edges: EdgeTable, offsets: IntArray, name: str) -> EdgeTable:
        if not any(moved.name == name for moved in edges.relocated):
            message = f"edges {edges.type} hold no field {name} of a row."
            raise refused(self.op, "property_unknown", message, edge_type=edges.type)
        kept = [moved.without(offsets) if moved.name == name else moved for moved in edges.relocated]
        return replace(edges, relocated=tuple(moved for moved in kept if len(moved.edges)))
