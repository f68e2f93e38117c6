"""Row resolution: the source rows that a graph holds, read from the graph alone.

A row is a node, or an edge that joins the two rows it references. A field of a node's row stands on the node, or with
an attribute entity, or on edges of the row; if it stands in several places they must agree. Nothing is read from
the source, and nothing is made up: what is lost, doubled or contradicts itself is a `GraphInvalidError` that names
table, column and row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.errors import GraphInvalidError
from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.row_edges import RelocatedAttribute, RowEdges
from app.tables.column import Column, concatenated
from app.tables.comparison import differing
from app.tables.dictionary import BoolArray, IntArray
from app.tables.schema import ForeignKey, TableSchema
from app.tables.table import Table


def resolve_rows(graph: PropertyGraph, table: str) -> Table:
    """All rows of a source table in row order, with every column of its schema.

    A column that no transformation has touched is the node table's own.
    """
    located = row_locations(graph, table)
    columns = {name: _column(graph, located, name) for name in located.schema.column_names}
    return Table(located.schema, columns, located.count)


def resolve_column(graph: PropertyGraph, table: str, column: str) -> Column:
    """One column of `resolve_rows`."""
    return _column(graph, row_locations(graph, table), column)


@dataclass(frozen=True, eq=False, slots=True)
class RowLocations:
    """Where the rows of a table are: nodes, and edges; `count` rows in all."""

    schema: TableSchema
    nodes: NodeTable
    collapsed: tuple[EdgeTable, ...]
    count: int

    @property
    def is_plain(self) -> bool:
        """Whether node i is row i, and no row is an edge."""
        return self.nodes.row_index is None and not self.collapsed


def row_locations(graph: PropertyGraph, table: str) -> RowLocations:
    """Where a table's rows are; each of them must be in one place."""
    nodes = graph.rows_of(table)
    assert nodes.schema is not None, "rows_of returns source rows"
    collapsed = graph.collapsed_rows(table)
    located = RowLocations(nodes.schema, nodes, collapsed, nodes.count + sum(map(len, collapsed)))
    if not located.is_plain:
        _check_row_indexes(located)
    return located


def _check_row_indexes(located: RowLocations) -> None:
    table = located.schema.name
    rows = np.concatenate([located.nodes.rows, *(row_edges(edges).row_index for edges in located.collapsed)])
    outside = rows[(rows < 0) | (rows >= located.count)]
    held = np.bincount(rows[(rows >= 0) & (rows < located.count)], minlength=located.count)
    doubled = np.flatnonzero(held > 1)
    if len(doubled):
        row = int(doubled[0])
        raise GraphInvalidError(f"Table {table}: row {row + 1} stands in two places.", table=table, row=row + 1)
    if len(outside):
        row = int(np.flatnonzero(held == 0)[0])
        message = f"Table {table}: row {row + 1} is missing; the row_index values are not 0, 1, 2, … once each."
        raise GraphInvalidError(message, table=table, row=row + 1)


def row_edges(edges: EdgeTable) -> RowEdges:
    """The rows that the edges of a table are."""
    assert edges.mark.rows is not None, "these edges are rows"
    return edges.mark.rows


@dataclass(frozen=True, eq=False, slots=True)
class _Piece:
    """Cells of some rows of one column, and where they stand."""

    rows: IntArray
    values: Column
    place: str


def _column(graph: PropertyGraph, located: RowLocations, name: str) -> Column:
    nodes = located.nodes
    own = nodes.columns.get(name)
    if own is not None and len(own) != nodes.count:
        raise _error(located, name, f"has {len(own)} values for {nodes.count} nodes")
    elsewhere = list(_elsewhere(graph, located, name))
    if own is not None and located.is_plain and name not in nodes.absent:
        _check_agreement(located, name, own, elsewhere)
        return own
    pieces = [*_on_nodes(nodes, own, name), *_on_edges(located, name), *elsewhere]
    if len(pieces) == 1 and len(pieces[0].rows) == located.count and _ascends(pieces[0].rows):
        return pieces[0].values
    column = _placed(located, name, pieces)
    if sum(len(piece.rows) for piece in pieces) > located.count:
        _check_agreement(located, name, column, pieces)
    return column


def _error(located: RowLocations, column: str, problem: str) -> GraphInvalidError:
    table = located.schema.name
    message = f"Field {column} of node type {located.nodes.label} {problem}."
    return GraphInvalidError(message, table=table, column=column)


def _on_nodes(nodes: NodeTable, own: Column | None, name: str) -> Iterator[_Piece]:
    if own is None or nodes.count == 0:
        return
    absent = nodes.absent.get(name)
    if absent is None:
        yield _Piece(nodes.rows, own, "its node")
    else:
        present = np.flatnonzero(~absent)
        yield _Piece(nodes.rows[present], own.take(present), "its node")


def _on_edges(located: RowLocations, name: str) -> Iterator[_Piece]:
    for edges in located.collapsed:
        held = row_edges(edges)
        values = held.columns.get(name)
        if values is None or len(values) != len(edges):
            raise _error(located, name, f"is not on the edges {edges.type} that are its rows")
        yield _Piece(held.row_index, values, f"its edge {edges.type}")


def _elsewhere(graph: PropertyGraph, located: RowLocations, name: str) -> Iterator[_Piece]:
    """What attribute entities and edges hold of a column."""
    table = located.schema.name
    for edges in graph.attribute_edges(table, name):
        nodes, entities = attribute_ends(graph, edges)
        yield _Piece(_rows_at(located, name, nodes, edges.type), _entity_values(graph, edges, entities), edges.type)
    for edges, moved in graph.relocated(table, name):
        yield _relocated(located, edges, moved)


def attribute_ends(graph: PropertyGraph, edges: EdgeTable) -> tuple[tuple[str, IntArray], tuple[str, IntArray]]:
    """The ends of attribute edges: node type and offsets of the rows, then of the entities."""
    source, target = (edges.source_label, edges.sources), (edges.target_label, edges.targets)
    nodes = graph.node_tables.get(edges.source_label)
    return (source, target) if nodes is not None and nodes.is_rows else (target, source)


def _rows_at(located: RowLocations, name: str, end: tuple[str, IntArray], edge_type: str) -> IntArray:
    """The rows at one end of edges that hold a field for them: each row at most once, and of this table."""
    label, offsets = end
    if label != located.nodes.label:
        raise _error(located, name, f"has edges {edge_type} that end at nodes of type {label}")
    _check_offsets(located, name, offsets, located.nodes.count, edge_type)
    if not _ascends(offsets) and np.bincount(offsets).max() > 1:
        raise _error(located, name, f"has two edges {edge_type} at one row")
    return located.nodes.rows[offsets] if located.nodes.row_index is not None else offsets


def _ascends(offsets: IntArray) -> bool:
    return bool(np.all(offsets[1:] > offsets[:-1]))


def _check_offsets(located: RowLocations, name: str, offsets: IntArray, count: int, edge_type: str) -> None:
    if len(offsets) and not (offsets.min() >= 0 and offsets.max() < count):
        raise _error(located, name, f"has edges {edge_type} that end at nodes which do not exist")


def _entity_values(graph: PropertyGraph, edges: EdgeTable, end: tuple[str, IntArray]) -> Column:
    label, offsets = end
    entities = graph.node_tables.get(label)
    values = None if entities is None or entities.is_rows else entities.columns.get(ENTITY_VALUE)
    if entities is None or values is None or len(values) != entities.count:
        raise GraphInvalidError(f"Edges {edges.type} end at nodes of type {label}, which have no value.", table=label)
    if len(offsets) and not (offsets.min() >= 0 and offsets.max() < entities.count):
        raise GraphInvalidError(f"Edges {edges.type} end at nodes of type {label} that do not exist.", table=label)
    found = values.take(offsets)
    if found.null_count():
        raise GraphInvalidError(f"An entity of type {label} has no value.", table=label, column=ENTITY_VALUE)
    return found


def _relocated(located: RowLocations, edges: EdgeTable, moved: RelocatedAttribute) -> _Piece:
    label, ends = edge_end(edges, moved)
    if label != located.nodes.label:
        raise _error(located, moved.column, f"is on edges {edges.type}, of which its row is not an end")
    if len(moved.values) != len(moved.edges) or (len(moved.edges) and moved.edges.max() >= len(edges)):
        raise _error(located, moved.column, f"has other values than edges {edges.type}")
    offsets = ends[moved.edges]
    _check_offsets(located, moved.column, offsets, located.nodes.count, edges.type)
    return _Piece(located.nodes.rows[offsets], moved.values, f"its edge {edges.type}")


def edge_end(edges: EdgeTable, moved: RelocatedAttribute) -> tuple[str, IntArray]:
    """Node type and offsets at the end whose rows a relocated field belongs to."""
    is_source = moved.end == "source"
    return (edges.source_label, edges.sources) if is_source else (edges.target_label, edges.targets)


def _placed(located: RowLocations, name: str, pieces: Sequence[_Piece]) -> Column:
    """The cells in row order, each from the first piece that has it."""
    first = np.full(located.count, -1, np.int64)
    starts = np.cumsum([0, *(len(piece.rows) for piece in pieces)])
    for piece, start in reversed(list(zip(pieces, starts.tolist(), strict=False))):
        first[piece.rows] = start + np.arange(len(piece.rows))
    lost = np.flatnonzero(first < 0)
    if len(lost):
        table, row = located.schema.name, int(lost[0]) + 1
        whole = len(lost) == located.count
        message = f"has lost the field {name}." if whole else f"has lost the field {name} of row {row}."
        raise GraphInvalidError(f"Node type {located.nodes.label} {message}", table=table, column=name, row=row)
    return concatenated([piece.values for piece in pieces]).take(first)


def _check_agreement(located: RowLocations, name: str, column: Column, pieces: Sequence[_Piece]) -> None:
    for piece in pieces:
        at = column.take(piece.rows)
        wrong = np.flatnonzero(differing(at, piece.values))
        if len(wrong):
            table, row = located.schema.name, int(piece.rows[wrong[0]]) + 1
            held, other = at.cell(int(wrong[0])), piece.values.cell(int(wrong[0]))
            message = f"Table {table}, row {row}: {name} is {held!r}, and {other!r} at {piece.place}."
            raise GraphInvalidError(message, table=table, column=name, row=row)


def foreign_key_pointers(graph: PropertyGraph, key: ForeignKey) -> IntArray:
    """For each child row the parent row that it references, or -1, from edges and from rows that are edges."""
    child, parent = row_locations(graph, key.table), row_locations(graph, key.ref_table)
    edges = graph.foreign_key_edges(key)
    _check_ends(key, edges, child.nodes, parent.nodes)
    if child.is_plain and parent.nodes.row_index is None and _is_total(edges.sources, child.count):
        return edges.targets
    pairs = [(child.nodes.rows[edges.sources], edges.targets)]
    for rows in child.collapsed:
        pairs.extend(_row_ends(key, rows, parent.nodes))
    pointers = np.full(child.count, -1, np.int64)
    for children, parents in pairs:
        pointers[children] = parent.nodes.rows[parents]
    if np.count_nonzero(pointers >= 0) != sum(len(children) for children, _ in pairs):
        raise GraphInvalidError(f"Foreign key {key.label}: a row has more than one edge.", table=key.table)
    return pointers


def _is_total(sources: IntArray, count: int) -> bool:
    return len(sources) == count and np.array_equal(sources, np.arange(count))


def _check_ends(key: ForeignKey, edges: EdgeTable, child: NodeTable, parent: NodeTable) -> None:
    if (edges.source_label, edges.target_label) != (child.label, parent.label):
        raise GraphInvalidError(f"Foreign key {key.label}: its edges end at other node types.", table=key.table)
    for ends, nodes in ((edges.sources, child), (edges.targets, parent)):
        if len(ends) and not (ends.min() >= 0 and ends.max() < nodes.count):
            raise GraphInvalidError(f"Foreign key {key.label}: an edge ends nowhere.", table=key.table)


def _row_ends(key: ForeignKey, edges: EdgeTable, parent: NodeTable) -> Iterator[tuple[IntArray, IntArray]]:
    """The rows that are edges, and the node of the parent at the end that plays the key's role."""
    held = row_edges(edges)
    roles = (
        (held.source_key, edges.source_label, edges.sources),
        (held.target_key, edges.target_label, edges.targets),
    )
    for role, label, ends in roles:
        if role != key:
            continue
        if label != parent.label or (len(ends) and not (ends.min() >= 0 and ends.max() < parent.count)):
            message = f"Edges {edges.type}: the row_endpoints name {key.label}, but the edges end at {label}."
            raise GraphInvalidError(message, table=key.table)
        yield held.row_index, ends


def present(nodes: NodeTable, name: str) -> BoolArray:
    """For each node whether it holds a field itself."""
    if name not in nodes.columns:
        return np.zeros(nodes.count, np.bool_)
    absent = nodes.absent.get(name)
    return np.ones(nodes.count, np.bool_) if absent is None else ~absent
