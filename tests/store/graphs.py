"""Small graphs for the tests of the store."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.tables.column import column_of
from app.tables.schema import ForeignKey
from app.values import Scalar


def node_table(label: str, count: int, **columns: Sequence[Scalar]) -> NodeTable:
    return named_node_table(label, count, columns)


def named_node_table(label: str, count: int, columns: Mapping[str, Sequence[Scalar]]) -> NodeTable:
    return NodeTable(label, count, {name: column_of(list(values)) for name, values in columns.items()})


def edge_table(type_: str, source: str, target: str, pairs: Sequence[tuple[int, int]]) -> EdgeTable:
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    mark = ForeignKeyMark(ForeignKey(source, (type_,), target, ("id",)))
    return EdgeTable(type_, source, target, ends[:, 0].copy(), ends[:, 1].copy(), mark)


def graph_of(*tables: NodeTable | EdgeTable) -> PropertyGraph:
    nodes = {table.label: table for table in tables if isinstance(table, NodeTable)}
    return PropertyGraph(nodes, tuple(table for table in tables if isinstance(table, EdgeTable)))


def people(count: int = 3) -> PropertyGraph:
    """`count` people, each knowing the next, the last knowing the first."""
    pairs = [(person, (person + 1) % count) for person in range(count)]
    return graph_of(
        node_table("Person", count, id=list(range(count)), name=[f"person {person}" for person in range(count)]),
        edge_table("KNOWS", "Person", "Person", pairs),
    )
