"""reverse_edges, rename_type, connect_columns, unfold_multi_category and proposed keys."""

from typing import Any

import pytest

from app.graph.marks.column_join import ColumnJoinMark
from tests.support.hand_made import HandMade, source, table
from tests.transform.support import (
    applied,
    check_whole,
    edge_id,
    edges_of,
    market,
    operation,
    pairs,
    reason,
    row_id,
)

NEAR = {"table": "person", "columns": ["city"], "ref_table": "thing", "ref_columns": ["city"]}
TAGS = {"table": "person", "column": "tags", "node_type": "Tag"}


@pytest.fixture
def made() -> HandMade:
    return market()


def test_equal_values_are_joined(made: HandMade) -> None:
    graph = applied(made.graph, "connect_columns", edge_type="NEAR", **NEAR)
    assert pairs(edges_of(graph, "NEAR")) == [(1, 0), (3, 0)]
    check_whole(made, graph)
    assert applied(graph, "connect_columns", **NEAR) is graph


def test_many_rows_may_have_one_value(made: HandMade) -> None:
    join = {"table": "thing", "columns": ["city"], "ref_table": "person", "ref_columns": ["city"]}
    graph = applied(made.graph, "connect_columns", **join)
    assert pairs(edges_of(graph, "CITY")) == [(0, 1), (0, 3)]
    check_whole(made, graph)


def test_values_are_equal_as_sqlite_compares_them() -> None:
    made = source(
        table("a", {"id": ("INTEGER", [1, 2, 3]), "x": ("TEXT", ["7", "x", None])}),
        table("b", {"id": ("INTEGER", [7, 8]), "y": ("", ["X", "x"])}),
    )
    graph = applied(made.graph, "connect_columns", table="a", columns=["x"], ref_table="b", ref_columns=["id"])
    assert pairs(edges_of(graph, "X")) == [(0, 0)]
    both = applied(graph, "connect_columns", table="a", columns=["x"], ref_table="b", ref_columns=["y"])
    assert pairs(edges_of(both, "X_2")) == [(1, 1)]
    check_whole(made, both)


def test_a_declared_key_has_its_edges_already(made: HandMade) -> None:
    key = {"table": "PERSON", "columns": ["BOSS"], "ref_table": "person", "ref_columns": ["id"]}
    assert applied(made.graph, "connect_columns", **key) is made.graph


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"table": "nothing"}, "table_unknown"),
        ({"columns": ["colour"]}, "property_unknown"),
        ({"columns": ["city", "name"]}, "column_count_differs"),
        ({"ref_table": "person"}, "columns_identical"),
        ({"edge_type": "BOSS"}, "type_taken"),
        ({"columns": []}, "arguments_invalid"),
    ],
)
def test_joins_that_are_refused(made: HandMade, fields: dict[str, Any], expected: str) -> None:
    assert reason(made.graph, "connect_columns", **{**NEAR, **fields}) == expected


def test_categories_keep_their_positions(made: HandMade) -> None:
    graph = applied(made.graph, "unfold_multi_category", **TAGS)
    assert graph.node_tables["Tag"].columns["value"].to_list() == ["p", "q", "r"]
    edges = edges_of(graph, "HAS_TAGS")
    assert list(zip(edges.sources.tolist(), edges.mark.arrays[0].tolist(), edges.targets.tolist(), strict=True)) == [
        (0, 0, 0),
        (0, 1, 1),
        (1, 0, 1),
        (3, 1, 2),
        (3, 2, 1),
        (3, 3, 2),
    ]
    assert graph.rows_of("person") is made.graph.rows_of("person")
    check_whole(made, graph)
    assert applied(graph, "unfold_multi_category", **TAGS) is graph


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"table": "nothing"}, "table_unknown"),
        ({"column": "colour"}, "property_unknown"),
        ({"column": "id"}, "nothing_to_unfold"),
        ({"delimiter": "|"}, "nothing_to_unfold"),
        ({"delimiter": ""}, "arguments_invalid"),
        ({"node_type": "Thing"}, "type_taken"),
        ({"edge_type": "BOSS"}, "type_taken"),
    ],
)
def test_unfoldings_that_are_refused(made: HandMade, fields: dict[str, Any], expected: str) -> None:
    assert reason(made.graph, "unfold_multi_category", **{**TAGS, **fields}) == expected


def test_a_proposed_key_is_kept_with_the_schema_as_it_was(made: HandMade) -> None:
    graph = applied(made.graph, "add_primary_key", table="person", columns=["Name"])
    assert graph.rows_of("person").identity_key == ("name",)
    assert graph.rows_of("person").schema == made.schema.table("person")
    assert row_id(graph, "person", 0) == row_id(made.graph, "person", 0)
    check_whole(made, graph)
    assert applied(graph, "add_primary_key", table="person", columns=["name"]) is graph
    assert applied(graph, "remove_primary_key", table="person").digest == made.graph.digest


@pytest.mark.parametrize(
    ("name", "columns", "expected"),
    [
        ("person", ["city"], "key_has_null"),
        ("thing", ["title", "title"], "column_repeated"),
        ("bought", ["thing_id"], "key_not_unique"),
        ("person", ["colour"], "property_unknown"),
        ("nothing", ["id"], "table_unknown"),
        ("person", [], "arguments_invalid"),
    ],
)
def test_keys_that_are_refused(made: HandMade, name: str, columns: list[str], expected: str) -> None:
    assert reason(made.graph, "add_primary_key", table=name, columns=columns) == expected


def test_one_key_a_table_and_its_fields_stay(made: HandMade) -> None:
    graph = applied(made.graph, "add_primary_key", table="person", columns=["name"])
    assert reason(graph, "add_primary_key", table="person", columns=["id", "name"]) == "key_exists"
    move = {"op": "node_property_to_edge", "table": "person", "property": "name", "edge_type": "BOSS"}
    assert reason(graph, "optimize_graph", **move) == "key_property"
    moved = operation(made.graph, **move)
    assert reason(moved, "add_primary_key", table="person", columns=["name"]) == "property_moved"
    assert reason(made.graph, "remove_primary_key", table="person") == "no_identity_key"


def test_a_key_of_a_table_without_nodes_is_refused() -> None:
    rows = table("t", {"id": ("INTEGER", []), "x": ("TEXT", [])})
    assert reason(source(rows).graph, "add_primary_key", table="t", columns=["x"]) == "no_nodes"


def test_edges_run_the_other_way_and_back(made: HandMade) -> None:
    graph = applied(made.graph, "connect_columns", edge_type="NEAR", **NEAR)
    reversed_ = operation(graph, "reverse_edges", edge_type="NEAR")
    edges = edges_of(reversed_, "NEAR")
    assert (edges.source_label, edges.target_label, pairs(edges)) == ("thing", "person", [(0, 1), (0, 3)])
    assert isinstance(edges.mark, ColumnJoinMark)
    assert edges.mark.reverse
    check_whole(made, reversed_)
    assert operation(reversed_, "reverse_edges", edge_type="NEAR").digest == graph.digest


def test_single_edges_are_reversed(made: HandMade) -> None:
    graph = applied(made.graph, "unfold_multi_category", **TAGS)
    one = operation(graph, "reverse_edges", edge_ids=[edge_id(graph, "HAS_TAGS", 4)])
    assert sorted(len(edges) for edges in one.edge_tables if edges.type == "HAS_TAGS") == [1, 5]
    check_whole(made, one)


def test_rows_that_are_edges_keep_their_roles(made: HandMade) -> None:
    graph = operation(made.graph, "collapse_node", table="bought", edge_type="BOUGHT")
    move = {"table": "person", "property": "name", "edge_type": "BOUGHT"}
    graph = operation(graph, "node_property_to_edge", **move)
    check_whole(made, graph)
    reversed_ = operation(graph, "reverse_edges", edge_type="BOUGHT")
    assert edges_of(reversed_, "BOUGHT").relocated[0].end == "target"
    check_whole(made, reversed_)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"edge_type": "BOSS"}, "reference_direction"),
        ({"edge_type": "none"}, "type_unknown"),
        ({"edge_ids": ["edge_" + "f" * 40]}, "id_unknown"),
        ({"edge_ids": ["nonsense"]}, "id_unknown"),
        ({"edge_ids": []}, "arguments_invalid"),
        ({}, "arguments_invalid"),
    ],
)
def test_reversals_that_are_refused(made: HandMade, fields: dict[str, Any], expected: str) -> None:
    assert reason(made.graph, "optimize_graph", op="reverse_edges", **fields) == expected


def test_types_are_renamed_and_identities_stay(made: HandMade) -> None:
    graph = applied(made.graph, "generate_entity_table", table="person", column="city", node_type="City")
    ids = {label: row_id(graph, label, 0) for label in ("person", "City")}
    for old, new in (("person", "Person"), ("City", "Place"), ("Place", "Town")):
        graph = operation(graph, "rename_type", target="node", old_type=old, new_type=new)
        check_whole(made, graph)
    graph = operation(graph, "rename_type", target="edge", old_type="BOSS", new_type="LED_BY")
    assert {"person": row_id(graph, "Person", 0), "City": row_id(graph, "Town", 0)} == ids
    assert pairs(edges_of(graph, "LED_BY")) == pairs(edges_of(made.graph, "BOSS"))
    check_whole(made, graph)
    back = operation(graph, "rename_type", target="node", old_type="Person", new_type="person")
    back = operation(back, "rename_type", target="edge", old_type="LED_BY", new_type="BOSS")
    back = operation(back, "rename_type", target="node", old_type="Town", new_type="City")
    first = applied(made.graph, "generate_entity_table", table="person", column="city", node_type="City")
    assert back.digest == first.digest


def test_shared_columns_are_not_copied(made: HandMade) -> None:
    graph = operation(made.graph, "rename_type", target="node", old_type="person", new_type="Human")
    assert graph.rows_of("person").columns is made.graph.rows_of("person").columns


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"target": "node", "old_type": "none", "new_type": "x"}, "type_unknown"),
        ({"target": "node", "old_type": "person", "new_type": "THING"}, "type_taken"),
        ({"target": "edge", "old_type": "none", "new_type": "x"}, "type_unknown"),
        ({"target": "edge", "old_type": "BOSS", "new_type": "THING"}, "type_taken"),
        ({"target": "edge", "old_type": "BOSS", "new_type": ""}, "arguments_invalid"),
        ({"target": "graph", "old_type": "BOSS", "new_type": "x"}, "arguments_invalid"),
    ],
)
def test_renamings_that_are_refused(made: HandMade, fields: dict[str, Any], expected: str) -> None:
    assert reason(made.graph, "optimize_graph", op="rename_type", **fields) == expected
