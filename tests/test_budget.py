"""Deadlines nest, name their work, and are noticed at the promised places."""

import time
from collections.abc import Iterator

import pytest

from app.budget import CHECK_EVERY, RowLimit, check_deadline, checked, deadline, remaining_seconds
from app.errors import QueryLimitError, TimeBudgetExhaustedError


def test_without_a_deadline_time_is_endless() -> None:
    check_deadline()

    assert remaining_seconds() == float("inf")


def test_a_passed_deadline_raises_with_its_work_and_option() -> None:
    with deadline(0, "reading x.db", "source_timeout_seconds"):
        assert remaining_seconds() == 0
        with pytest.raises(TimeBudgetExhaustedError, match=r"during reading x\.db") as caught:
            check_deadline()

    assert caught.value.code == "construction_time_budget_exhausted"
    assert "source_timeout_seconds" in caught.value.hint
    check_deadline()


def test_an_inner_deadline_never_extends_an_outer_one() -> None:
    with deadline(0, "outer"), deadline(1000, "inner"), pytest.raises(TimeBudgetExhaustedError, match="outer"):
        check_deadline()


def test_an_earlier_inner_deadline_ends_with_its_block() -> None:
    with deadline(1000, "outer"):
        with deadline(0, "inner"), pytest.raises(TimeBudgetExhaustedError, match="inner"):
            check_deadline()
        assert 900 < remaining_seconds() <= 1000


def test_a_deadline_is_gone_after_an_exception() -> None:
    with pytest.raises(KeyError), deadline(0, "failing"):
        raise KeyError("x")

    assert remaining_seconds() == float("inf")


def test_checked_looks_on_entry_each_1024_items_and_at_the_end() -> None:
    with deadline(0, "scan"), pytest.raises(TimeBudgetExhaustedError):
        next(checked([1]))

    with deadline(0.05, "scan"), pytest.raises(TimeBudgetExhaustedError):
        list(checked(_slow_after(CHECK_EVERY - 1)))
    assert list(checked(range(3))) == [0, 1, 2]


def _slow_after(items: int) -> Iterator[int]:
    yield from range(items)
    time.sleep(0.06)
    yield items
    raise AssertionError("the deadline should have been noticed before another item was asked for")


def test_row_limits_name_both_numbers() -> None:
    RowLimit(10).check(10)
    with pytest.raises(QueryLimitError, match="11 intermediate rows; the limit is 10"):
        RowLimit(10).check(11)
