from collections.abc import Iterator

import pytest

from app.evolution.acceptance import MeasuredCost, MeasurePair, PairedComparison, Side, compare


def measured(current: list[float], candidate: list[float], correct: bool = True) -> MeasurePair:
    remaining: Iterator[tuple[float, float]] = iter(list(zip(current, candidate, strict=True)))

    def measure(_first: Side) -> tuple[MeasuredCost, MeasuredCost]:
        costs = next(remaining)
        return MeasuredCost(costs[0], True), MeasuredCost(costs[1], correct)

    return measure


def comparison(current: list[float], candidate: list[float], min_speedup: float = 0.05) -> PairedComparison:
    return compare(measured(current, candidate), len(current), min_speedup)


def test_the_sides_take_turns_at_going_first() -> None:
    asked: list[Side] = []

    def measure(first: Side) -> tuple[MeasuredCost, MeasuredCost]:
        asked.append(first)
        return MeasuredCost(1.0, True), MeasuredCost(1.0, True)

    result = compare(measure, 4, 0.05)
    assert asked == [r.first for r in result.rounds] == ["current", "candidate", "current", "candidate"]


def test_a_clear_gain_passes() -> None:
    assert comparison([10, 10, 10], [5, 5, 5]).passed


@pytest.mark.parametrize(
    ("current", "candidate", "why"),
    [
        ([10, 10, 10], [9.5, 9.5, 9.5], "the gain must be strictly over the threshold"),
        ([10, 10, 10], [5, 10, 10], "two thirds of the rounds must win"),
        ([10, 10, 10], [5, 9.9, 5], "both orders must gain"),
        ([10, 10, 10], [11, 12, 13], "a loss"),
    ],
)
def test_what_does_not_pass(current: list[float], candidate: list[float], why: str) -> None:
    assert not comparison(current, candidate).passed, why


def test_a_wrong_round_fails_however_fast() -> None:
    assert not compare(measured([10, 10, 10], [1, 1, 1], correct=False), 3, 0.05).passed


def test_two_of_three_wins_are_enough_where_both_orders_gain() -> None:
    result = comparison([10, 10, 10, 10, 10, 10], [5, 5, 5, 5, 9.9, 9.9])
    assert result.wins == result.wins_needed == 4
    assert result.passed


def test_the_report_form_holds_the_criteria() -> None:
    document = comparison([10, 20], [5, 5]).to_dict()
    assert document["median_gain"] == pytest.approx(0.625)
    assert document["wins_over_threshold"] == document["wins_needed"] == 2
    assert document["median_gain_when_current_first"] == pytest.approx(0.5)
    assert document["median_gain_when_candidate_first"] == pytest.approx(0.75)
    assert document["performance_pass"] is True
