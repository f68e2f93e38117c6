"""What the arguments of a transformation name: tables, fields, nodes and edges, singly or by type."""

from collections.abc import Sequence

import numpy as np

from app.errors import NotFoundError
from app.graph.model.edge_key import Digests
from app.graph.model.identity import EDGE_PREFIX, edge_digests, node_digests, node_prefix
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeMark, EdgeTable, PropertyGraph
from app.tables.dictionary import IntArray
from app.tables.schema import TableSchema
from app.transform.strategy import refused, schema_of
from app.values import fold_identifier

INTERNAL_PROPERTIES = frozenset({"data", "table", "row_index", "relational_schema", "identity_key"})
"""What nodes of rows hold beside their fields; none of it can be moved."""


def table_named(graph: PropertyGraph, name: str, tool: str) -> TableSchema:
    """The table of that name, by SQLite's ASCII case rule."""
    try:
        return schema_of(graph).table(name)
    except NotFoundError as error:
        raise refused(tool, "table_unknown", error.message, hint=error.hint, table=name) from error


def column_named(schema: TableSchema, name: str, tool: str) -> str:
    """The column of that name as its schema spells it."""
    try:
        return schema.column(name).name
    except NotFoundError as error:
        reason = "property_internal" if name in INTERNAL_PROPERTIES else "property_unknown"
        raise refused(tool, reason, error.message, hint=error.hint, table=schema.name, column=name) from error


def key_columns(nodes: NodeTable) -> set[str]:
    """The fields that a row is identified by; they stay on its node."""
    return set(nodes.identity_key) | set(nodes.schema.primary_key if nodes.schema else ())


def check_not_key(nodes: NodeTable, column: str, tool: str) -> None:
    """Refuse to take a key's field from its node."""
    if column in key_columns(nodes):
        raise refused(
            tool, "key_property", f"{column} identifies the rows of {nodes.label} and stays on them.", column=column
        )


def check_node_type(graph: PropertyGraph, node_type: str, tool: str) -> None:
    """Refuse a node type that another type or a source table has, or that identities of entities are made of."""
    taken = {fold_identifier(label) for label in graph.node_tables}
    taken |= {fold_identifier(schema.name) for schema in graph.row_tables}
    taken |= {fold_identifier(nodes.identity_type) for nodes in graph.node_tables.values()}
    if fold_identifier(node_type) in taken:
        raise refused(
            tool,
            "type_taken",
            f"the node type {node_type} exists already.",
            hint="An entity type may not take the name of a source table, or what another type is or was called.",
            node_type=node_type,
        )


def check_edge_type(graph: PropertyGraph, edge_type: str, mark: EdgeMark | None, tool: str) -> None:
    """Refuse an edge type that edges of another meaning have."""
    for edges in graph.edge_tables:
        same = mark is not None and edges.mark.properties() == mark.properties()
        if edges.type == edge_type and not same and len(edges):
            raise refused(
                tool,
                "type_taken",
                f"edges of another meaning have the type {edge_type}.",
                hint="Choose another edge_type.",
                edge_type=edge_type,
            )


def nodes_by_id(graph: PropertyGraph, ids: Sequence[str], tool: str) -> dict[str, IntArray]:
    """The offsets of these nodes by node type, ascending; identities are computed one type at a time."""
    wanted = set(ids)
    found: dict[str, IntArray] = {}
    for label, nodes in graph.node_tables.items():
        own = {id_ for id_ in wanted if id_.startswith(node_prefix(nodes))}
        if own:
            offsets, seen = _located(node_digests(nodes), node_prefix(nodes), own)
            wanted -= seen
            if len(offsets):
                found[label] = offsets
    _check_found(wanted, "node", tool)
    return found


def edges_by_id(graph: PropertyGraph, ids: Sequence[str], tool: str) -> dict[int, IntArray]:
    """The offsets of these edges by the place of their edge table, ascending."""
    wanted = set(ids)
    nodes: dict[str, Digests] = _LazyDigests(graph)
    found: dict[int, IntArray] = {}
    for number, edges in enumerate(graph.edge_tables):
        if wanted and len(edges):
            offsets, seen = _located(edge_digests(edges, graph, nodes), EDGE_PREFIX, wanted)
            wanted -= seen
            if len(offsets):
                found[number] = offsets
    _check_found(wanted, "edge", tool)
    return found


class _LazyDigests(dict[str, Digests]):
    """Node digests by type, computed when they are first read."""

    def __init__(self, graph: PropertyGraph) -> None:
        super().__init__()
        self._graph = graph

    def __missing__(self, label: str) -> Digests:
        self[label] = node_digests(self._graph.node_tables[label])
        return self[label]


def _located(digests: Digests, prefix: str, ids: set[str]) -> tuple[IntArray, set[str]]:
    """Where identities stand, and which of them: first by their first 8 bytes, then in full."""
    digits = {id_.removeprefix(prefix): id_ for id_ in ids if len(id_) == len(prefix) + 40}
    heads = np.array([int(text[:16], 16) for text in digits if _is_hex(text)], np.uint64)
    own = np.ascontiguousarray(digests[:, :8]).view(">u8").ravel().astype(np.uint64)
    offsets, seen = [], set()
    for offset in np.flatnonzero(np.isin(own, heads)).tolist():
        id_ = digits.get(digests[offset].tobytes().hex())
        if id_ is not None:
            offsets.append(offset)
            seen.add(id_)
    return np.array(offsets, np.int64), seen


def _is_hex(text: str) -> bool:
    return set(text) <= set("0123456789abcdef")


def _check_found(missing: set[str], what: str, tool: str) -> None:
    if missing:
        raise refused(tool, "id_unknown", f"there is no {what} {min(missing)}.", id=min(missing))


def edges_of_type(graph: PropertyGraph, edge_type: str, tool: str) -> dict[int, IntArray]:
    """All edges of a type, as `edges_by_id` would find them."""
    found = {
        number: np.arange(len(edges))
        for number, edges in enumerate(graph.edge_tables)
        if edges.type == edge_type and len(edges)
    }
    if not found:
        raise refused(tool, "type_unknown", f"there is no edge of type {edge_type}.", edge_type=edge_type)
    return found


def replaced_edges(graph: PropertyGraph, changed: dict[int, list[EdgeTable]]) -> PropertyGraph:
    """The graph with each of these edge tables, by place, replaced by others."""
    tables: list[EdgeTable] = []
    for number, edges in enumerate(graph.edge_tables):
        tables.extend(part for part in changed.get(number, [edges]) if len(part) or part is edges)
    return graph.with_edges(tables)


def rest_of(edges: EdgeTable, selected: IntArray) -> EdgeTable:
    """The edges that are not selected."""
    rest = np.ones(len(edges), np.bool_)
    rest[selected] = False
    return edges.take(np.flatnonzero(rest))
