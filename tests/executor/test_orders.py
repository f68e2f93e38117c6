"""Orders that are read in part, or not at all, because rows come out in them."""

import pytest

from app.executor.indexes.index_cache import IndexCache
from app.executor.plan.settled_rows import SettledRows
from tests.executor.test_random_medium import COUNT, JOIN_DOWN, JOIN_UP, LEAF, PARENT, SOURCE

DESC = {"direction": "desc"}


def steps(plan: dict[str, object]) -> list[str]:
    """The operators that order rows."""
    SOURCE.rows(plan)
    lines = SOURCE.compile(plan).physical_plan
    return [line.split()[0] for line in lines if line.startswith(("Sort", "TopK", "Limit"))]


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ({"root": LEAF, "projection": ["t0.id", "t0.r"], "order_by": [{"column": "t0.id"}, {"column": "t0.r"}]}, []),
        ({"root": LEAF, "projection": ["t0.id", "t0.r"], "order_by": [{"column": "t0.r"}, {"column": "t0.id"}]},
         ["Sort"]),
        ({"root": LEAF, "projection": ["t0.id"], "order_by": [{"column": "t0.id", **DESC}]}, ["Sort"]),
        ({"root": LEAF, "projection": ["t0.id"], "order_by": [{"column": "t0.id"}], "limit": 9}, ["Limit"]),
        ({"root": LEAF, "projection": ["t0.id"], "order_by": [{"column": "t0.id", **DESC}], "limit": 9}, ["Limit"]),
        ({"root": LEAF, "filters": [{"column": "t0.m", "op": "eq", "value": "m7"}], "projection": ["t0.id"],
          "order_by": [{"column": "t0.id"}]}, []),
        ({"root": LEAF, "filters": [{"column": "t0.m", "op": "in", "value": ["m7", "m3"]}], "projection": ["t0.id"],
          "order_by": [{"column": "t0.id"}]}, ["Sort"]),
        ({"root": PARENT, "joins": JOIN_DOWN[:1], "projection": ["t0.id", "t1.code"],
          "order_by": [{"column": "t0.id"}, {"column": "t1.code"}]}, ["Sort"]),
        ({"root": PARENT, "joins": JOIN_DOWN, "projection": ["t0.id", "t0.name", "t2.id"], "limit": 30,
          "order_by": [{"column": "t0.id", **DESC}, {"column": "t0.name"}, {"column": "t2.id"}]}, ["TopK"]),
        ({"root": LEAF, "joins": JOIN_UP, "projection": ["t0.id", "t2.name", "t1.k"], "limit": 30,
          "order_by": [{"column": "t0.id"}, {"column": "t2.name", **DESC}, {"column": "t1.k"}]}, ["Limit"]),
    ],
)  # fmt: skip
def test_rows_that_come_out_in_order_are_not_sorted(plan: dict[str, object], expected: list[str]) -> None:
    assert steps(plan) == expected


@pytest.mark.parametrize(
    ("plan", "kept"),
    [
        ({"root": LEAF, "joins": JOIN_UP, "projection": ["t0.id", "t1.k", "t2.name"],
          "order_by": [{"column": "t1.k"}, {"column": "t0.id"}, {"column": "t2.name"}]}, [1, 0]),
        ({"root": PARENT, "joins": JOIN_DOWN[:1], "projection": ["t0.id", "t1.k", "t1.code", "t1.t"],
          "order_by": [{"column": "t0.id"}, {"column": "t1.k"}, {"column": "t1.code"}, {"column": "t1.t"}]}, [0, 1, 2]),
        ({"root": PARENT, "joins": JOIN_DOWN[:1], "projection": ["t0.n", "t0.name"], "group_by": ["t0.n", "t0.name"],
          "aggregations": [COUNT], "order_by": [{"column": "t0.name"}, {"column": "n", **DESC}, {"column": "t0.n"}]},
         [1, 2, 0]),
        ({"root": PARENT, "joins": JOIN_DOWN[:1], "projection": ["t0.id", "t0.name"], "group_by": ["t0.id", "t0.name"],
          "aggregations": [COUNT], "order_by": [{"column": "t0.id"}, {"column": "n", **DESC}, {"column": "t0.name"}]},
         [0]),
    ],
)  # fmt: skip
def test_keys_that_others_settle_are_left_out(plan: dict[str, object], kept: list[int]) -> None:
    SOURCE.rows(plan)
    bound = SOURCE.bind(plan)
    settled = SettledRows(bound, IndexCache(SOURCE.graph))
    assert [order.output for order in settled.decisive(bound.order_by)] == kept


def test_a_key_with_nulls_settles_nothing() -> None:
    plan = {"root": PARENT, "projection": ["t0.n", "t0.r"], "order_by": [{"column": "t0.n"}, {"column": "t0.r"}]}
    bound = SOURCE.bind(plan)
    assert len(SettledRows(bound, IndexCache(SOURCE.graph)).decisive(bound.order_by)) == 2
