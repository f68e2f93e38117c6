"""Graphs with one planted fault each: integrity or evaluation finds it, by a full check and by an incremental one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.graph.checks.integrity import SourceIntegrity
from app.graph.g0 import match_references
from app.graph.marks.category import UnfoldedCategoryMark
from app.graph.marks.collapsed_row import CollapsedRowMark
from app.graph.marks.column_join import ColumnJoinMark
from app.graph.marks.materialized_path import MaterializedPathMark
from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.tables.column import Column, column_of
from app.transform.registry import strategy_named
from tests.executor.support import Source

SQL = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, city TEXT, tags TEXT, boss INTEGER REFERENCES person(id));
CREATE TABLE thing (id INTEGER PRIMARY KEY, title TEXT, city TEXT);
CREATE TABLE bought (person_id INTEGER REFERENCES person(id), thing_id INTEGER REFERENCES thing(id), n REAL, note TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, guest INTEGER REFERENCES person(id), grade TEXT);
INSERT INTO person VALUES (1, 'Ann', 'Rome', 'p,q', NULL), (2, 'Bo', 'Oslo', 'q', 1), (3, 'Cy', NULL, '', 1),
  (4, 'Di', 'Oslo', 'r,q', 9);
INSERT INTO thing VALUES (1, 'pen', 'Rome'), (2, 'ink', 'Bern');
INSERT INTO bought VALUES (1, 1, 5.0, 'a'), (1, 1, 5.0, 'a'), (2, 2, NULL, 'b'), (4, 1, 2.5, NULL), (NULL, 1, 1.0, 'c');
INSERT INTO visit VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, NULL), (4, NULL, 'z');
"""
STEPS: list[tuple[str, dict[str, Any]]] = [
    (
        "optimize_graph",
        {
            "operations": [
                {"op": "collapse_node", "table": "bought", "edge_type": "BOUGHT"},
                {
                    "op": "extract_property_node",
                    "table": "person",
                    "property": "city",
                    "node_type": "City",
                    "edge_type": "IN",
                    "remove_from_node": True,
                },
                {"op": "node_property_to_edge", "table": "visit", "property": "grade", "edge_type": "GUEST"},
            ]
        },
    ),
    ("unfold_multi_category", {"table": "person", "column": "tags", "node_type": "Tag", "edge_type": "TAG"}),
    (
        "connect_columns",
        {"table": "person", "columns": ["city"], "ref_table": "thing", "ref_columns": ["city"], "edge_type": "NEAR"},
    ),
    ("add_primary_key", {"table": "person", "columns": ["name"]}),
    (
        "materialize_join",
        {
            "edge_type": "PATH",
            "path": [
                {"table": "visit", "columns": ["guest"], "ref_table": "person", "ref_columns": ["id"]}
                | {"direction": "forward"},
                {"table": "person", "columns": ["boss"], "ref_table": "person", "ref_columns": ["id"]}
                | {"direction": "reverse"},
            ],
        },
    ),
]


@pytest.fixture(scope="module")
def whole() -> tuple[SourceIntegrity, PropertyGraph]:
    source = Source.of(SQL)
    tables = source.tables
    integrity = SourceIntegrity(tables.schema, tables.tables, match_references(tables.schema, tables.tables))
    graph = source.graph
    for tool, arguments in STEPS:
        strategy = strategy_named(tool)
        graph = strategy.apply(graph, strategy.parse(arguments))
    assert integrity.errors(graph) == []
    return integrity, graph


Fault = Callable[[PropertyGraph], PropertyGraph]


def edges_of(graph: PropertyGraph, type_: str) -> EdgeTable:
    return next(edges for edges in graph.edge_tables if edges.type == type_)


def with_edges(type_: str, change: Callable[[EdgeTable], EdgeTable]) -> Fault:
    """The graph in which all edges of a type are changed."""

    def planted(graph: PropertyGraph) -> PropertyGraph:
        return graph.with_edges([change(edges) if edges.type == type_ else edges for edges in graph.edge_tables])

    return planted


def with_nodes(label: str, change: Callable[[NodeTable], NodeTable]) -> Fault:
    return lambda graph: graph.with_tables([change(graph.node_tables[label])])


def without(type_: str, edge: int) -> Fault:
    return with_edges(type_, lambda edges: edges.take(np.delete(np.arange(len(edges)), edge)))


def doubled(type_: str) -> Fault:
    return with_edges(type_, lambda edges: edges.take(np.array([0, *range(len(edges))])))


def led_elsewhere(type_: str, edge: int, end: str = "targets") -> Fault:
    """One edge ends at the next node of its type instead."""

    def planted(graph: PropertyGraph) -> PropertyGraph:
        edges = edges_of(graph, type_)
        label = edges.target_label if end == "targets" else edges.source_label
        ends = getattr(edges, end).copy()
        ends[edge] = (ends[edge] + 1) % graph.node_tables[label].count
        return with_edges(type_, lambda edges: replace(edges, **{end: ends}))(graph)

    return planted


def swapped(type_: str) -> Fault:
    return with_edges(
        type_,
        lambda edges: replace(
            edges,
            source_label=edges.target_label,
            target_label=edges.source_label,
            sources=edges.targets,
            targets=edges.sources,
        ),
    )


def again(type_: str) -> Fault:
    """The last edge of a type stands once more, under another type."""

    def planted(graph: PropertyGraph) -> PropertyGraph:
        edges = edges_of(graph, type_)
        return graph.with_tables(edges=[replace(edges.take(np.array([len(edges) - 1])), type="AGAIN")])

    return planted


def turned(edges: EdgeTable) -> EdgeTable:
    """Column joins that run the other way and mean the same."""
    assert isinstance(edges.mark, ColumnJoinMark)
    ends = {"source_label": edges.target_label, "target_label": edges.source_label}
    return replace(edges, sources=edges.targets, targets=edges.sources, mark=replace(edges.mark, reverse=True), **ends)


def with_cells(column: Column, row: int, value: Any) -> Column:
    cells = column.to_list()
    cells[row] = value
    return column_of(cells)


def cell(label: str, name: str, row: int, value: Any) -> Fault:
    return with_nodes(
        label,
        lambda nodes: replace(nodes, columns={**nodes.columns, name: with_cells(nodes.columns[name], row, value)}),
    )


def row_edge(change: Callable[[CollapsedRowMark], CollapsedRowMark]) -> Fault:
    def changed(edges: EdgeTable) -> EdgeTable:
        assert isinstance(edges.mark, CollapsedRowMark)
        return replace(edges, mark=change(edges.mark))

    return with_edges("BOUGHT", changed)


def row_cell(name: str, row: int, value: Any) -> Fault:
    return row_edge(
        lambda mark: replace(mark, columns={**mark.columns, name: with_cells(mark.columns[name], row, value)})
    )


def moved_field(**change: Any) -> Fault:
    return with_edges("GUEST", lambda edges: replace(edges, relocated=(replace(edges.relocated[0], **change),)))


def positions(type_: str, values: list[int]) -> Fault:
    def changed(edges: EdgeTable) -> EdgeTable:
        assert isinstance(edges.mark, UnfoldedCategoryMark)
        return replace(edges, mark=replace(edges.mark, positions=np.array(values)))

    return with_edges(type_, changed)


def inner_node(edges: EdgeTable) -> EdgeTable:
    assert isinstance(edges.mark, MaterializedPathMark)
    return replace(edges, mark=replace(edges.mark, inner_nodes=(edges.mark.inner_nodes[0] + 1,)))


FAULTS: dict[str, Fault] = {
    "a dropped reference": without("GUEST", 0),
    "a doubled reference": doubled("GUEST"),
    "a reference to another row": led_elsewhere("BOSS", 0),
    "a reference from another row": led_elsewhere("BOSS", 0, "sources"),
    "references the wrong way round": swapped("GUEST"),
    "a lost edge type": lambda graph: graph.with_edges([e for e in graph.edge_tables if e.type != "BOSS"]),
    "a reference to a node that does not exist": with_edges(
        "BOSS", lambda edges: replace(edges, targets=edges.targets + 99)
    ),
    "a changed cell": cell("thing", "title", 0, "pencil"),
    "a cell of another type": cell("thing", "id", 0, 1.0),
    "a lost NULL": cell("visit", "guest", 3, 1),
    "a value that became NULL": cell("person", "name", 3, None),
    "a lost field": with_nodes("thing", lambda nodes: replace(nodes, columns={"id": nodes.columns["id"]})),
    "a field that no table has": with_nodes(
        "thing", lambda nodes: replace(nodes, columns={**nodes.columns, "extra": nodes.columns["id"]})
    ),
    "a lost row": with_nodes("bought", lambda nodes: nodes.take(np.empty(0, np.int64))),
    "a row in two places": with_nodes("bought", lambda nodes: replace(nodes, row_index=np.array([0]))),
    "a row of another number": with_nodes("bought", lambda nodes: replace(nodes, row_index=np.array([7]))),
    "a stale entity value": cell("City", ENTITY_VALUE, 0, "Paris"),
    "an entity without value": cell("City", ENTITY_VALUE, 1, None),
    "an entity type without values": with_nodes("City", lambda nodes: replace(nodes, columns={})),
    "two entities of one value": cell("City", ENTITY_VALUE, 1, "Rome"),
    "an edge to another entity": led_elsewhere("IN", 1),
    "an attribute edge from another row": led_elsewhere("IN", 0, "sources"),
    "a dropped attribute edge": without("IN", 2),
    "a doubled attribute edge": doubled("IN"),
    "attribute edges at another table": with_edges("IN", lambda edges: replace(edges, source_label="visit")),
    "a conflict of node and entity": with_nodes(
        "person",
        lambda nodes: replace(
            nodes,
            columns={**nodes.columns, "city": column_of(["Rome", "Rome", None, "Oslo"])},
            absent={},
        ),
    ),
    "a lost explicit NULL": with_nodes(
        "person",
        lambda nodes: replace(nodes, columns={n: c for n, c in nodes.columns.items() if n != "city"}, absent={}),
    ),
    "a dropped bridge row": without("BOUGHT", 1),
    "a doubled bridge row": doubled("BOUGHT"),
    "a bridge row between other rows": led_elsewhere("BOUGHT", 2),
    "bridge rows between swapped ends": swapped("BOUGHT"),
    "swapped row_endpoints": row_edge(
        lambda mark: replace(mark, source_key=mark.target_key, target_key=mark.source_key)
    ),
    "one row_endpoint for both ends": row_edge(lambda mark: replace(mark, target_key=mark.source_key)),
    "a changed cell of a bridge row": row_cell("n", 0, 6.0),
    "a NULL of a bridge row that got a value": row_cell("n", 2, 0.0),
    "a bridge row without a field": row_edge(
        lambda mark: replace(mark, columns={n: c for n, c in mark.columns.items() if n != "note"})
    ),
    "bridge rows in another order": row_edge(lambda mark: replace(mark, row_index=mark.row_index[::-1].copy())),
    "a relocated value on another edge": moved_field(edges=np.array([1, 0, 2])),
    "a changed relocated value": moved_field(values=column_of(["x", "Y", None])),
    "a lost relocated value": moved_field(edges=np.array([0, 1]), values=column_of(["x", "y"])),
    "a relocated field of the other end": moved_field(end="target"),
    "a relocated field of no column": moved_field(column="other"),
    "lost relocated fields": with_edges("GUEST", lambda edges: replace(edges, relocated=())),
    "a shortcut that misses one path": without("PATH", 1),
    "a shortcut that stands twice": doubled("PATH"),
    "a shortcut to another row": led_elsewhere("PATH", 0),
    "a shortcut by another row": with_edges("PATH", inner_node),
    "a category of another row": led_elsewhere("TAG", 0, "sources"),
    "another category": led_elsewhere("TAG", 0),
    "a category at another place": positions("TAG", [1, 0, 0, 0, 1]),
    "a category twice": doubled("TAG"),
    "a column join of other values": led_elsewhere("NEAR", 0),
    "a column join twice": doubled("NEAR"),
    "column joins the wrong way round": swapped("NEAR"),
    "a key with two equal rows": with_nodes("person", lambda nodes: replace(nodes, identity_key=("city",))),
    "a key of no column": with_nodes("person", lambda nodes: replace(nodes, identity_key=("other",))),
    "an entity that no row has": with_nodes(
        "Tag", lambda nodes: replace(nodes, count=4, columns={ENTITY_VALUE: column_of(["p", "q", "r", "s"])})
    ),
    "two entity types of one identity": lambda graph: graph.with_tables(
        [replace(graph.node_tables["City"], label="Place", identity="City")],
        [replace(edges_of(graph, "IN"), type="AT", target_label="Place")],
    ),
    "rows of one table under two types": lambda graph: replace(
        graph, node_tables={"two": replace(graph.node_tables["thing"], label="two"), **graph.node_tables}
    ),
    "a category again under another type": again("TAG"),
    "a column join again the other way round": lambda graph: graph.with_tables(edges=[turned(edges_of(graph, "NEAR"))]),
    "a bridge row again under another type": again("BOUGHT"),
    "another schema": with_nodes(
        "thing",
        lambda nodes: replace(nodes, schema=replace(nodes.schema, primary_key=())),  # type: ignore[type-var]
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(whole: tuple[SourceIntegrity, PropertyGraph], name: str) -> None:
    integrity, graph = whole
    faulty = FAULTS[name](graph)
    assert faulty.digest != graph.digest
    errors = integrity.errors(faulty)
    assert errors
    assert integrity.errors(faulty, checked=graph) == errors


def test_the_sum_of_kinds() -> None:
    assert len(FAULTS) >= 25
