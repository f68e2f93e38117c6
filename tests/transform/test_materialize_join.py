from typing import Any

import pytest

from app.errors import TransformError
from app.graph.marks.materialized_path import MaterializedPathMark
from app.graph.model.property_graph import PropertyGraph
from app.transform.registry import strategy_named
from tests.support.hand_made import HandMade, shop
from tests.transform.support import shortcuts

COUNTRY = {"table": "customer", "columns": ["country_code"], "ref_table": "country", "ref_columns": ["code"]}
REFERRED = {"table": "customer", "columns": ["referred_by"], "ref_table": "customer", "ref_columns": ["id"]}
CUSTOMER = {"table": "orders", "columns": ["customer_id"], "ref_table": "customer", "ref_columns": ["id"]}
ORDER = {"table": "line", "columns": ["order_id"], "ref_table": "orders", "ref_columns": ["id"]}


def forward(key: dict[str, Any]) -> dict[str, Any]:
    return {**key, "direction": "forward"}


def reverse(key: dict[str, Any]) -> dict[str, Any]:
    return {**key, "direction": "reverse"}


def materialized(graph: PropertyGraph, path: list[dict[str, Any]], **more: Any) -> PropertyGraph:
    strategy = strategy_named("materialize_join")
    return strategy.apply(graph, strategy.parse({"path": path, **more}))


def stops(graph: PropertyGraph) -> list[tuple[int, ...]]:
    (edges,) = shortcuts(graph)
    assert isinstance(edges.mark, MaterializedPathMark)
    columns = [edges.sources, *edges.mark.inner_nodes, edges.targets]
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.fixture
def made() -> HandMade:
    return shop()


def test_a_forward_path_has_one_edge_a_start_that_reaches_the_end(made: HandMade) -> None:
    graph = materialized(made.graph, [forward(ORDER), forward(CUSTOMER), forward(COUNTRY)])
    assert stops(graph) == [(0, 0, 0, 0), (1, 0, 0, 0), (2, 1, 0, 0), (3, 2, 1, 1)]


def test_a_reverse_path_keeps_its_multiplicity(made: HandMade) -> None:
    graph = materialized(made.graph, [reverse(COUNTRY), reverse(CUSTOMER)])
    assert stops(graph) == [(0, 0, 0), (0, 0, 1), (1, 1, 2)]


def test_a_path_may_turn_round_and_loop(made: HandMade) -> None:
    graph = materialized(made.graph, [forward(REFERRED), reverse(REFERRED)])
    assert stops(graph) == [(1, 0, 1), (1, 0, 3), (2, 2, 2), (3, 0, 1), (3, 0, 3)]


def test_the_count_is_known_before_it_is_built(made: HandMade) -> None:
    strategy = strategy_named("materialize_join")
    arguments = strategy.parse({"path": [forward(REFERRED), reverse(REFERRED)]})
    assert strategy.added_size(made.graph, arguments) == 5


def test_everything_else_is_shared_and_the_parent_is_unchanged(made: HandMade) -> None:
    digest = made.graph.digest
    graph = materialized(made.graph, [forward(ORDER), forward(CUSTOMER)])
    assert graph.edge_tables[: len(made.graph.edge_tables)] == made.graph.edge_tables
    assert graph.node_tables == made.graph.node_tables
    assert made.graph.digest == digest != graph.digest
    assert made.integrity.errors(graph) == []


def test_the_type_can_be_named_and_has_a_free_default(made: HandMade) -> None:
    graph = materialized(made.graph, [forward(ORDER), forward(CUSTOMER)], edge_type="BOUGHT_BY")
    graph = materialized(graph, [forward(CUSTOMER), forward(COUNTRY)])
    assert [edges.type for edges in shortcuts(graph)] == ["BOUGHT_BY", "CUSTOMER_COUNTRY_CODE_PATH"]


def test_the_same_path_again_changes_nothing(made: HandMade) -> None:
    graph = materialized(made.graph, [forward(ORDER), forward(CUSTOMER)])
    assert materialized(graph, [forward(ORDER), forward(CUSTOMER)], edge_type="OTHER") is graph


def test_names_resolve_by_ascii_case(made: HandMade) -> None:
    key = {"table": "LINE", "columns": ["Order_ID"], "ref_table": "Orders", "ref_columns": ["ID"]}
    assert len(stops(materialized(made.graph, [forward(key), forward(CUSTOMER)]))) == 4


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([forward(ORDER)], "at least 2"),
        ([forward(ORDER)] * 4, "at most 3"),
        ([forward(ORDER), forward(COUNTRY)], "a hop ends at orders, the next begins at customer"),
        ([forward(ORDER), {**CUSTOMER, "direction": "sideways"}], r"path\.1\.direction"),
        ([forward(ORDER), forward({**CUSTOMER, "columns": ["status"]})], "declares no foreign key orders"),
        ([forward(ORDER), {**forward(CUSTOMER), "weight": 1}], r"path\.1\.weight"),
    ],
)
def test_what_is_refused(made: HandMade, path: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(TransformError, match=message):
        materialized(made.graph, path)


def test_a_path_that_no_row_takes_changes_nothing(made: HandMade) -> None:
    empty = {"table": "empty", "columns": ["order_id"], "ref_table": "orders", "ref_columns": ["id"]}
    assert materialized(made.graph, [forward(empty), forward(CUSTOMER)]) is made.graph
