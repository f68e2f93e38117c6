from dataclasses import replace

import numpy as np
import pytest

from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.tables.column import Column, column_of
from tests.support.hand_made import HandMade, shop


def with_column(graph: PropertyGraph, table: str, name: str, column: Column) -> PropertyGraph:
    nodes = graph.rows_of(table)
    return graph.with_tables([replace(nodes, columns={**nodes.columns, name: column})])


def with_edges(graph: PropertyGraph, type_: str, change: dict[str, object]) -> PropertyGraph:
    edges = tuple(replace(e, **change) if e.type == type_ else e for e in graph.edge_tables)  # type: ignore[arg-type]
    return replace(graph, edge_tables=edges)


def edges_of(graph: PropertyGraph, type_: str) -> EdgeTable:
    return next(edges for edges in graph.edge_tables if edges.type == type_)


@pytest.fixture
def made() -> HandMade:
    return shop()


def test_g0_is_whole(made: HandMade) -> None:
    assert made.integrity.errors(made.graph) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["paid", "open", "paid", "open", "open"], "column status, row 4: 'open', the source has 'paid'"),
        (["paid", "open", "paid", None, "open"], "column status, row 4: None"),
        (["paid", "open", "paid", 1, "open"], "column status, row 4: 1"),
    ],
)
def test_a_changed_cell_is_named(made: HandMade, values: list[object], message: str) -> None:
    graph = with_column(made.graph, "orders", "status", column_of(values))  # type: ignore[arg-type]
    assert any(message in error for error in made.integrity.errors(graph))


def test_a_number_of_another_type_is_a_change(made: HandMade) -> None:
    graph = with_column(made.graph, "orders", "amount", column_of([5, 7.5, None, 2.5, 1.0]))
    assert made.integrity.errors(graph) == ["Table orders, column amount, row 1: 5, the source has 5.0."]


def test_a_lost_column_is_named(made: HandMade) -> None:
    nodes = made.graph.rows_of("orders")
    columns = {name: column for name, column in nodes.columns.items() if name != "amount"}
    graph = made.graph.with_tables([replace(nodes, columns=columns)])
    assert made.integrity.errors(graph) == ["Node type orders has lost the field amount."]


def test_a_lost_row_is_an_error(made: HandMade) -> None:
    nodes = made.graph.rows_of("line")
    shorter = replace(nodes, count=3, columns={n: c.take(np.arange(3)) for n, c in nodes.columns.items()})
    assert "Table line: 3 rows, the source has 4." in made.integrity.errors(made.graph.with_tables([shorter]))


def test_a_lost_edge_is_named(made: HandMade) -> None:
    edges = edges_of(made.graph, "CUSTOMER")
    graph = with_edges(made.graph, "CUSTOMER", {"sources": edges.sources[1:], "targets": edges.targets[1:]})
    (error,) = made.integrity.errors(graph)
    assert (
        error
        == "Foreign key orders(customer_id) -> customer(id), row 1: the edge is missing; the source points to row 1."
    )


def test_an_edge_to_another_row_is_named(made: HandMade) -> None:
    edges = edges_of(made.graph, "CUSTOMER")
    graph = with_edges(made.graph, "CUSTOMER", {"targets": np.array([0, 3, 1])})
    assert len(edges) == 3
    assert "row 2: the edge leads to row 4; the source points to row 1" in made.integrity.errors(graph)[0]


def test_an_invented_edge_is_named(made: HandMade) -> None:
    graph = with_edges(made.graph, "CUSTOMER", {"sources": np.arange(4), "targets": np.array([0, 0, 1, 2])})
    assert "row 4: the edge leads to row 3; the source points nowhere" in made.integrity.errors(graph)[0]


def test_a_doubled_edge_is_an_error(made: HandMade) -> None:
    graph = with_edges(made.graph, "CUSTOMER", {"sources": np.array([0, 0, 1, 2]), "targets": np.array([0, 0, 0, 1])})
    assert "more than one edge" in made.integrity.errors(graph)[0]


def test_a_lost_edge_type_is_named(made: HandMade) -> None:
    graph = replace(made.graph, edge_tables=made.graph.edge_tables[1:])
    assert made.integrity.errors(graph) == ["The graph has no edges for customer(country_code) -> country(code)."]


def test_swapped_endpoint_types_are_an_error(made: HandMade) -> None:
    edges = edges_of(made.graph, "CUSTOMER")
    swapped = {"source_label": "customer", "target_label": "orders", "sources": edges.targets, "targets": edges.sources}
    assert "other node types" in made.integrity.errors(with_edges(made.graph, "CUSTOMER", swapped))[0]


def test_a_doubled_edge_table_is_an_error(made: HandMade) -> None:
    graph = replace(made.graph, edge_tables=(*made.graph.edge_tables, made.graph.edge_tables[0]))
    assert "declares once" in made.integrity.errors(graph)[0]
