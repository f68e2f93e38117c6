"""generate_entity_table: the distinct values of a column become shared entities."""

from typing import Any

import numpy as np
from pydantic import Field

from app.errors import NotFoundError, TransformError
from app.graph.marks import ExtractedAttributeMark
from app.graph.names import next_free, upper_snake
from app.graph.property_graph import ENTITY_VALUE, EdgeTable, NodeTable, PropertyGraph
from app.tables.column import Column, Kind, canonical_codes, column_of, text_column
from app.tables.dictionary import IntArray
from app.transform.strategy import Arguments, Strategy, schema_of
from app.values import fold_identifier


class GenerateEntityTableArguments(Arguments):
    """The column, and the node type of its values."""

    table: str
    column: str
    node_type: str = Field(min_length=1, max_length=200)
    edge_type: str | None = Field(default=None, min_length=1, max_length=200)


class GenerateEntityTable(Strategy[GenerateEntityTableArguments]):
    """Adds a node for each distinct value and an edge from each row that has one; the rows keep their values.

    Orders with a status, before: 3 orders, 2 of them `paid`; after: also nodes `paid` and `open`, and 3 edges.
    """

    name = "generate_entity_table"
    arguments = GenerateEntityTableArguments

    def added_size(self, graph: PropertyGraph, arguments: GenerateEntityTableArguments) -> int:
        """At least one edge a value; the entities themselves are at most as many and are not counted."""
        column = _column(graph, *_resolved(graph, arguments))
        return len(column) - column.null_count()

    def apply(self, graph: PropertyGraph, arguments: GenerateEntityTableArguments) -> PropertyGraph:
        """The graph with the entities, without its now stale paths; the same graph where nothing would change."""
        table, name = _resolved(graph, arguments)
        column = _column(graph, table, name)
        if column.null_count() == len(column) or graph.attribute_edges(table, name):
            return graph
        _check_free(graph, arguments.node_type)
        entities, sources, targets = distinct_values(column)
        node_table = NodeTable(arguments.node_type, len(entities), {ENTITY_VALUE: entities})
        edge_type = arguments.edge_type or _default_type(graph, name)
        label = graph.rows_of(table).label
        mark = ExtractedAttributeMark(table, name)
        edges = EdgeTable(edge_type, label, arguments.node_type, sources, targets, mark)
        return graph.without_paths().with_tables([node_table], [edges])


def _resolved(graph: PropertyGraph, arguments: GenerateEntityTableArguments) -> tuple[str, str]:
    """Table and column as they are spelled in the schema."""
    try:
        table = schema_of(graph).table(arguments.table)
        return table.name, table.column(arguments.column).name
    except NotFoundError as error:
        raise TransformError(f"generate_entity_table: {error.message}", hint=error.hint) from error


def _column(graph: PropertyGraph, table: str, name: str) -> Column:
    return graph.rows_of(table).columns[name]


def _check_free(graph: PropertyGraph, node_type: str) -> None:
    taken = {fold_identifier(label) for label in graph.node_tables}
    taken |= {fold_identifier(schema.name) for schema in graph.row_tables}
    if fold_identifier(node_type) in taken:
        raise TransformError(
            f"generate_entity_table: the node type {node_type} exists already.",
            hint="An entity type may not take the name of a source table or of another type.",
            node_type=node_type,
        )


def _default_type(graph: PropertyGraph, column: str) -> str:
    return next_free(f"HAS_{upper_snake(column) or 'VALUE'}", {edges.type for edges in graph.edge_tables})


def distinct_values(column: Column) -> tuple[Column, IntArray, IntArray]:
    """The distinct non-NULL values by first appearance, the rows that have one, and the value's offset for each.

    Values are distinct where value or type differ: 1 and 1.0 are two.
    """
    rows = np.arange(len(column)) if column.nulls is None else np.flatnonzero(~column.nulls)
    present = Column(column.kind, column.values[rows], None, column.dictionary)
    if column.kind is Kind.TEXT:
        coded = canonical_codes(present)
        return text_column(coded.texts.entries), rows, coded.values.astype(np.int64)
    if column.kind is Kind.MIXED:
        return _distinct_objects(present, rows)
    return _distinct_numbers(present, rows)


def _distinct_numbers(present: Column, rows: IntArray) -> tuple[Column, IntArray, IntArray]:
    _, first, inverse = np.unique(present.values, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    offset = np.empty(len(order), np.int64)
    offset[order] = np.arange(len(order))
    return present.take(first[order]), rows, offset[inverse.reshape(-1)]


def _distinct_objects(present: Column, rows: IntArray) -> tuple[Column, IntArray, IntArray]:
    offsets: dict[tuple[type, Any], int] = {}
    keyed = [(type(value), value) for value in present.values.tolist()]
    targets = [offsets.setdefault(key, len(offsets)) for key in keyed]
    return column_of([value for _, value in offsets]), rows, np.array(targets, np.int64)
