"""The canonical order of attribute entities: by the first source row that has their value."""

from dataclasses import replace

import numpy as np

from app.graph.marks import ExtractedAttributeMark
from app.graph.property_graph import ENTITY_VALUE, NodeTable, PropertyGraph
from app.tables.dictionary import IntArray


def entities_in_row_order(graph: PropertyGraph) -> PropertyGraph:
    """The same graph with each entity table numbered by first appearance in its first attribute's rows."""
    for label, nodes in graph.node_tables.items():
        if not nodes.is_rows:
            graph = _renumbered(graph, nodes, _first_appearance(graph, label, nodes.count))
    return graph


def _first_appearance(graph: PropertyGraph, label: str, count: int) -> IntArray:
    """Entity offsets in the order in which rows reach them; those that no row reaches come last."""
    for edges in graph.edge_tables:
        if edges.target_label == label and isinstance(edges.mark, ExtractedAttributeMark):
            reached, first = np.unique(edges.targets, return_index=True)
            ordered = reached[np.argsort(first)]
            return np.concatenate([ordered, np.setdiff1d(np.arange(count), ordered)])
    return np.arange(count)


def _renumbered(graph: PropertyGraph, nodes: NodeTable, order: IntArray) -> PropertyGraph:
    if np.array_equal(order, np.arange(nodes.count)):
        return graph
    new_offset = np.empty(nodes.count, np.int64)
    new_offset[order] = np.arange(nodes.count)
    columns = {ENTITY_VALUE: nodes.columns[ENTITY_VALUE].take(order)}
    edges = tuple(
        replace(edges, targets=new_offset[edges.targets]) if edges.target_label == nodes.label else edges
        for edges in graph.edge_tables
    )
    tables = {**graph.node_tables, nodes.label: replace(nodes, columns=columns)}
    return replace(graph, node_tables=tables, edge_tables=edges)
