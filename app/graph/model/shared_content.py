"""What a check of a graph reads: if two graphs share all of it, the check of one holds for the other.

Columns and arrays are immutable, so the same object has the same content. Content are compared by identity, and flags,
numbers and names among it by value.
"""

from collections.abc import Iterator

from app.graph.model.node_table import ENTITY_VALUE
from app.graph.model.property_graph import Content, EdgeTable, PropertyGraph
from app.graph.model.rows import attribute_ends, edge_end, row_edges
from app.tables.schema import ForeignKey


def same(left: Content, right: Content) -> bool:
    """Whether two graphs share this content."""
    return len(left) == len(right) and all(map(_is_same, left, right))


def _is_same(left: object, right: object) -> bool:
    return left is right or (isinstance(left, str | bool | int) and left == right)


def column_content(graph: PropertyGraph, table: str, column: str) -> Content:
    """What resolving a column reads."""
    nodes = graph.rows_of(table)
    own = (nodes.count, nodes.schema, nodes.row_index, nodes.columns.get(column), nodes.absent.get(column))
    on_edges = [part for edges in graph.collapsed_rows(table) for part in _row_edge_content(edges, column)]
    return (*own, *on_edges, *_entity_content(graph, table, column), *_relocated_content(graph, table, column))


def _row_edge_content(edges: EdgeTable, column: str) -> Iterator[object]:
    held = row_edges(edges)
    yield from (held.row_index, held.columns.get(column))


def _entity_content(graph: PropertyGraph, table: str, column: str) -> Iterator[object]:
    own = graph.rows_of(table).label
    for edges in graph.attribute_edges(table, column):
        (label, rows), (entity_label, entities) = attribute_ends(graph, edges)
        yield from (label == own, rows, entities, entity_values(graph, entity_label))


def entity_values(graph: PropertyGraph, label: str) -> object:
    """The values of the entities of a node type."""
    nodes = graph.node_tables.get(label)
    return None if nodes is None else nodes.columns.get(ENTITY_VALUE)


def _relocated_content(graph: PropertyGraph, table: str, column: str) -> Iterator[object]:
    own = graph.rows_of(table).label
    for edges, moved in graph.relocated(table, column):
        label, ends = edge_end(edges, moved)
        yield from (label == own, ends, moved.edges, moved.values)


def key_content(graph: PropertyGraph, key: ForeignKey) -> Content:
    """What following a foreign key reads."""
    child, parent = graph.rows_of(key.table), graph.rows_of(key.ref_table)
    found: list[object] = [child.count, child.row_index, parent.count, parent.row_index]
    for edges in graph.foreign_key_tables(key):
        found += [edges.sources, edges.targets, edges.source_label == child.label, edges.target_label == parent.label]
    for edges in graph.collapsed_rows(key.table):
        held, ends = row_edges(edges), [edges.source_label == parent.label, edges.target_label == parent.label]
        found += [held.row_index, held.source_key, held.target_key, edges.sources, edges.targets, *ends]
    return tuple(found)


def edge_content(graph: PropertyGraph, edges: EdgeTable) -> Content:
    """What checking an edge table reads: the edges themselves, and what their mark compares them with."""
    mark = edges.mark
    return (edges.sources, edges.targets, *mark.arrays, repr(mark.properties()), *mark.content(edges, graph))
