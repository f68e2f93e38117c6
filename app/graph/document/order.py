"""The nodes and edges of a graph with their identities, and the order in which a document has them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from app.budget import check_deadline
from app.graph.model.edge_key import Digests
from app.graph.model.identity import (
    EDGE_PREFIX,
    edge_digests,
    hex_ids,
    node_digests,
    node_prefix,
    sort_order,
)
from app.graph.model.property_graph import PropertyGraph
from app.tables.dictionary import IntArray

T = TypeVar("T")

Maker = Callable[[IntArray], list[T]]
"""Makes the elements at these row offsets of one table."""


@dataclass(frozen=True, eq=False, slots=True)
class IdentifiedGraph:
    """A graph with the identities of all its nodes, by node type, and of its edges, by edge table."""

    graph: PropertyGraph
    node_digests: Mapping[str, Digests]
    edge_digests: Sequence[Digests]

    @classmethod
    def of(cls, graph: PropertyGraph) -> "IdentifiedGraph":
        """Identities take 20 bytes each."""
        nodes = {label: node_digests(table) for label, table in graph.node_tables.items()}
        return cls(graph, nodes, [edge_digests(edges, graph, nodes) for edges in graph.edge_tables])

    def node_ids(self, label: str, offsets: IntArray) -> list[str]:
        """The ids of these nodes of a type."""
        return hex_ids(node_prefix(self.graph.node_tables[label]), self.node_digests[label][offsets])

    def nodes(self, makers: Sequence[Maker[T]], size: int) -> Iterator[list[T]]:
        """All nodes by id, up to `size` at once, as the makers of their tables make them."""
        prefixes = [node_prefix(nodes) for nodes in self.graph.node_tables.values()]
        return _in_order(prefixes, [self.node_digests[label] for label in self.graph.node_tables], makers, size)

    def edges(self, makers: Sequence[Maker[T]], size: int) -> Iterator[list[T]]:
        """All edges by id, up to `size` at once, as the makers of their tables make them."""
        return _in_order([EDGE_PREFIX] * len(self.edge_digests), self.edge_digests, makers, size)


def _in_order(
    prefixes: Sequence[str], digests: Sequence[Digests], makers: Sequence[Maker[T]], size: int
) -> Iterator[list[T]]:
    tables, rows = sort_order(prefixes, digests)
    for start in range(0, len(tables), size):
        check_deadline()
        piece = slice(start, start + size)
        yield _made(tables[piece], rows[piece], makers)


def _made(tables: IntArray, rows: IntArray, makers: Sequence[Maker[T]]) -> list[T]:
    """The elements at these rows of these tables, each table asked once."""
    elements = np.empty(len(tables), object)
    by_table = np.argsort(tables, kind="stable")
    bounds = np.flatnonzero(np.diff(tables[by_table])) + 1
    for mine in np.split(by_table, bounds):
        elements[mine] = makers[tables[mine[0]]](rows[mine])
    return list(elements.tolist())
