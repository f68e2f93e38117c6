"""Checks of the edges that say again what rows and references say: entities, categories, column joins and paths."""

from collections.abc import Iterator

import numpy as np

from app.budget import check_deadline
from app.errors import GraphInvalidError
from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import Content, EdgeTable, PropertyGraph
from app.graph.model.rows import attribute_ends
from app.graph.model.shared_content import edge_content, same
from app.tables.dictionary import BoolArray


def derived_edge_errors(graph: PropertyGraph, checked: PropertyGraph | None) -> Iterator[str]:
    """What is wrong with derived edges and entities; those that `checked` shares are skipped.

    Rows and references were found right before.
    """
    known = None if checked is None else _Known(checked)
    for edges in graph.edge_tables:
        check_deadline()
        if known is None or not known.holds(edge_content(graph, edges), edges):
            yield from _errors(graph, edges)
    for nodes in graph.node_tables.values():
        if not nodes.is_rows:
            yield from _entity_errors(graph, nodes)


class _Known:
    """The edge tables of a checked graph, found by the array of their sources."""

    def __init__(self, graph: PropertyGraph) -> None:
        self._graph = graph
        self._by_sources: dict[int, list[EdgeTable]] = {}
        for edges in graph.edge_tables:
            self._by_sources.setdefault(id(edges.sources), []).append(edges)

    def holds(self, content: Content, edges: EdgeTable) -> bool:
        """Whether the graph has all that the check of an edge table reads."""
        twins = self._by_sources.get(id(edges.sources), ())
        return any(same(content, edge_content(self._graph, twin)) for twin in twins)


def _errors(graph: PropertyGraph, edges: EdgeTable) -> Iterator[str]:
    try:
        yield from edges.mark.errors(edges, graph)
    except (GraphInvalidError, IndexError) as error:
        yield f"Edge type {edges.type}: {error}"


def _entity_errors(graph: PropertyGraph, nodes: NodeTable) -> Iterator[str]:
    values = nodes.columns.get(ENTITY_VALUE)
    if values is None or values.null_count() or len(values) != nodes.count:
        yield f"Node type {nodes.label}: an entity has no value."
    elif not _reached(graph, nodes).all():
        yield f"Node type {nodes.label}: an entity that no row has."


def _reached(graph: PropertyGraph, nodes: NodeTable) -> BoolArray:
    reached = np.zeros(nodes.count, np.bool_)
    for edges in graph.edge_tables:
        if edges.mark.reaches_entities:
            label, entities = attribute_ends(graph, edges)[1]
            if label == nodes.label:
                reached[entities] = True
    return reached
