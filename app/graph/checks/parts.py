"""What a check of a graph reads: where two graphs share all of it, the check of one holds for the other.

Columns and arrays are immutable, so the same object has the same content. Parts are compared by identity, and flags,
numbers and names among them by value.
"""

from collections.abc import Iterator

from app.graph.model.marks import CollapsedRowMark, UnfoldedCategoryMark
from app.graph.model.property_graph import ENTITY_VALUE, EdgeTable, PropertyGraph
from app.graph.model.rows import attribute_ends, edge_end
from app.tables.schema import ForeignKey

Parts = tuple[object, ...]


def same(left: Parts, right: Parts) -> bool:
    """Whether two graphs share these parts."""
    return len(left) == len(right) and all(map(_is_same, left, right))


def _is_same(left: object, right: object) -> bool:
    return left is right or (isinstance(left, str | bool | int) and left == right)


def column_parts(graph: PropertyGraph, table: str, column: str) -> Parts:
    """What resolving a column reads."""
    nodes = graph.rows_of(table)
    own = (nodes.count, nodes.schema, nodes.row_index, nodes.columns.get(column), nodes.absent.get(column))
    on_edges = [part for edges in graph.collapsed_rows(table) for part in _row_edge_parts(edges, column)]
    return (*own, *on_edges, *_entity_parts(graph, table, column), *_relocated_parts(graph, table, column))


def _row_edge_parts(edges: EdgeTable, column: str) -> Iterator[object]:
    if isinstance(edges.mark, CollapsedRowMark):
        yield from (edges.mark.row_index, edges.mark.columns.get(column))


def _entity_parts(graph: PropertyGraph, table: str, column: str) -> Iterator[object]:
    own = graph.rows_of(table).label
    for edges in graph.attribute_edges(table, column):
        (label, rows), (entity_label, entities) = attribute_ends(graph, edges)
        yield from (label == own, rows, entities, _entity_value(graph, entity_label))


def _entity_value(graph: PropertyGraph, label: str) -> object:
    nodes = graph.node_tables.get(label)
    return None if nodes is None else nodes.columns.get(ENTITY_VALUE)


def _relocated_parts(graph: PropertyGraph, table: str, column: str) -> Iterator[object]:
    own = graph.rows_of(table).label
    for edges, moved in graph.relocated(table, column):
        label, ends = edge_end(edges, moved)
        yield from (label == own, ends, moved.edges, moved.values)


def key_parts(graph: PropertyGraph, key: ForeignKey) -> Parts:
    """What following a foreign key reads."""
    child, parent = graph.rows_of(key.table), graph.rows_of(key.ref_table)
    found: list[object] = [child.count, child.row_index, parent.count, parent.row_index]
    for edges in graph.foreign_key_tables(key):
        found += [edges.sources, edges.targets, edges.source_label == child.label, edges.target_label == parent.label]
    for edges in graph.collapsed_rows(key.table):
        mark = edges.mark
        if isinstance(mark, CollapsedRowMark):
            ends = [edges.source_label == parent.label, edges.target_label == parent.label]
            found += [mark.row_index, mark.source_key, mark.target_key, edges.sources, edges.targets, *ends]
    return tuple(found)


def edge_parts(graph: PropertyGraph, edges: EdgeTable) -> Parts:
    """What an edge table itself holds, and the entities it reaches."""
    mark = edges.mark
    held: list[object] = [edges.sources, edges.targets, *mark.arrays, repr(mark.properties())]
    if isinstance(mark, UnfoldedCategoryMark):
        held += [_entity_value(graph, edges.source_label), _entity_value(graph, edges.target_label)]
    return tuple(held)
