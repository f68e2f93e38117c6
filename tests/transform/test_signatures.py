"""Signatures tell kind and structure, and nothing of the source."""

from typing import Any

import pytest

from app.transform.registry import STRATEGIES, strategy_named
from tests.transform.support import applied, market

PERSON = {"table": "bought", "columns": ["person_id"], "ref_table": "person", "ref_columns": ["id"]}
THING = {"table": "bought", "columns": ["thing_id"], "ref_table": "thing", "ref_columns": ["id"]}
COLLAPSE = {"op": "collapse_node", "table": "bought", "edge_type": "Q"}
EXTRACT = {
    "op": "extract_property_node",
    "table": "person",
    "property": "city",
    "node_type": "Q",
    "edge_type": "Q2",
    "remove_from_node": True,
}
MOVE = {"op": "node_property_to_edge", "table": "bought", "property": "n", "edge_type": "THING"}
RENAME = {"op": "rename_type", "target": "edge", "old_type": "THING", "new_type": "Q"}
SIGNATURES: list[tuple[str, dict[str, Any], str | None]] = [
    (
        "connect_columns",
        {"table": "person", "columns": ["city"], "ref_table": "thing", "ref_columns": ["city"]},
        "connect_columns|1 columns|few pairs",
    ),
    (
        "materialize_join",
        {"path": [{**PERSON, "direction": "reverse"}, {**THING, "direction": "forward"}]},
        "materialize_join|reverse|forward|few paths",
    ),
    (
        "generate_entity_table",
        {"table": "person", "column": "city", "node_type": "Q"},
        "generate_entity_table|text|many values",
    ),
    (
        "unfold_multi_category",
        {"table": "person", "column": "tags", "node_type": "Q"},
        "unfold_multi_category|few parts",
    ),
    ("add_primary_key", {"table": "person", "columns": ["name"]}, "add_primary_key|1 columns|second key"),
    ("remove_primary_key", {"table": "person"}, "remove_primary_key"),
    ("optimize_graph", {"operations": [COLLAPSE]}, "optimize_graph|collapse_node|table"),
    ("optimize_graph", {"operations": [EXTRACT]}, "optimize_graph|extract_property_node|text|table|moved"),
    ("optimize_graph", {"operations": [MOVE]}, "optimize_graph|node_property_to_edge|table|moved"),
    ("optimize_graph", {"operations": [RENAME, RENAME]}, "optimize_graph|rename_type|edge"),
    (
        "optimize_graph",
        {"operations": [{"op": "delete", "target": "edge", "type": "Q"}]},
        "optimize_graph|delete|edge|whole",
    ),
    (
        "optimize_graph",
        {"operations": [{"op": "reverse_edges", "edge_type": "Q"}]},
        "optimize_graph|reverse_edges",
    ),
    ("optimize_graph", {"operations": [RENAME, COLLAPSE]}, None),
    ("transform_batch", {"steps": [{"tool": "remove_primary_key", "arguments": {"table": "person"}}]}, None),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), SIGNATURES)
def test_a_signature_is_structure_alone(tool: str, arguments: dict[str, Any], expected: str | None) -> None:
    strategy = strategy_named(tool)
    assert strategy.signature(market().graph, strategy.parse(arguments)) == expected


def test_all_strategies_have_one() -> None:
    assert {tool for tool, _, _ in SIGNATURES} == {strategy.name for strategy in STRATEGIES}


def test_the_schema_of_arguments_names_all_operations() -> None:
    schema = strategy_named("optimize_graph").arguments.model_json_schema()
    mapping = schema["properties"]["operations"]["items"]["discriminator"]["mapping"]
    assert len(mapping) == 6
    assert applied(market().graph, "optimize_graph", operations=[RENAME]).edge_tables[2].type == "Q"
