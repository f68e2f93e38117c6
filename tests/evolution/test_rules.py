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
        ("generate_entity_table", {"table": "person", "column": "status", "node_type": "person_status"})
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


def test_a_batch_gives_a_table_one_key() -> None:
    coded = Source.of("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT); INSERT INTO t VALUES (1, 'x', 'y')")
    root = {"table": "t", "alias": "t0"}
    plans = [
        coded.bind({"id": name, "root": root, "filters": [{"column": f"t0.{name}", "op": "eq", "value": "x"}],
                    "projection": ["t0.id"]})
        for name in ("a", "b")
    ]  # fmt: skip
    found = propose(coded.graph, plans, {"a": 1.0, "b": 1.0}, 0.05)
    assert [proposal.tool for proposal in found] == ["add_primary_key", "add_primary_key"]


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


MANY = Source.of(
    SQL.split("INSERT", maxsplit=1)[0]
    + "INSERT INTO city VALUES "
    + ", ".join(f"({n}, 'c{n}')" for n in range(4))
    + "; INSERT INTO person VALUES "
    + ", ".join(f"({n}, 'p{n}@x', '{'new' if n % 3 else 'old'}', {n % 4})" for n in range(40))
    + "; INSERT INTO visit VALUES "
    + ", ".join(f"({n % 40}, 'd{n % 7}', {n % 5})" for n in range(200))
)
COUNT = {"function": "count", "column": "*", "as": "n"}
FROM_CITIES = [
    {"from": "t0", "table": "person", "alias": "t1", "foreign_key": CITY, "direction": "reverse"},
    {"from": "t1", "table": "visit", "alias": "t2", "foreign_key": PERSON, "direction": "reverse"},
]
TO_OTHERS = [HOPS[0], {**HOPS[0], "from": "t1", "table": "visit", "alias": "t2", "direction": "reverse"}]
STATUS = {"table": "person", "column": "status", "node_type": "person_status"}


def wished(**plan: Any) -> list[tuple[str, dict[str, Any]]]:
    bound = MANY.bind({"id": "q", "root": {"table": "person", "alias": "t0"}, **plan})
    found = propose(MANY.graph, [bound], {"q": 1.0}, 0.05)
    return [(proposal.tool, dict(proposal.arguments)) for proposal in found]


def test_a_group_of_many_rows_asks_for_its_entities() -> None:
    assert wished(group_by=["t0.status"], aggregations=[COUNT]) == [("generate_entity_table", STATUS)]


def test_a_group_whose_rows_are_joined_asks_for_its_entities() -> None:
    visit = {"table": "visit", "alias": "t0"}
    assert wished(root=visit, joins=HOPS[:1], group_by=["t1.status"], aggregations=[COUNT]) == [
        ("generate_entity_table", STATUS)
    ]


def test_names_of_few_rows_that_many_are_joined_to_are_worth_entities() -> None:
    city = {"table": "city", "alias": "t0"}
    tools = [tool for tool, _ in wished(root=city, joins=FROM_CITIES, group_by=["t0.name"], aggregations=[COUNT])]
    assert "generate_entity_table" in tools
    assert "generate_entity_table" not in [tool for tool, _ in wished(group_by=["t0.email"], aggregations=[COUNT])]


def test_joins_that_do_not_run_forward_ask_for_entities_and_their_path_at_once() -> None:
    visit = {"table": "visit", "alias": "t0"}
    (batch,) = wished(root=visit, joins=TO_OTHERS, group_by=["t2.day"], aggregations=[COUNT])
    steps = batch[1]["steps"]
    assert batch[0] == "transform_batch"
    assert [step["tool"] for step in steps] == ["generate_entity_table", "materialize_join"]


def test_first_rows_ask_for_entities_of_what_they_are_ordered_by() -> None:
    order = [{"column": "t0.n", "direction": "desc"}, {"column": "t0.day"}]
    visit = {"table": "visit", "alias": "t0"}
    plan = {"root": visit, "projection": ["t0.n", "t0.day"], "order_by": order}
    entities = ("generate_entity_table", {"table": "visit", "column": "n", "node_type": "visit_n"})
    assert wished(**plan, limit=3) == [entities]
    assert wished(**plan) == []


def test_a_group_that_its_key_tells_apart_asks_for_no_other_key() -> None:
    assert wished(group_by=["t0.id", "t0.email"], aggregations=[COUNT]) == []


def test_wishes_that_come_true_keep_the_answers() -> None:
    visit = {"table": "visit", "alias": "t0"}
    plan = {
        "root": visit,
        "joins": TO_OTHERS,
        "group_by": ["t2.day"],
        "projection": ["t2.day"],
        "aggregations": [COUNT],
    }
    ((tool, arguments),) = wished(**plan)
    strategy = strategy_named(tool)
    graph = strategy.apply(MANY.graph, strategy.parse(arguments))
    MANY.rows(plan, graph)
    compiled = MANY.compile(plan, graph)
    compiled.run()
    assert (compiled.metrics.attribute_index_hits, compiled.metrics.materialized_path_hits) == (1, 1)
    assert propose(graph, [compiled.plan], {"q": 1.0}, 0.05) == []


def test_a_path_over_rows_that_are_edges_is_not_proposed() -> None:
    source = Source.of(SQL.replace("n INTEGER);", "n INTEGER REFERENCES city(id));"))
    strategy = strategy_named("optimize_graph")
    collapse = {"op": "collapse_node", "table": "visit", "edge_type": "VISITED"}
    graph = strategy.apply(source.graph, strategy.parse({"operations": [collapse]}))
    assert proposals(source, "path", graph=graph) == []
