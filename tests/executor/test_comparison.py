"""What the comparison lets pass and what it does not."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.executor.run.comparison import PREVIEW_ROWS, compare_rows
from app.workload.bound import BoundPlan
from tests.executor.support import Source

SOURCE = Source.of("""
CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, plain TEXT, pay REAL, n INTEGER, any);
""")
T = {"table": "t", "alias": "t0"}


def bound(**parts: Any) -> BoundPlan:
    return SOURCE.bind({"root": T, **parts})


def output(function: str, column: str, name: str) -> dict[str, str]:
    return {"function": function, "column": column, "as": name}


LISTED = bound(projection=["t0.any", "t0.name"])
ORDERED = bound(projection=["t0.n", "t0.plain"], order_by=[{"column": "t0.n"}])
BY_NAME = bound(projection=["t0.name", "t0.id"], order_by=[{"column": "t0.name"}])
SUMS = bound(
    projection=["t0.name"],
    group_by=["t0.name"],
    aggregations=[output("sum", "t0.pay", "s"), output("sum", "t0.n", "k"), output("min", "t0.name", "m")],
)
BARE_SUMS = bound(group_by=["t0.n"], aggregations=[output("sum", "t0.pay", "s"), output("avg", "t0.pay", "a")])
BY_SUM = bound(
    projection=["t0.n"],
    group_by=["t0.n"],
    aggregations=[output("sum", "t0.pay", "s")],
    order_by=[{"column": "s", "direction": "desc"}, {"column": "t0.n"}],
)


@pytest.mark.parametrize(
    ("plan", "expected", "actual", "passes"),
    [
        (LISTED, [(1, "a"), (2, "b")], [(2, "b"), (1, "a")], True),
        (LISTED, [(1, "a"), (1, "a"), (2, "b")], [(1, "a"), (2, "b"), (2, "b")], False),
        (LISTED, [(1, "a")], [(1.0, "a")], False),
        (LISTED, [(1, "a")], [("1", "a")], False),
        (LISTED, [(1, "a")], [(True, "a")], True),
        (LISTED, [(1, "a")], [(1, "A")], False),
        (LISTED, [(None, "a")], [(0, "a")], False),
        (LISTED, [], [], True),
        (LISTED, [(1, "a")], [], False),
        (ORDERED, [(1, "a"), (1, "b"), (2, "c")], [(1, "b"), (1, "a"), (2, "c")], True),
        (ORDERED, [(1, "a"), (2, "b")], [(2, "b"), (1, "a")], False),
        (ORDERED, [(1, "a"), (1, "b")], [(1, "a"), (1, "a")], False),
        (BY_NAME, [("a", 1), ("A", 2)], [("A", 2), ("a", 1)], True),
        (BY_NAME, [("a", 1), ("A", 2)], [("a", 2), ("A", 1)], False),
        (SUMS, [("a", 1.0, 5, "A")], [("A", 1.0 + 1e-12, 5, "a")], True),
        (SUMS, [("a", 1.0, 5, "a")], [("a", 1.0 + 1e-8, 5, "a")], False),
        (SUMS, [("a", 1.0, 5, "a")], [("a", 1, 5, "a")], False),
        (SUMS, [("a", None, 5, "a")], [("a", 0.0, 5, "a")], False),
        (SUMS, [("a", 1.0, 10**15, "a")], [("a", 1.0, 10**15 + 1, "a")], False),
        (BARE_SUMS, [(1.0, 2.0), (1.0 + 1e-13, 5.0)], [(1.0 + 1e-13, 2.0), (1.0, 5.0)], True),
        (BARE_SUMS, [(1.0, 2.0), (3.0, 5.0)], [(1.0, 5.0), (3.0, 2.0)], False),
        (BY_SUM, [(1, 0.3 + 1e-16), (2, 0.3)], [(2, 0.3), (1, 0.3)], True),
        (BY_SUM, [(1, 0.3), (2, 0.3)], [(2, 0.3), (1, 0.3)], False),
        (BY_SUM, [(1, 0.4), (2, 0.3)], [(2, 0.3), (1, 0.4)], False),
    ],
)
def test_the_rules(plan: BoundPlan, expected: list[Any], actual: list[Any], passes: bool) -> None:
    comparison = compare_rows(plan, expected, actual)
    assert comparison.passed is passes
    assert bool(comparison.reason) is not passes


def test_a_limit_may_cut_equal_numbers_either_way() -> None:
    plan = bound(projection=["t0.any"], order_by=[{"column": "t0.any"}], limit=1)
    assert compare_rows(plan, [(1,)], [(1.0,)]).passed
    assert not compare_rows(plan, [("a",)], [("A",)]).passed


def test_previews_show_the_place_and_few_rows() -> None:
    rows: list[Any] = [(number, "x") for number in range(1_000)]
    changed = [*rows[:500], (-1, "x"), *rows[501:]]
    comparison = compare_rows(ORDERED, rows, changed)
    assert comparison.row == 500
    assert (500, "x") in comparison.expected_preview
    assert (-1, "x") in comparison.actual_preview
    assert len(comparison.actual_preview) == PREVIEW_ROWS


@given(
    st.lists(st.tuples(st.sampled_from([1, 1.0, "a", None, True]), st.sampled_from(["a", "A"])), max_size=6), st.data()
)
def test_any_order_of_the_same_rows_passes_and_a_changed_row_does_not(rows: list[Any], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(rows))
    assert compare_rows(LISTED, rows, shuffled).passed
    if rows:
        assert not compare_rows(LISTED, rows, [*shuffled[1:], (2, "new")]).passed


def test_a_hundred_thousand_rows_are_compared_in_about_n_log_n() -> None:
    rows: list[Any] = [(number % 7, f"text {number}") for number in range(100_000)]
    started = time.perf_counter()
    assert compare_rows(LISTED, rows, rows[::-1]).passed
    sums: list[Any] = [(0.1 * number, 0.2) for number in range(50_000)]
    assert compare_rows(BARE_SUMS, sums, sums[::-1]).passed
    # Quadratic work would take hours.
    assert time.perf_counter() - started < 30
