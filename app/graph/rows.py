"""Row resolution: the source rows that a graph holds, read from the graph alone."""

from app.errors import GraphInvalidError
from app.graph.property_graph import NodeTable, PropertyGraph
from app.tables.table import Table


def resolve_rows(graph: PropertyGraph, table: str) -> Table:
    """All rows of a source table in row order, with every column of its schema.

    `GraphInvalidError` names a column that the graph has lost.
    """
    nodes = graph.rows_of(table)
    assert nodes.schema is not None, "rows_of returns source rows"
    for name in nodes.schema.column_names:
        _check_column(nodes, name)
    return Table(nodes.schema, {name: nodes.columns[name] for name in nodes.schema.column_names}, nodes.count)


def _check_column(nodes: NodeTable, name: str) -> None:
    column = nodes.columns.get(name)
    if column is None:
        raise GraphInvalidError(f"Node type {nodes.label} has lost the field {name}.", table=nodes.label, column=name)
    if len(column) != nodes.count:
        raise GraphInvalidError(
            f"Field {name} of node type {nodes.label} has {len(column)} values for {nodes.count} nodes.",
            table=nodes.label,
            column=name,
        )
