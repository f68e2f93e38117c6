"""generate_entity_table: the distinct values of a column become shared entities."""

import numpy as np
from pydantic import Field
from typing_extensions import override

from app.graph.checks.canonical import canonical
from app.graph.marks.attribute import ExtractedAttributeMark
from app.graph.model.names import next_free, upper_snake
from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import resolve_column
from app.tables.column import Column
from app.transform.selection import check_edge_type, check_node_type, column_named, table_named
from app.transform.strategies.distinct_values import distinct_values
from app.transform.strategy import Arguments, Strategy


class GenerateEntityTableArguments(Arguments):
    """The column, and the node type of its values."""

    table: str
    column: str
    node_type: str = Field(min_length=1, max_length=200)
    edge_type: str | None = Field(default=None, min_length=1, max_length=200)


class GenerateEntityTable(Strategy[GenerateEntityTableArguments]):
    """Adds a node for each distinct value and an edge from each row's node that has one; the rows keep their values.

    >>> from app.transform.example import example_graph, outline
    >>> arguments = GenerateEntityTable().parse({"table": "student", "column": "city", "node_type": "City"})
    >>> graph = GenerateEntityTable().apply(example_graph(), arguments)
    >>> graph.node_tables["City"].columns["value"].to_list()
    ['Rome', 'Oslo']
    >>> print(outline(graph).splitlines()[-1])
    (student)-[HAS_CITY]->(City): 3
    """

    name = "generate_entity_table"
    arguments = GenerateEntityTableArguments

    def added_size(self, graph: PropertyGraph, arguments: GenerateEntityTableArguments) -> int:
        """At least one edge a value; the entities themselves are at most as many and are not counted."""
        table, name, column = self._cells(graph, arguments)
        return 0 if graph.attribute_edges(table, name) else len(column) - column.null_count()

    def apply(self, graph: PropertyGraph, arguments: GenerateEntityTableArguments) -> PropertyGraph:
        """The graph with the entities, without its now stale paths; the same graph if nothing would change."""
        table, name, column = self._cells(graph, arguments)
        if column.null_count() == len(column) or graph.attribute_edges(table, name):
            return graph
        check_node_type(graph, arguments.node_type, self.name)
        mark = ExtractedAttributeMark(table, name)
        edge_type = arguments.edge_type or self._default_type(graph, name)
        check_edge_type(graph, edge_type, mark, self.name)
        entities, sources, targets = distinct_values(column)
        node_table = NodeTable(arguments.node_type, len(entities), {ENTITY_VALUE: entities})
        label = graph.rows_of(table).label
        edges = EdgeTable(edge_type, label, arguments.node_type, sources, targets, mark)
        return canonical(graph.without_paths().with_tables([node_table], [edges]))

    @override
    def signature(self, graph: PropertyGraph, arguments: GenerateEntityTableArguments) -> str | None:
        _, _, column = self._cells(graph, arguments)
        values, rows, _ = distinct_values(column)
        share = len(values) / max(len(rows), 1)
        return f"{self.name}|{column.kind}|{'few' if share < 0.01 else 'some' if share < 0.5 else 'many'} values"

    def _cells(self, graph: PropertyGraph, arguments: GenerateEntityTableArguments) -> tuple[str, str, Column]:
        """Table and column as their schema spells them, and the cells of the rows that are nodes."""
        schema = table_named(graph, arguments.table, self.name)
        name = column_named(schema, arguments.column, self.name)
        column, nodes = resolve_column(graph, schema.name, name), graph.rows_of(schema.name)
        if nodes.row_index is not None or len(column) > nodes.count:
            column = column.take(np.asarray(nodes.rows))
        return schema.name, name, column

    def _default_type(self, graph: PropertyGraph, column: str) -> str:
        return next_free(f"HAS_{upper_snake(column) or 'VALUE'}", {edges.type for edges in graph.edge_tables})
