"""Whether every node and every edge has an identity of its own.

An identity is the digest of a key (see `identity`). Keys of different heads differ, so that only nodes and edges of one
head are compared, by their values and offsets and without computing any digest. Edges are told apart by the nodes at
their ends, which have identities of their own.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from app.budget import check_deadline
from app.graph.model.edge_key import EdgeKey
from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.shared_content import same
from app.tables.column import concatenated
from app.tables.comparison import exact_codes, first_twins

_Head = tuple[str, ...]
"""What the keys of edges have in common: their beginning, and the types of their nodes."""


def identity_errors(graph: PropertyGraph, checked: PropertyGraph | None) -> Iterator[str]:
    """Where two nodes or two edges have one identity; what `checked` shares is skipped.

    Rows, references and derived edges were found right before.
    """
    yield from _entity_errors(graph, checked)
    known = {} if checked is None else _by_head(checked)
    for head, found in _by_head(graph).items():
        check_deadline()
        columns = [column for _, key in found for column in key.columns]
        if same(tuple(columns), tuple(column for _, key in known.get(head, ()) for column in key.columns)):
            continue
        twins = first_twins([np.concatenate(parts) for parts in zip(*(key.columns for _, key in found), strict=True)])
        if twins:
            types = sorted({edges.type for edges, _ in found})
            yield f"Edge type {', '.join(types)}: edges {twins[0] + 1} and {twins[1] + 1} have one identity."


def _by_head(graph: PropertyGraph) -> Mapping[_Head, list[tuple[EdgeTable, EdgeKey]]]:
    found: defaultdict[_Head, list[tuple[EdgeTable, EdgeKey]]] = defaultdict(list)
    for edges in graph.edge_tables:
        key = edges.mark.identity(edges, graph)
        found[(key.head, *(label for label, _ in key.nodes))].append((edges, key))
    return found


def _entity_errors(graph: PropertyGraph, checked: PropertyGraph | None) -> Iterator[str]:
    known = {} if checked is None else _by_identity_type(checked)
    for identity, tables in _by_identity_type(graph).items():
        columns = [nodes.columns[ENTITY_VALUE] for nodes in tables]
        if same(tuple(columns), tuple(nodes.columns[ENTITY_VALUE] for nodes in known.get(identity, ()))):
            continue
        if first_twins([exact_codes(concatenated(columns))]):
            labels = " and ".join(nodes.label for nodes in tables)
            yield f"Node type {labels}: two entities of {identity} have the same value."


def _by_identity_type(graph: PropertyGraph) -> Mapping[str, list[NodeTable]]:
    found: defaultdict[str, list[NodeTable]] = defaultdict(list)
    for nodes in graph.node_tables.values():
        if not nodes.is_rows:
            found[nodes.identity_type].append(nodes)
    return found
