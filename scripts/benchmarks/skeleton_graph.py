"""A graph of a million edges with a few rare things in it, and the facts that a schema of it should tell."""

from dataclasses import dataclass, field

import numpy as np

from app.graph.marks.collapsed_row import CollapsedRowMark
from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeMark, EdgeTable, PropertyGraph
from app.tables.column import Column, column_of, int_column
from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey

_COUNTRIES = 40
_KEY = ForeignKey("sale", ("buyer",), "customer", ("id",))

Connection = tuple[str, str, str]
"""Source label, relationship type, target label."""


@dataclass
class Facts:
    """What a schema tells: counts where it has them, and types of properties in Cypher's words, upper case."""

    labels: dict[str, int | None] = field(default_factory=dict)
    connections: dict[Connection, set[int]] = field(default_factory=dict)
    properties: set[tuple[str, str]] = field(default_factory=set)


def generated(edges: int) -> PropertyGraph:
    """Customers who bought products and services; one inspector who checked one customer; one gift."""
    random = np.random.default_rng(7)
    customers, offers = max(edges // 10, 10), max(edges // 1000, 5)
    to_services = edges // 10
    nodes = {
        "customer": _table("customer", customers, _customers(customers)),
        "product": _table("product", offers, {"price": column_of([number / 4 for number in range(offers)])}),
        "service": _table("service", offers, {}),
        "inspector": _table("inspector", 1, {"badge": column_of(["A-7"])}),
    }
    bought = _collapsed(random.integers(1, 10, edges))
    ends = random.integers(0, customers, edges), random.integers(0, offers, edges)
    parts = (slice(0, edges - to_services), "product"), (slice(edges - to_services, edges), "service")
    tables = [
        EdgeTable("BOUGHT", "customer", target, ends[0][part], ends[1][part], bought.take(np.arange(edges)[part]))
        for part, target in parts
    ]
    checked = _one("CHECKED", nodes["inspector"], nodes["customer"])
    return PropertyGraph(nodes, (*tables, checked, _one("GIFT", nodes["customer"], nodes["service"])))


def _table(label: str, count: int, columns: dict[str, Column]) -> NodeTable:
    return NodeTable(label, count, {"id": int_column(np.arange(count)), **columns})


def _customers(count: int) -> dict[str, Column]:
    """One customer alone has a note, and the code of one is a number where the others have texts."""
    return {
        "name": column_of([f"Customer {number}" for number in range(count)]),
        "country": column_of([f"C{number % _COUNTRIES}" for number in range(count)]),
        "code": column_of([*(f"K{number}" for number in range(count - 1)), 17]),
        "note": column_of([*[None] * (count - 2), "called twice", None]),
    }


def _collapsed(quantities: IntArray) -> EdgeMark:
    return CollapsedRowMark("sale", _KEY, _KEY, np.arange(len(quantities)), {"quantity": int_column(quantities)})


def _one(type_name: str, source: NodeTable, target: NodeTable) -> EdgeTable:
    """One edge between the last nodes of both."""
    ends = [np.array([table.count - 1]) for table in (source, target)]
    return EdgeTable(type_name, source.label, target.label, ends[0], ends[1], ForeignKeyMark(_KEY))


def facts_of(graph: PropertyGraph) -> Facts:
    """The truth."""
    return Facts(
        {label: table.count for label, table in graph.node_tables.items()},
        {(edges.source_label, edges.type, edges.target_label): {len(edges)} for edges in graph.edge_tables},
        {
            *(("id", "INTEGER"), ("name", "STRING"), ("country", "STRING"), ("code", "STRING"), ("code", "INTEGER")),
            *(("note", "STRING"), ("price", "FLOAT"), ("badge", "STRING"), ("quantity", "INTEGER")),
        },
    )
