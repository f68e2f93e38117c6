"""Identities of nodes and edges, computed when a document, an edit or a publish asks for them.

An identity is a prefix and the first 20 bytes (40 hexadecimal digits) of the SHA-256 of a canonical JSON key. Here
they are kept as arrays of shape (count, 20), uint8.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from app.budget import check_deadline
from app.graph.model.edge_key import Digests
from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.row_edges import RowEdges
from app.tables.column import Column
from app.tables.dictionary import IntArray
from app.tables.json_cells import chunks, json_cells
from app.tables.schema import TableSchema
from app.values import canonical_json

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
        return _keyed_digests([nodes.columns[ENTITY_VALUE]], _head(nodes.identity_type) + ",%s]", nodes.count)
    return row_digests(nodes.schema, nodes.columns, nodes.rows)


def row_digests(schema: TableSchema, columns: Mapping[str, Column], row_index: IntArray) -> Digests:
    """Identities of rows of a table, wherever they stand; `row_index` is their place in the table."""
    if schema.primary_key:
        keys = ",".join(["%s"] * len(schema.primary_key))
        template = f"{_head(schema.name, 'pk')},[{keys}]]"
        return _keyed_digests([columns[key] for key in schema.primary_key], template, len(row_index))
    head = canonical_json([schema.name, "position"])[:-1]
    return _digests(f"{head},{row}]" for row in row_index.tolist())


def _head(*parts: str) -> str:
    """The beginning of a key's JSON array, as a part of a %-template."""
    return canonical_json(parts)[:-1].replace("%", "%%")


def _keyed_digests(keys: Sequence[Column], template: str, count: int) -> Digests:
    parts = []
    for rows in chunks(np.arange(count)):
        check_deadline()
        cells = [json_cells(column.take(rows)) for column in keys]
        parts.append(_digests(map(template.__mod__, zip(*cells, strict=True))))
    return np.concatenate(parts) if parts else np.empty((0, _DIGEST_BYTES), np.uint8)


def _digests(keys: Iterable[str]) -> Digests:
    joined = b"".join(hashlib.sha256(key.encode("utf-8")).digest()[:_DIGEST_BYTES] for key in keys)
    return np.frombuffer(joined, np.uint8).reshape(-1, _DIGEST_BYTES)


def edge_digests(edges: EdgeTable, graph: PropertyGraph, nodes: Mapping[str, Digests]) -> Digests:
    """Identities of all edges of a table, from the digests of the node tables by label.

    See `EdgeKey` for what they are made of.
    """
    if edges.mark.rows is not None:
        return _row_edge_digests(graph, edges.mark.rows)
    key = edges.mark.identity(edges, graph)
    columns = [(node_prefix(graph.node_tables[label]), nodes[label], rows) for label, rows in key.nodes]
    parts = []
    for offsets in chunks(np.arange(len(edges))):
        check_deadline()
        ids = [hex_ids(prefix, digests[rows[offsets]]) for prefix, digests, rows in columns]
        numbers = None if key.number is None else key.number[offsets].tolist()
        parts.append(_digests(_edge_texts(key.head, list(zip(*ids, strict=True)), numbers)))
    return np.concatenate(parts) if parts else np.empty((0, _DIGEST_BYTES), np.uint8)


def _row_edge_digests(graph: PropertyGraph, held: RowEdges) -> Digests:
    schema = graph.rows_of(held.table).schema
    assert schema is not None, "rows have a schema"
    rows = hex_ids(ROW_PREFIX, row_digests(schema, held.columns, held.row_index))
    return _digests(f'["row","{row}"]' for row in rows)


def _edge_texts(head: str, keys: Sequence[Sequence[str]], numbers: Sequence[int] | None) -> Iterator[str]:
    joined = (f'{head},["' + '","'.join(key) + '"]' for key in keys)
    if numbers is None:
        return (text + "]" for text in joined)
    return (f"{text},{number}]" for text, number in zip(joined, numbers, strict=True))


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
