"""What must hold of a graph before its first node is written."""

from collections.abc import Mapping

import numpy as np

from app.errors import GraphInvalidError
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.store.publish.edge_properties import edge_properties
from app.tables.column import Column, Kind
from app.tables.dictionary import IntArray
from app.values import INT64_MAX, INT64_MIN

PUBLISHING_LABEL = "__graphwright_publishing__"
_MAX_NAME_LENGTH = 16_383


def check_publishable(graph: PropertyGraph) -> None:
    """Raise `GraphInvalidError` for what Neo4j cannot hold and for edges that point nowhere."""
    for label, nodes in graph.node_tables.items():
        _check_name("label", label)
        _check_columns("node", label, nodes.count, nodes.columns)
    for edges in graph.edge_tables:
        _check_name("relationship type", edges.type)
        _check_endpoints(graph, edges, edges.source_label, edges.sources)
        _check_endpoints(graph, edges, edges.target_label, edges.targets)
        if len(edges.sources) != len(edges.targets):
            raise GraphInvalidError(f"Edges {edges.type} have unequal numbers of endpoints.", edge_type=edges.type)
        _check_columns("edge", edges.type, len(edges), edge_properties(edges))


def _check_name(what: str, name: str) -> None:
    if not name or "\0" in name or len(name) > _MAX_NAME_LENGTH or name == PUBLISHING_LABEL:
        raise GraphInvalidError(
            f"Neo4j cannot hold the {what} {name[:40]!r}.",
            hint="Names have 1 to 16,383 characters, no NUL character, and not the mark that a publish uses.",
            name=name[:200],
        )


def _check_columns(what: str, type_: str, count: int, columns: Mapping[str, Column]) -> None:
    where = f"{what} type {type_}"
    for name, column in columns.items():
        _check_name("property name", name)
        if len(column) != count:
            message = f"Field {name} of {where} has {len(column)} values for {count} {what}s."
            raise GraphInvalidError(message, column=name)
        if column.kind is Kind.MIXED:
            _check_integers(where, name, column)


def _check_integers(where: str, name: str, column: Column) -> None:
    for row, value in enumerate(column.to_list()):
        if isinstance(value, int) and not INT64_MIN <= value <= INT64_MAX:
            raise GraphInvalidError(
                f"Field {name} of {where} holds {value}, which does not fit 64 bits.",
                column=name,
                row=row,
            )


def _check_endpoints(graph: PropertyGraph, edges: EdgeTable, label: str, endpoints: IntArray) -> None:
    nodes = graph.node_tables.get(label)
    count = nodes.count if nodes else 0
    outside = np.flatnonzero((endpoints < 0) | (endpoints >= count))
    if nodes is None or len(outside):
        raise GraphInvalidError(
            f"{max(len(outside), 1):,} edges {edges.type} end at nodes of type {label} that do not exist.",
            hint="Nothing was written.",
            edge_type=edges.type,
            row=int(outside[0]) if len(outside) else None,
        )
