"""One line for each kind of candidate that a build can try."""

from typing import Any

import pytest

from app.cli.results import _candidate
from app.transform.registry import STRATEGIES

STEP = {"table": "line", "columns": ["a"], "ref_table": "orders", "ref_columns": ["id"], "direction": "forward"}
BACK = {**STEP, "direction": "reverse"}
LINES: dict[str, tuple[dict[str, Any], str]] = {
    "connect_columns": (
        {"table": "a", "columns": ["x", "y"], "ref_table": "b", "ref_columns": ["x", "y"]},
        "connect_columns a.x.y",
    ),
    "materialize_join": ({"path": [STEP, BACK]}, "materialize_join line - orders - line"),
    "generate_entity_table": (
        {"table": "a", "column": "x", "node_type": "X"},
        "generate_entity_table a.x",
    ),
    "unfold_multi_category": ({"table": "a", "column": "x", "node_type": "X"}, "unfold_multi_category a.x"),
    "add_primary_key": ({"table": "a", "columns": ["x"]}, "add_primary_key a.x"),
    "remove_primary_key": ({"table": "a"}, "remove_primary_key a"),
    "optimize_graph": (
        {"operations": [{"op": "collapse_node"}, {"op": "rename_type"}]},
        "optimize_graph collapse_node, rename_type",
    ),
    "transform_batch": ({"steps": [{}, {}]}, "transform_batch of 2 steps"),
}


@pytest.mark.parametrize("strategy", [strategy.name for strategy in STRATEGIES])
def test_every_strategy_has_a_line(strategy: str) -> None:
    arguments, line = LINES[strategy]
    assert _candidate({"tool": strategy, "arguments": arguments}) == line
