"""Identities of nodes and edges, computed when a document, an edit or a publish asks for them.

An identity is a prefix and the first 20 bytes (40 hexadecimal digits) of the SHA-256 of a canonical JSON key. Here
they are kept as arrays of shape (count, 20), uint8.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from app.budget import check_deadline
from app.graph.json_cells import chunks, json_cells
from app.graph.marks import ExtractedAttributeMark, ForeignKeyMark, MaterializedPathMark
from app.graph.property_graph import ENTITY_VALUE, EdgeTable, NodeTable, PropertyGraph
from app.tables.dictionary import IntArray
from app.values import canonical_json

Digests: TypeAlias = npt.NDArray[np.uint8]

ROW_PREFIX = "row_"
ENTITY_PREFIX = "entity_"
EDGE_PREFIX = "edge_"

_DIGEST_BYTES = 20


def node_prefix(nodes: NodeTable) -> str:
    """The prefix of a node table's identities."""
    return ROW_PREFIX if nodes.is_rows else ENTITY_PREFIX


def hex_ids(prefix: str, digests: Digests) -> list[str]:
    """The identities as texts."""
    digits = digests.tobytes().hex()
    width = 2 * _DIGEST_BYTES
    return [prefix + digits[start : start + width] for start in range(0, len(digits), width)]


def node_digests(nodes: NodeTable) -> Digests:
    """Identities of all nodes of a table: rows by key or position (see `values`), entities by type and value."""
    if nodes.schema is None:
        return _keyed_digests(nodes, _head(nodes.label) + ",%s]", (ENTITY_VALUE,))
    if nodes.schema.primary_key:
        keys = ",".join(["%s"] * len(nodes.schema.primary_key))
        return _keyed_digests(nodes, f"{_head(nodes.schema.name, 'pk')},[{keys}]]", nodes.schema.primary_key)
    head = canonical_json([nodes.schema.name, "position"])[:-1]
    return _digests(f"{head},{row}]" for row in range(nodes.count))


def _head(*parts: str) -> str:
    """The beginning of a key's JSON array, as a part of a %-template."""
    return canonical_json(parts)[:-1].replace("%", "%%")


def _keyed_digests(nodes: NodeTable, template: str, keys: Sequence[str]) -> Digests:
    parts = []
    for rows in chunks(np.arange(nodes.count)):
        check_deadline()
        cells = [json_cells(nodes.columns[key].take(rows)) for key in keys]
        parts.append(_digests(map(template.__mod__, zip(*cells, strict=True))))
    return np.concatenate(parts) if parts else np.empty((0, _DIGEST_BYTES), np.uint8)


def _digests(keys: Iterable[str]) -> Digests:
    joined = b"".join(hashlib.sha256(key.encode("utf-8")).digest()[:_DIGEST_BYTES] for key in keys)
    return np.frombuffer(joined, np.uint8).reshape(-1, _DIGEST_BYTES)


def edge_digests(edges: EdgeTable, graph: PropertyGraph, nodes: Mapping[str, Digests]) -> Digests:
    """Identities of all edges of a table, from the digests of the node tables by label.

    A foreign-key edge is its child row's; a path edge is its whole node sequence; an attribute edge is its row's.
    """
    head, endpoints = _edge_key(edges, graph)
    columns = [(node_prefix(graph.node_tables[label]), nodes[label], rows) for label, rows in endpoints]
    parts = []
    for offsets in chunks(np.arange(len(edges))):
        check_deadline()
        ids = [hex_ids(prefix, digests[rows[offsets]]) for prefix, digests, rows in columns]
        parts.append(_digests(_edge_text(head, key) for key in zip(*ids, strict=True)))
    return np.concatenate(parts) if parts else np.empty((0, _DIGEST_BYTES), np.uint8)


def _edge_text(head: str, node_ids: Iterable[str]) -> str:
    joined = '","'.join(node_ids)
    return f'{head},["{joined}"]]'


def _edge_key(edges: EdgeTable, graph: PropertyGraph) -> tuple[str, list[tuple[str, IntArray]]]:
    """The constant head of an edge's key, and the node offsets that complete it, each with its label."""
    source = (edges.source_label, edges.sources)
    mark = edges.mark
    if isinstance(mark, ForeignKeyMark):
        key: list[object] = ["foreign_key", mark.foreign_key.to_dict()]
        return canonical_json(key)[:-1], [source]
    if isinstance(mark, ExtractedAttributeMark):
        return canonical_json(["attribute", mark.table, mark.column, edges.target_label])[:-1], [source]
    key = ["path", edges.type, [step.to_dict() for step in mark.path]]
    return canonical_json(key)[:-1], [source, *_inner(mark, graph), (edges.target_label, edges.targets)]


def _inner(mark: MaterializedPathMark, graph: PropertyGraph) -> list[tuple[str, IntArray]]:
    labels = [graph.rows_of(step.target_table).label for step in mark.path[:-1]]
    return list(zip(labels, mark.inner_nodes, strict=True))


def sort_order(prefixes: Sequence[str], digests: Sequence[Digests]) -> tuple[IntArray, IntArray]:
    """The (table, row) offsets of all identities of several tables, in the order of their texts."""
    tables = np.repeat(np.arange(len(digests)), [len(part) for part in digests])
    rows = np.concatenate([np.arange(len(part)) for part in digests]) if digests else np.empty(0, np.int64)
    rank = np.unique(np.array(prefixes), return_inverse=True)[1] if prefixes else np.empty(0, np.int64)
    padded = np.zeros((len(tables), 24), np.uint8)
    if len(tables):
        padded[:, :_DIGEST_BYTES] = np.concatenate(digests)
    words = padded.view(">u8").astype(np.uint64)
    order = np.lexsort((words[:, 2], words[:, 1], words[:, 0], rank[tables]))
    return tables[order], rows[order]
