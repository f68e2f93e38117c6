"""extract_property_node: equal values of a field become one shared entity."""

from typing import Literal

import numpy as np
from pydantic import Field, model_validator
from typing_extensions import override

from app.graph.marks.attribute import ExtractedAttributeMark
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import attribute_ends, present
from app.tables.dictionary import BoolArray
from app.transform.selection import (
    check_edge_type,
    check_node_type,
    check_not_key,
    column_named,
    nodes_by_id,
    table_named,
)
from app.transform.strategies.distinct_values import distinct_values, entities_of
from app.transform.strategies.operations.operation import Operation
from app.transform.strategy import refused


class ExtractPropertyNode(Operation):
    """Gives the rows `node_ids`, or all rows of a `table`, an edge to the entity that holds their value of `property`.

    With `remove_from_node` the value stands with the entity alone. NULLs stay where they are. An entity type of an
    earlier extraction can be shared.

    >>> from app.transform.example import example_graph, outline
    >>> operation = ExtractPropertyNode(
    ...     op="extract_property_node", table="student", property="city", node_type="City", edge_type="LIVES_IN",
    ...     remove_from_node=True,
    ... )
    >>> graph = operation.apply(example_graph())
    >>> graph.node_tables["City"].columns["value"].to_list()
    ['Rome', 'Oslo']
    >>> print(outline(graph))
    student: 3 nodes with id, name, tags
    course: 2 nodes with id, title
    attends: 3 nodes with student_id, course_id, grade
    City: 2 nodes with value
    (attends)-[STUDENT]->(student): 3
    (attends)-[COURSE]->(course): 3
    (student)-[LIVES_IN]->(City): 3
    """

    op: Literal["extract_property_node"]
    property: str
    node_type: str = Field(min_length=1, max_length=200)
    edge_type: str = Field(min_length=1, max_length=200)
    node_ids: tuple[str, ...] | None = Field(default=None, min_length=1)
    table: str | None = None
    remove_from_node: bool = False

    @model_validator(mode="after")
    def _one_form(self) -> "ExtractPropertyNode":
        if (self.node_ids is None) == (self.table is None):
            raise ValueError("give either node_ids or table")
        return self

    @override
    def apply(self, graph: PropertyGraph) -> PropertyGraph:
        nodes, name, picked = self._picked(graph)
        if self.remove_from_node:
            check_not_key(nodes, name, self.op)
        offsets = np.flatnonzero(picked)
        values, rows, targets = distinct_values(nodes.columns[name].take(offsets))
        if len(rows) == 0:
            raise refused(self.op, "nothing_to_extract", f"no node holds a value of {name}.", column=name)
        mark = ExtractedAttributeMark(nodes.schema.name if nodes.schema else "", name)
        held = graph.node_tables.get(self.node_type)
        if held is None or held.is_rows:
            check_node_type(graph, self.node_type, self.op)
        check_edge_type(graph, self.edge_type, mark, self.op)
        entities, places = entities_of(graph, self.node_type, values)
        edges = EdgeTable(self.edge_type, nodes.label, self.node_type, offsets[rows], places[targets], mark)
        if self.remove_from_node:
            gone = np.zeros(nodes.count, np.bool_)
            gone[offsets[rows]] = True
            nodes = nodes.without_field(name, gone)
        return graph.with_tables([nodes, entities], [edges])

    @override
    def structure(self, graph: PropertyGraph) -> str:
        nodes, name, _ = self._picked(graph)
        whole = "one" if self.table is None else "table"
        return f"{self.op}|{nodes.columns[name].kind}|{whole}|{'moved' if self.remove_from_node else 'copied'}"

    def _picked(self, graph: PropertyGraph) -> tuple[NodeTable, str, BoolArray]:
        """The node table, the field's name, and which nodes' fields are meant: those without an entity yet."""
        nodes = self._nodes(graph)
        assert nodes.schema is not None, "a table's nodes are rows"
        name = column_named(nodes.schema, self.property, self.op)
        there = present(nodes, name)
        for edges in graph.attribute_edges(nodes.schema.name, name):
            there = there.copy()
            there[attribute_ends(graph, edges)[0][1]] = False
        if self.node_ids is None:
            picked = there
        else:
            picked = np.zeros(nodes.count, np.bool_)
            picked[nodes_by_id(graph, self.node_ids, self.op)[nodes.label]] = True
            if (picked & ~there).any():
                raise refused(self.op, "already_extracted", f"{name} of a node is elsewhere already.", column=name)
        if not picked.any():
            raise refused(self.op, "nothing_to_extract", f"no node holds {name} without an entity.", column=name)
        return nodes, name, picked

    def _nodes(self, graph: PropertyGraph) -> NodeTable:
        if self.node_ids is None:
            return graph.rows_of(table_named(graph, self.table or "", self.op).name)
        labels = list(nodes_by_id(graph, self.node_ids, self.op))
        nodes = graph.node_tables[labels[0]]
        if len(labels) > 1 or not nodes.is_rows:
            raise refused(self.op, "not_rows_of_one_table", "node_ids are not rows of one table.")
        return nodes
