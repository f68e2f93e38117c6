"""The canonical form of a graph: the same content has the same order of edges and entities, however it came about.

Rows stand in their tables' order. Edges stand in the order of their ends, rows that are edges in their table's order.
Entities are numbered by the edges that reach them; an entity that no edge reaches is none. Edge tables without edges
are left out, except those of declared foreign keys, which then have the type that G0 gives them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.graph.g0 import foreign_key_types
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.row_edges import RelocatedAttribute
from app.tables.column import concatenated
from app.tables.dictionary import IntArray
from app.values import canonical_json


def canonical(graph: PropertyGraph) -> PropertyGraph:
    """The same graph in canonical form; what is in order already is shared."""
    edges = [sorted_edges(edges) for edges in _merged(_with_g0_types(graph).edge_tables)]
    graph = graph.with_edges([e for e in edges if len(e) or e.mark.reference])
    return _entities_in_order(_rows_in_order(graph))


def table_order(edges: EdgeTable) -> tuple[bool, str, str, str]:
    """The sort key of edge tables other than those of foreign keys: attributes and joins come before paths."""
    mark = edges.mark
    return (
        mark.is_shortcut,
        edges.type,
        canonical_json(mark.properties()),
        f"{edges.source_label}\n{edges.target_label}",
    )


def _merged(tables: Sequence[EdgeTable]) -> list[EdgeTable]:
    """One edge table for each type, mark and pair of node types, except paths and foreign keys, which stay apart."""
    groups: dict[object, list[EdgeTable]] = {}
    for number, edges in enumerate(tables):
        groups.setdefault(table_order(edges) if edges.mark.merges else number, []).append(edges)
    return [_joined(group) for group in groups.values()]


def _joined(tables: Sequence[EdgeTable]) -> EdgeTable:
    """One edge table of several that have type, node types and the properties of their marks in common."""
    first = tables[0]
    if len(tables) == 1:
        return first
    starts = np.cumsum([0, *map(len, tables)]).tolist()
    moved: dict[tuple[str, ...], list[RelocatedAttribute]] = {}
    for table, start in zip(tables, starts, strict=False):
        for part in table.relocated:
            moved.setdefault(part.key, []).append(replace(part, edges=part.edges + start))
    return replace(
        first,
        sources=np.concatenate([table.sources for table in tables]),
        targets=np.concatenate([table.targets for table in tables]),
        mark=first.mark.joined([table.mark for table in tables[1:]]),
        relocated=tuple(map(_joined_fields, moved.values())),
    )


def _joined_fields(parts: Sequence[RelocatedAttribute]) -> RelocatedAttribute:
    edges = np.concatenate([part.edges for part in parts])
    return replace(parts[0], edges=edges, values=concatenated([part.values for part in parts]))


def sorted_edges(edges: EdgeTable) -> EdgeTable:
    """The same edges in canonical order."""
    moved = tuple(sorted(edges.relocated, key=lambda part: part.key))
    if moved != edges.relocated:
        edges = replace(edges, relocated=moved)
    keys = edges.mark.order_keys(edges)
    if len(keys) == 1 and np.all(keys[0][1:] > keys[0][:-1]):
        return edges
    order = np.lexsort(keys[::-1])
    return edges if np.array_equal(order, np.arange(len(edges))) else edges.take(order)


def _with_g0_types(graph: PropertyGraph) -> PropertyGraph:
    """Foreign keys that have no edge are named as in G0: nothing else could tell their name."""
    names = {key: name for schema in graph.row_tables for key, name in foreign_key_types(schema).items()}

    def named(edges: EdgeTable) -> EdgeTable:
        name = edges.type if len(edges) or not edges.mark.reference else names.get(edges.mark.reference, edges.type)
        return edges if edges.type == name else replace(edges, type=name)

    return graph.with_edges([named(edges) for edges in graph.edge_tables])


def _rows_in_order(graph: PropertyGraph) -> PropertyGraph:
    """Row tables whose nodes are all rows from 0 say so by None; one without nodes has its table's own name."""
    for label, nodes in graph.node_tables.items():
        if nodes.schema is not None:
            graph = _plain_rows(graph, label, nodes, nodes.schema.name)
    return graph


def _plain_rows(graph: PropertyGraph, label: str, nodes: NodeTable, name: str) -> PropertyGraph:
    if nodes.count == 0 and (label != name or nodes.identity_key):
        graph = relabelled(graph, label, name)
        nodes = replace(graph.node_tables[name], identity_key=())
        return graph.with_tables([nodes])
    if nodes.row_index is not None and np.array_equal(nodes.row_index, np.arange(nodes.count)):
        return graph.with_tables([replace(nodes, row_index=None)])
    return graph


def relabelled(graph: PropertyGraph, old: str, new: str) -> PropertyGraph:
    """The graph with a node type renamed; an entity's identity stays that of its first name."""
    nodes = graph.node_tables[old]
    identity = None if nodes.is_rows or nodes.identity_type == new else nodes.identity_type
    renamed = replace(nodes, label=new, identity=identity)
    tables = {(new if label == old else label): table for label, table in graph.node_tables.items()}
    changed = replace(graph, node_tables={**tables, new: renamed})

    def end(label: str) -> str:
        return new if label == old else label

    edges = [_with_ends(edges, end(edges.source_label), end(edges.target_label)) for edges in graph.edge_tables]
    return changed.with_edges(edges)


def _with_ends(edges: EdgeTable, source: str, target: str) -> EdgeTable:
    unchanged = (source, target) == (edges.source_label, edges.target_label)
    return edges if unchanged else replace(edges, source_label=source, target_label=target)


def _entities_in_order(graph: PropertyGraph) -> PropertyGraph:
    """Entities numbered by first appearance among the edges that reach them, type by type."""
    for label, nodes in graph.node_tables.items():
        if not nodes.is_rows:
            graph = _renumbered(graph, nodes, _first_appearance(graph, label))
    return graph


def _first_appearance(graph: PropertyGraph, label: str) -> IntArray:
    """Entity offsets in the order in which edges reach them."""
    reached: list[IntArray] = []
    for edges in sorted(graph.edge_tables, key=table_order):
        if edges.target_label == label:
            reached.append(edges.targets)
        elif edges.source_label == label:
            rows_first = np.lexsort((*edges.mark.arrays, edges.targets))
            reached.append(edges.sources[rows_first])
    if not reached:
        return np.empty(0, np.int64)
    distinct, first = np.unique(np.concatenate(reached), return_index=True)
    return distinct[np.argsort(first)]


def _renumbered(graph: PropertyGraph, nodes: NodeTable, order: IntArray) -> PropertyGraph:
    if np.array_equal(order, np.arange(nodes.count)):
        return graph if nodes.count else without_nodes(graph, nodes.label)
    if len(order) == 0:
        return without_nodes(graph, nodes.label)
    place = np.full(nodes.count, -1, np.int64)
    place[order] = np.arange(len(order))
    columns = {name: column.take(order) for name, column in nodes.columns.items()}
    kept = replace(nodes, count=len(order), columns=columns)
    return moved_nodes(graph.with_tables([kept]), nodes.label, place)


def without_nodes(graph: PropertyGraph, label: str) -> PropertyGraph:
    """The graph without a node type that no edge reaches."""
    return replace(graph, node_tables={name: t for name, t in graph.node_tables.items() if name != label})


def moved_nodes(graph: PropertyGraph, label: str, place: IntArray) -> PropertyGraph:
    """The graph whose edges reach the nodes of a type at their new places; edges at nodes without one (-1) are gone."""

    def moved(edges: EdgeTable) -> EdgeTable:
        sources = place[edges.sources] if edges.source_label == label else edges.sources
        targets = place[edges.targets] if edges.target_label == label else edges.targets
        if sources is edges.sources and targets is edges.targets:
            return edges
        gone = (sources < 0) | (targets < 0)
        changed = replace(edges, sources=sources, targets=targets)
        return sorted_edges(changed.take(np.flatnonzero(~gone)) if gone.any() else changed)

    return graph.with_edges([moved(edges) for edges in graph.edge_tables])
