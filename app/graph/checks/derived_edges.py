"""Checks of the edges that say again what rows and references say: entities, categories, column joins and paths."""

from collections.abc import Iterator

import numpy as np

from app.budget import check_deadline
from app.errors import GraphInvalidError
from app.graph.checks.parts import Parts, column_parts, edge_parts, key_parts, same
from app.graph.derivation.categories import category_parts
from app.graph.derivation.column_pairs import are_equal, join_codes
from app.graph.derivation.paths import count_paths, is_hop
from app.graph.model.marks import ColumnJoinMark, ExtractedAttributeMark, MaterializedPathMark, UnfoldedCategoryMark
from app.graph.model.property_graph import ENTITY_VALUE, EdgeTable, NodeTable, PropertyGraph
from app.graph.model.rows import attribute_ends, resolve_column
from app.tables.comparison import differing
from app.tables.dictionary import BoolArray, IntArray


def derived_edge_errors(graph: PropertyGraph, checked: PropertyGraph | None) -> Iterator[str]:
    """What is wrong with derived edges and entities; those that `checked` shares are skipped.

    Rows and references were found right before.
    """
    known = None if checked is None else _Known(checked)
    for edges in graph.edge_tables:
        check_deadline()
        if known is None or not known.holds(_all_parts(graph, edges), edges):
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

    def holds(self, parts: Parts, edges: EdgeTable) -> bool:
        """Whether the graph has all that the check of an edge table reads."""
        twins = self._by_sources.get(id(edges.sources), ())
        return any(same(parts, _all_parts(self._graph, twin)) for twin in twins)


def _all_parts(graph: PropertyGraph, edges: EdgeTable) -> Parts:
    """What the check of an edge table reads."""
    mark, own = edges.mark, edge_parts(graph, edges)
    if isinstance(mark, MaterializedPathMark):
        return (*own, *(part for step in mark.path for part in key_parts(graph, step.foreign_key)))
    if isinstance(mark, UnfoldedCategoryMark):
        return (*own, *column_parts(graph, mark.table, mark.column))
    if isinstance(mark, ColumnJoinMark):
        key = mark.key
        read = [(key.table, name) for name in key.columns] + [(key.ref_table, name) for name in key.ref_columns]
        return (*own, *(part for table, name in read for part in column_parts(graph, table, name)))
    return own


def _errors(graph: PropertyGraph, edges: EdgeTable) -> Iterator[str]:
    mark = edges.mark
    try:
        if isinstance(mark, MaterializedPathMark):
            yield from _path_errors(graph, edges, mark)
        elif isinstance(mark, UnfoldedCategoryMark):
            yield from _category_errors(graph, edges, mark)
        elif isinstance(mark, ColumnJoinMark):
            yield from _join_errors(graph, edges, mark)
    except (GraphInvalidError, IndexError) as error:
        yield f"Edge type {edges.type}: {error}"


def _path_errors(graph: PropertyGraph, edges: EdgeTable, mark: MaterializedPathMark) -> Iterator[str]:
    stops = (edges.sources, *mark.inner_nodes, edges.targets)
    for step, start, end in zip(mark.path, stops, stops[1:], strict=False):
        wrong = np.flatnonzero(~is_hop(graph, step, start, end))
        if len(wrong):
            yield f"Edge type {edges.type}: {len(wrong)} paths take a hop that {step.foreign_key.label} does not have."
            return
    if len(edges) != (expected := count_paths(graph, mark.path)):
        yield f"Edge type {edges.type}: {len(edges)} paths, the graph has {expected}."


def _category_errors(graph: PropertyGraph, edges: EdgeTable, mark: UnfoldedCategoryMark) -> Iterator[str]:
    (label, nodes), (entity_label, entities) = attribute_ends(graph, edges)
    rows = graph.rows_of(mark.table)
    if label != rows.label:
        yield f"Edge type {edges.type}: it ends at nodes of type {label}, not at rows of {mark.table}."
        return
    expected = category_parts(resolve_column(graph, mark.table, mark.column), mark.delimiter)
    width = 1 + max(_greatest(expected.positions), _greatest(mark.positions))
    known, wanted = expected.rows * width + expected.positions, rows.rows[nodes] * width + mark.positions
    at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    found = known[at] == wanted if len(known) else np.zeros(len(wanted), np.bool_)
    values = graph.node_tables[entity_label].columns[ENTITY_VALUE].take(entities)
    wrong = ~found
    wrong[found] = differing(expected.texts.take(at[found]), values.take(np.flatnonzero(found)))
    if wrong.any():
        where = int(rows.rows[nodes[np.argmax(wrong)]]) + 1
        yield f"Edge type {edges.type}: a category of row {where} of {mark.table} is no part of its {mark.column}."


def _greatest(positions: IntArray) -> int:
    return int(positions.max()) if len(positions) else 0


def _join_errors(graph: PropertyGraph, edges: EdgeTable, mark: ColumnJoinMark) -> Iterator[str]:
    child, parent = graph.rows_of(mark.key.table), graph.rows_of(mark.key.ref_table)
    ends = [(edges.source_label, edges.sources), (edges.target_label, edges.targets)]
    (child_label, children), (parent_label, parents) = reversed(ends) if mark.reverse else ends
    if (child_label, parent_label) != (child.label, parent.label):
        yield f"Edge type {edges.type}: its edges end at other node types than {mark.key.label} joins."
        return
    right = are_equal(join_codes(graph, mark.key), child.rows[children], parent.rows[parents])
    if not right.all():
        row = int(child.rows[children[np.argmin(right)]]) + 1
        yield f"Edge type {edges.type}: row {row} of {mark.key.table} is joined to a row of another value."


def _entity_errors(graph: PropertyGraph, nodes: NodeTable) -> Iterator[str]:
    values = nodes.columns.get(ENTITY_VALUE)
    if values is None or values.null_count() or len(values) != nodes.count:
        yield f"Node type {nodes.label}: an entity has no value."
    elif not _reached(graph, nodes).all():
        yield f"Node type {nodes.label}: an entity that no row has."


def _reached(graph: PropertyGraph, nodes: NodeTable) -> BoolArray:
    reached = np.zeros(nodes.count, np.bool_)
    for edges in graph.edge_tables:
        if isinstance(edges.mark, ExtractedAttributeMark | UnfoldedCategoryMark):
            label, entities = attribute_ends(graph, edges)[1]
            if label == nodes.label:
                reached[entities] = True
    return reached
