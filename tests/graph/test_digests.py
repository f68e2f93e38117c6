"""Graphs that say the same have one digest, whatever way they came about."""

from typing import Any

import numpy as np
import pytest

from app.graph.model.node_table import NodeTable
from app.tables.column import column_of
from tests.evolution.test_differential import parts, round_trip
from tests.transform.support import check_whole, market, operation, row_id

N: dict[str, Any] = {"property": "n", "node_type": "Number", "edge_type": "HAS_N", "remove_from_node": True}


@pytest.mark.parametrize("collapsed", [[0, 1], [2], [0, 1, 2]])
@pytest.mark.parametrize("extracted", [[0], [3, 4], [2, 3, 4], [0, 1, 2, 3, 4]])
def test_fields_that_are_absent_from_some_nodes_or_from_all(collapsed: list[int], extracted: list[int]) -> None:
    made = market()
    rows = [row for row in extracted if row != 2]  # n is NULL in row 2, which keeps its field
    graph = operation(
        made.graph, "extract_property_node", node_ids=[row_id(made.graph, "bought", n) for n in rows], **N
    )
    for row in collapsed:
        if row not in rows:
            id_ = row_id(made.graph, "bought", row)
            graph = operation(graph, "collapse_node", node_id=id_, edge_type="BOUGHT")
    check_whole(made, graph)
    assert parts(round_trip(graph)) == parts(graph)


def test_a_field_that_no_node_has_is_no_column() -> None:
    columns = {"a": column_of([1, 2, 3]), "b": column_of([None, None, "x"])}
    table = NodeTable("t", 3, columns, absent={"b": np.array([True, True, False])})
    without = NodeTable("t", 2, {"a": column_of([1, 2])})
    taken = table.take(np.array([0, 1]))
    assert (taken.digest, set(taken.columns), taken.absent) == (without.digest, {"a"}, {})
    assert table.take(np.array([2])).absent == {}
    assert NodeTable("t", 0, {"a": column_of([])}).digest == NodeTable("t", 0, {}).digest
