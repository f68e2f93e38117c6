"""Applying strategies by their JSON arguments, and a source that all of them can work on."""

from typing import Any

import pytest

from app.errors import TransformError
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.transform.registry import strategy_named
from tests.evolution.test_differential import parts, round_trip
from tests.support.hand_made import HandMade, source, table
from tests.support.random_transform import edge_ids, node_ids


def applied(graph: PropertyGraph, tool: str, **arguments: Any) -> PropertyGraph:
    strategy = strategy_named(tool)
    return strategy.apply(graph, strategy.parse(arguments))


def operation(graph: PropertyGraph, op: str, **fields: Any) -> PropertyGraph:
    return applied(graph, "optimize_graph", operations=[{"op": op, **fields}])


def reason(graph: PropertyGraph, tool: str, **arguments: Any) -> object:
    """The stable reason for which a strategy, or an operation of optimize_graph, is refused."""
    before = graph.digest
    with pytest.raises(TransformError) as caught:
        operation(graph, **arguments) if tool == "optimize_graph" else applied(graph, tool, **arguments)
    assert caught.value.code == "transform_invalid"
    assert graph.digest == before
    return caught.value.where["reason"]


def check_whole(made: HandMade, graph: PropertyGraph) -> None:
    """Nothing of the source is lost, and the document says the same."""
    assert made.integrity.errors(graph) == []
    assert made.integrity.errors(graph, checked=made.graph) == []
    assert parts(round_trip(graph)) == parts(graph)


def edges_of(graph: PropertyGraph, type_: str) -> EdgeTable:
    return next(edges for edges in graph.edge_tables if edges.type == type_)


def pairs(edges: EdgeTable) -> list[tuple[int, int]]:
    return list(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True))


def row_id(graph: PropertyGraph, label: str, row: int) -> str:
    return node_ids(graph, label)[row]


def edge_id(graph: PropertyGraph, type_: str, edge: int) -> str:
    return edge_ids(graph)[type_][edge]


def market() -> HandMade:
    """People with bosses and tags, things, and purchases that are bridge rows, some of them incomplete."""
    return source(
        table(
            "person",
            {
                "id": ("INTEGER", [1, 2, 3, 4]),
                "name": ("TEXT", ["Ann", "Bo", "Cy", "Di"]),
                "city": ("TEXT", ["Rome", "Oslo", None, "Oslo"]),
                "tags": ("TEXT", ["p, q", "q", None, ",r,q,r"]),
                "boss": ("INTEGER", [None, 1, 1, 3]),
            },
            references={"boss": ("person", ["id"])},
        ),
        table(
            "thing", {"id": ("INTEGER", [1, 2]), "title": ("TEXT", ["pen", "ink"]), "city": ("TEXT", ["Oslo", "Bern"])}
        ),
        table(
            "bought",
            {
                "person_id": ("INTEGER", [1, 1, 2, 4, None]),
                "thing_id": ("INTEGER", [1, 1, 2, 9, 1]),
                "n": ("REAL", [5.0, 5.0, None, 2.5, 1.0]),
            },
            [],
            references={"person_id": ("person", ["id"]), "thing_id": ("thing", ["id"])},
        ),
        table(
            "knows",
            {"a": ("INTEGER", [1, 2]), "b": ("INTEGER", [2, 2]), "since": ("INTEGER", [2001, None])},
            ["a"],
            references={"a": ("person", ["id"]), "b": ("person", ["id"])},
        ),
    )


def shortcuts(graph: PropertyGraph) -> list[EdgeTable]:
    """The edge tables of materialized paths."""
    return [edges for edges in graph.edge_tables if edges.mark.is_shortcut]
