"""What the rules propose for measured hotspots, and that it does lower the work."""

from typing import Any

import pytest

from app.evolution.rules import propose
from app.transform.registry import strategy_named
from tests.executor.support import Source

SQL = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT, status TEXT, city_id INTEGER REFERENCES city(id));
CREATE TABLE visit (person_id INTEGER REFERENCES person(id), day TEXT, n INTEGER);
INSERT INTO city VALUES (1, 'Rome'), (2, 'Oslo');
INSERT INTO person VALUES (1, 'a@x', 'new', 1), (2, 'b@x', 'old', 2), (3, 'c@x', 'old', 2), (4, 'd@x', 'old', NULL);
INSERT INTO visit VALUES (1, 'mo', 1), (1, 'tu', 2), (2, 'mo', 3), (3, 'mo', 4);
"""
PERSON = {"table": "visit", "columns": ["person_id"], "ref_table": "person", "ref_columns": ["id"]}
CITY = {"table": "person", "columns": ["city_id"], "ref_table": "city", "ref_columns": ["id"]}
HOPS = [
    {"from": "t0", "table": "person", "alias": "t1", "foreign_key": PERSON, "direction": "forward", "type": "inner"},
    {"from": "t1", "table": "city", "alias": "t2", "foreign_key": CITY, "direction": "forward", "type": "inner"},
]
PLANS: dict[str, dict[str, Any]] = {
    "status": {
        "root": {"table": "person", "alias": "t0"},
        "filters": [{"column": "t0.status", "op": "eq", "value": "new"}],
        "projection": ["t0.id"],
    },
    "email": {
        "root": {"table": "person", "alias": "t0"},
        "filters": [{"column": "t0.email", "op": "eq", "value": "c@x"}],
        "projection": ["t0.id"],
    },
    "groups": {
        "root": {"table": "person", "alias": "t0"},
        "group_by": ["t0.email"],
        "aggregations": [{"function": "count", "column": "*", "as": "n"}],
    },
    "path": {"root": {"table": "visit", "alias": "t0"}, "joins": HOPS, "projection": ["t0.n", "t2.name"]},
}
KEY = ("add_primary_key", {"table": "person", "columns": ["email"]})


@pytest.fixture(scope="module")
def source() -> Source:
    return Source.of(SQL)


def proposals(source: Source, *names: str, graph: Any = None) -> list[tuple[str, dict[str, Any]]]:
    plans = [source.bind({**PLANS[name], "id": name}) for name in names]
    found = propose(graph or source.graph, plans, dict.fromkeys(names, 1.0), 0.05)
    return [(proposal.tool, dict(proposal.arguments)) for proposal in found]


def test_a_filter_of_few_rows_asks_for_entities(source: Source) -> None:
    assert proposals(source, "status") == [
        ("generate_entity_table", {"table": "person", "column": "status", "node_type": "person status"})
    ]


@pytest.mark.parametrize("name", ["email", "groups"])
def test_a_column_that_tells_rows_apart_asks_for_a_key(source: Source, name: str) -> None:
    assert KEY in proposals(source, name)


def test_a_chain_of_joins_asks_for_its_path(source: Source) -> None:
    path = [{**PERSON, "direction": "forward"}, {**CITY, "direction": "forward"}]
    assert proposals(source, "path") == [("materialize_join", {"path": path})]


def test_a_batch_takes_all_with_paths_last(source: Source) -> None:
    batch = next(arguments for tool, arguments in proposals(source, *PLANS) if tool == "transform_batch")
    tools = [step["tool"] for step in batch["steps"]]
    assert tools[-1] == "materialize_join"
    assert {"generate_entity_table", "add_primary_key"} <= set(tools)


def test_each_proposal_can_be_applied_and_keeps_the_answers(source: Source) -> None:
    for tool, arguments in proposals(source, *PLANS):
        strategy = strategy_named(tool)
        graph = strategy.apply(source.graph, strategy.parse(arguments))
        assert graph.digest != source.graph.digest
        for plan in PLANS.values():
            source.rows(plan, graph)


def test_what_is_done_is_not_proposed_again(source: Source) -> None:
    graph = source.graph
    for tool, arguments in [KEY, *proposals(source, "status"), *proposals(source, "path")]:
        strategy = strategy_named(tool)
        graph = strategy.apply(graph, strategy.parse(arguments))
    assert proposals(source, *PLANS, graph=graph) == []


def test_a_path_over_rows_that_are_edges_is_not_proposed() -> None:
    source = Source.of(SQL.replace("n INTEGER);", "n INTEGER REFERENCES city(id));"))
    strategy = strategy_named("optimize_graph")
    collapse = {"op": "collapse_node", "table": "visit", "edge_type": "VISITED"}
    graph = strategy.apply(source.graph, strategy.parse({"operations": [collapse]}))
    assert proposals(source, "path", graph=graph) == []
