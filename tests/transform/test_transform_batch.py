from typing import Any

import pytest

from app.errors import TransformError
from app.graph.model.property_graph import PropertyGraph
from app.transform.registry import STRATEGIES, strategy_named
from tests.support.hand_made import HandMade, shop
from tests.transform.support import shortcuts
from tests.transform.test_materialize_join import CUSTOMER, ORDER, forward

STATUS = {
    "tool": "generate_entity_table",
    "arguments": {"table": "customer", "column": "status", "node_type": "Status"},
}
PATH = {"tool": "materialize_join", "arguments": {"path": [forward(ORDER), forward(CUSTOMER)]}}


def batch(graph: PropertyGraph, *steps: dict[str, Any]) -> PropertyGraph:
    strategy = strategy_named("transform_batch")
    return strategy.apply(graph, strategy.parse({"steps": list(steps)}))


@pytest.fixture
def made() -> HandMade:
    return shop()


def test_all_steps_are_applied(made: HandMade) -> None:
    graph = batch(made.graph, STATUS, PATH)
    assert len(shortcuts(graph)) == 1
    assert len(graph.attribute_edges("customer", "status")) == 1
    assert made.integrity.errors(graph) == []


def test_its_steps_tell_what_they_add_to_the_graph_before_them(made: HandMade) -> None:
    strategy, graph, added = strategy_named("transform_batch"), made.graph, []
    for step, arguments in strategy.steps(strategy.parse({"steps": [STATUS, STATUS, PATH, PATH]})):
        added.append(step.added_size(graph, arguments))
        graph = step.apply(graph, arguments)
    assert added == [3, 0, 4, 0]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "at least 1"),
        ([PATH] * 7, "at most 6"),
        ([PATH, STATUS], "would make its paths stale"),
        ([{"tool": "transform_batch", "arguments": {"steps": [PATH]}}], "'transform_batch' cannot be a step"),
        ([{"tool": "explode", "arguments": {}}], "'explode' cannot be a step"),
        ([STATUS, {"tool": "materialize_join", "arguments": {"path": []}}], "at least 2"),
    ],
)
def test_what_is_refused(made: HandMade, steps: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(TransformError, match=message):
        batch(made.graph, *steps)


def test_the_order_of_strategies_is_fixed() -> None:
    assert [strategy.name for strategy in STRATEGIES] == [
        "connect_columns",
        "materialize_join",
        "generate_entity_table",
        "unfold_multi_category",
        "add_primary_key",
        "remove_primary_key",
        "optimize_graph",
        "transform_batch",
    ]


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(TransformError, match="no transformation 'explode'"):
        strategy_named("explode")


def test_a_step_may_need_what_one_before_it_makes(made: HandMade) -> None:
    rename = {"op": "rename_type", "target": "node", "old_type": "Status", "new_type": "State"}
    steps = [STATUS, {"tool": "optimize_graph", "arguments": {"operations": [rename]}}, PATH]
    assert "State" in batch(made.graph, *steps).node_tables


def test_a_graph_is_left_as_it_was_where_a_step_fails(made: HandMade) -> None:
    digest = made.graph.digest
    bad = {"tool": "add_primary_key", "arguments": {"table": "customer", "columns": ["status"]}}
    with pytest.raises(TransformError, match="NULL"):
        batch(made.graph, STATUS, bad)
    assert made.graph.digest == digest
