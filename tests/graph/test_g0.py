import pytest

from app.errors import ForeignKeyTargetNotUniqueError
from tests.support.hand_made import shop, source, table


def test_every_row_is_a_node_and_every_match_an_edge() -> None:
    graph = shop().graph
    assert graph.node_count == 3 + 4 + 5 + 4 + 0
    assert {(e.type, e.source_label, e.target_label): len(e) for e in graph.edge_tables} == {
        ("COUNTRY_CODE", "customer", "country"): 3,
        ("REFERRED_BY", "customer", "customer"): 3,
        ("CUSTOMER", "orders", "customer"): 3,
        ("ORDER", "line", "orders"): 4,
        ("ORDER", "empty", "orders"): 0,
    }


def test_dangling_references_name_their_rows() -> None:
    (dangling,) = shop().references.dangling()
    assert dangling.foreign_key.label == "orders(customer_id) -> customer(id)"
    assert dangling.rows.tolist() == [3]


def test_a_self_reference_may_be_a_loop() -> None:
    graph = shop().graph
    edges = next(e for e in graph.edge_tables if e.type == "REFERRED_BY")
    assert list(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)) == [(1, 0), (2, 2), (3, 0)]


def test_two_keys_to_one_target_get_two_names() -> None:
    graph = source(
        table("place", {"id": ("INTEGER", [1])}),
        table(
            "trip",
            {
                "id": ("INTEGER", [1]),
                "place_id": ("INTEGER", [1]),
                "PlaceId2": ("INTEGER", [1]),
                "PLACE": ("INTEGER", [1]),
            },
            references={name: ("place", ["id"]) for name in ("place_id", "PlaceId2", "PLACE")},
        ),
    ).graph
    assert [edges.type for edges in graph.edge_tables] == ["PLACE", "PLACE_ID2", "PLACE_2"]


def test_a_duplicate_target_key_is_refused_by_name() -> None:
    parent = table("shop", {"id": ("INTEGER", [1, 2, 3]), "code": ("TEXT", ["x", "y", "x"])})
    child = table("sale", {"id": ("INTEGER", [1]), "code": ("TEXT", ["y"])}, references={"code": ("shop", ["code"])})
    with pytest.raises(ForeignKeyTargetNotUniqueError, match=r"rows 1 and 3 of shop share the key \('x'\)") as caught:
        source(parent, child)
    assert caught.value.where == {"table": "shop", "column": "code", "row": 3}


def test_two_null_keys_are_not_duplicates() -> None:
    parent = table("shop", {"id": ("INTEGER", [1, 2]), "code": ("TEXT", [None, None])})
    child = table("sale", {"id": ("INTEGER", [1]), "code": ("TEXT", [None])}, references={"code": ("shop", ["code"])})
    assert source(parent, child).graph.edge_count == 0


def test_the_graph_shares_the_columns_of_its_source() -> None:
    made = shop()
    assert made.graph.rows_of("orders").columns["amount"] is made.tables["orders"].columns["amount"]
