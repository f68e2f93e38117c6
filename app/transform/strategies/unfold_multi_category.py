"""unfold_multi_category: cells that hold several categories lead to each of them."""

import numpy as np
from pydantic import Field
from typing_extensions import override

from app.graph.checks.canonical import canonical
from app.graph.derivation.categories import CategoryParts, category_parts
from app.graph.marks.category import UnfoldedCategoryMark
from app.graph.model.names import next_free, upper_snake
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import resolve_column, row_locations
from app.transform.selection import check_edge_type, check_node_type, column_named, table_named
from app.transform.strategies.distinct_values import distinct_values, entities_of
from app.transform.strategy import Arguments, Strategy, refused


class UnfoldMultiCategoryArguments(Arguments):
    """The column, the node type of its categories, and what stands between them."""

    table: str
    column: str
    node_type: str = Field(min_length=1, max_length=200)
    edge_type: str | None = Field(default=None, min_length=1, max_length=200)
    delimiter: str = Field(default=",", min_length=1, max_length=20)


class UnfoldMultiCategory(Strategy[UnfoldMultiCategoryArguments]):
    """Adds a node for each distinct part of a column's texts and an edge for each part, with its position from 0.

    The cell stays as it is. Space around a part does not belong to it; empty parts have no edge.

    >>> from app.transform.example import example_graph, outline
    >>> arguments = UnfoldMultiCategory().parse({"table": "student", "column": "tags", "node_type": "Tag"})
    >>> graph = UnfoldMultiCategory().apply(example_graph(), arguments)
    >>> graph.node_tables["Tag"].columns["value"].to_list()
    ['chess', 'go']
    >>> edges = graph.edge_tables[-1]
    >>> list(zip(edges.sources.tolist(), edges.mark.positions.tolist(), edges.targets.tolist()))
    [(0, 0, 0), (0, 1, 1), (2, 0, 1)]
    """

    name = "unfold_multi_category"
    arguments = UnfoldMultiCategoryArguments

    def added_size(self, graph: PropertyGraph, arguments: UnfoldMultiCategoryArguments) -> int:
        """One edge a part; the categories are fewer and not counted."""
        mark, parts = self._mark(graph, arguments)
        return 0 if _is_there(graph, mark) else len(parts.rows)

    def apply(self, graph: PropertyGraph, arguments: UnfoldMultiCategoryArguments) -> PropertyGraph:
        """The graph with the categories, without its now stale paths; the same graph if they are there already."""
        mark, parts = self._mark(graph, arguments)
        table, column = mark.table, mark.column
        if _is_there(graph, mark):
            return graph
        if not row_locations(graph, table).is_plain:
            raise refused(self.name, "rows_are_edges", f"rows of table {table} are edges.", table=table)
        if not (parts.positions > 0).any():
            message = f"no cell of {column} holds two parts between {arguments.delimiter!r}."
            raise refused(self.name, "nothing_to_unfold", message, table=table, column=column)
        check_node_type(graph, arguments.node_type, self.name)
        edge_type = arguments.edge_type or self._default_type(graph, column)
        check_edge_type(graph, edge_type, mark, self.name)
        values, _, targets = distinct_values(parts.texts)
        entities, places = entities_of(graph, arguments.node_type, values)
        label = graph.rows_of(table).label
        edges = EdgeTable(edge_type, label, arguments.node_type, parts.rows, places[targets], mark)
        return canonical(graph.without_paths().with_tables([entities], [edges]))

    @override
    def signature(self, graph: PropertyGraph, arguments: UnfoldMultiCategoryArguments) -> str | None:
        _, parts = self._mark(graph, arguments)
        widest = int(np.max(parts.positions, initial=0)) + 1
        return f"{self.name}|{'many' if widest > 4 else 'few'} parts"

    def _mark(
        self, graph: PropertyGraph, arguments: UnfoldMultiCategoryArguments
    ) -> tuple[UnfoldedCategoryMark, CategoryParts]:
        schema = table_named(graph, arguments.table, self.name)
        column = column_named(schema, arguments.column, self.name)
        parts = category_parts(resolve_column(graph, schema.name, column), arguments.delimiter)
        return UnfoldedCategoryMark(schema.name, column, arguments.delimiter, parts.positions), parts

    def _default_type(self, graph: PropertyGraph, column: str) -> str:
        return next_free(f"HAS_{upper_snake(column) or 'PART'}", {edges.type for edges in graph.edge_tables})


def _is_there(graph: PropertyGraph, mark: UnfoldedCategoryMark) -> bool:
    return any(edges.mark.properties() == mark.properties() for edges in graph.edge_tables)
