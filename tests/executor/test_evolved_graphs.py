"""Physical plans of evolved graphs: what the metrics say is what is done."""

from typing import Any

import numpy as np
import pytest

from app.executor.run.executor import QueryMetrics
from app.graph.model.property_graph import PropertyGraph
from app.transform.registry import strategy_named
from tests.executor.support import Source

SQL = """
CREATE TABLE person (id INTEGER PRIMARY KEY, city TEXT, email TEXT, tags TEXT);
CREATE TABLE thing (id INTEGER PRIMARY KEY, title TEXT);
CREATE TABLE bought (person_id INTEGER REFERENCES person(id), thing_id INTEGER REFERENCES thing(id), n INTEGER);
INSERT INTO person VALUES (1, 'Rome', 'a@x', 'p,q'), (2, 'Oslo', 'b@x', 'q'), (3, 'Oslo', 'c@x', NULL),
  (4, NULL, 'd@x', 'r'), (5, 'Bern', 'e@x', 'r'), (6, 'Bern', 'f@x', 'r'), (7, 'Bern', 'g@x', 'r');
INSERT INTO thing VALUES (1, 'pen'), (2, 'ink');
INSERT INTO bought VALUES (1, 1, 5), (1, 1, 5), (2, 2, NULL), (NULL, 1, 2), (3, 9, 1);
"""
BY_CITY = {
    "root": {"table": "person", "alias": "t0"},
    "filters": [{"column": "t0.city", "op": "eq", "value": "Rome"}],
    "projection": ["t0.id"],
}
BY_EMAIL = {**BY_CITY, "filters": [{"column": "t0.email", "op": "eq", "value": "c@x"}]}
BY_TAG = {**BY_CITY, "filters": [{"column": "t0.tags", "op": "contains", "value": "p"}]}
THINGS = {
    "root": {"table": "person", "alias": "t0"},
    "joins": [
        {
            "from": "t0",
            "table": "bought",
            "alias": "t1",
            "foreign_key": {"table": "bought", "columns": ["person_id"], "ref_table": "person", "ref_columns": ["id"]},
            "direction": "reverse",
            "type": "left",
        },
        {
            "from": "t1",
            "table": "thing",
            "alias": "t2",
            "foreign_key": {"table": "bought", "columns": ["thing_id"], "ref_table": "thing", "ref_columns": ["id"]},
            "direction": "forward",
            "type": "left",
        },
    ],
    "projection": ["t0.id", "t1.n", "t2.title"],
    "order_by": [{"column": "t0.id", "direction": "asc"}],
}


@pytest.fixture
def source() -> Source:
    return Source.of(SQL)


def applied(graph: PropertyGraph, tool: str, **arguments: Any) -> PropertyGraph:
    strategy = strategy_named(tool)
    return strategy.apply(graph, strategy.parse(arguments))


def operation(graph: PropertyGraph, op: str, **fields: Any) -> PropertyGraph:
    return applied(graph, "optimize_graph", operations=[{"op": op, **fields}])


def metrics(source: Source, plan: dict[str, Any], graph: PropertyGraph) -> QueryMetrics:
    """The metrics of a plan whose rows were found equal to the oracle's."""
    source.rows(plan, graph)
    compiled = source.compile(plan, graph)
    compiled.run()
    return compiled.metrics


def test_rows_that_are_edges_are_traversed_as_edges(source: Source) -> None:
    graph = operation(source.graph, "collapse_node", table="bought", edge_type="BOUGHT")
    assert graph.rows_of("bought").count == 2
    text = "\n".join(metrics(source, THINGS, graph).physical_plan)
    assert "by bought(person_id) -> person(id) over row edges BOUGHT" in text
    assert "row edges" not in "\n".join(metrics(source, THINGS, source.graph).physical_plan)


def test_a_moved_value_is_an_attribute_index(source: Source) -> None:
    fields = {"property": "city", "node_type": "City", "edge_type": "IN"}
    graph = operation(source.graph, "extract_property_node", table="person", remove_from_node=True, **fields)
    assert (graph.rows_of("person").columns["city"].to_list()) == [None] * 7
    found = metrics(source, BY_CITY, graph)
    assert (found.attribute_index_hits, found.source_rows_examined) == (1, 1)
    assert found.physical_plan[0].startswith("AttributeIndex person.city by City")


def test_an_index_that_runs_the_other_way_serves_too(source: Source) -> None:
    fields = {"property": "city", "node_type": "City", "edge_type": "IN"}
    graph = operation(source.graph, "extract_property_node", table="person", **fields)
    graph = operation(graph, "reverse_edges", edge_type="IN")
    assert metrics(source, BY_CITY, graph).attribute_index_hits == 1


def test_an_index_that_does_not_cover_all_rows_is_not_used(source: Source) -> None:
    fields = {"property": "city", "node_type": "City", "edge_type": "IN"}
    graph = operation(source.graph, "extract_property_node", table="person", **fields)
    (edges,) = graph.attribute_edges("person", "city")
    partial = graph.with_edges([*graph.edge_tables[:-1], edges.take(np.arange(1, len(edges)))])
    found = metrics(source, BY_CITY, partial)
    assert (found.attribute_index_hits, found.source_rows_examined) == (0, 7)


def test_categories_are_no_index(source: Source) -> None:
    graph = applied(source.graph, "unfold_multi_category", table="person", column="tags", node_type="Tag")
    found = metrics(source, BY_TAG, graph)
    assert (found.attribute_index_hits, found.source_rows_examined) == (0, 7)


def test_a_proposed_key_finds_its_row(source: Source) -> None:
    assert metrics(source, BY_EMAIL, source.graph).source_rows_examined == 7
    graph = applied(source.graph, "add_primary_key", table="person", columns=["email"])
    found = metrics(source, BY_EMAIL, graph)
    assert found.source_rows_examined == 1
    assert found.physical_plan[0] == "KeyLookup person t0 by email [1 keys]"
    graph = applied(graph, "remove_primary_key", table="person")
    assert metrics(source, BY_EMAIL, graph).source_rows_examined == 7


def test_moved_fields_are_read_where_they_are(source: Source) -> None:
    graph = operation(source.graph, "node_property_to_edge", table="bought", property="n", edge_type="THING")
    assert graph.rows_of("bought").absent["n"].tolist() == [True, True, True, True, False]
    assert metrics(source, THINGS, graph).source_rows_examined == 7
