"""When a candidate that answers everything replaces the incumbent: paired rounds, in both orders.

The rule is the seed's:

    gain(round) = (cost(current, round) - cost(candidate, round)) / cost(current, round)
    performance_pass = all rounds correct
      and median(gain) > min_speedup
      and rounds over the threshold >= ceil(2 * rounds / 3)
      and the median gain of the rounds in either order > min_speedup
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Side = Literal["current", "candidate"]


@dataclass(frozen=True, slots=True)
class MeasuredCost:
    """One measurement of a graph: seconds, and whether every plan was answered correctly in it."""

    cost: float
    correct: bool


@dataclass(frozen=True, slots=True)
class Round:
    """One paired measurement; `first` is the side that was measured first."""

    first: Side
    current: MeasuredCost
    candidate: MeasuredCost

    @property
    def gain(self) -> float:
        """The share of the current cost that the candidate saves; negative if it costs more."""
        return (self.current.cost - self.candidate.cost) / self.current.cost

    @property
    def correct(self) -> bool:
        """Whether both sides answered every plan correctly."""
        return self.current.correct and self.candidate.correct


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """All rounds of one comparison and the verdict on them."""

    rounds: tuple[Round, ...]
    min_speedup: float

    @property
    def all_correct(self) -> bool:
        """Whether every round was correct on both sides."""
        return all(round_.correct for round_ in self.rounds)

    @property
    def median_gain(self) -> float:
        """The median gain over all rounds."""
        return median(round_.gain for round_ in self.rounds)

    @property
    def wins(self) -> int:
        """Rounds whose gain is over the threshold."""
        return sum(round_.gain > self.min_speedup for round_ in self.rounds)

    @property
    def wins_needed(self) -> int:
        """Two thirds of the rounds, rounded up."""
        return math.ceil(2 * len(self.rounds) / 3)

    def median_gain_when_first(self, side: Side) -> float | None:
        """The median gain of the rounds in which `side` was measured first; None without such a round."""
        gains = [round_.gain for round_ in self.rounds if round_.first == side]
        return median(gains) if gains else None

    @property
    def passed(self) -> bool:
        """The verdict: see the module."""
        by_order = [self.median_gain_when_first("current"), self.median_gain_when_first("candidate")]
        medians = [self.median_gain, *(gain for gain in by_order if gain is not None)]
        return self.all_correct and self.wins >= self.wins_needed and all(gain > self.min_speedup for gain in medians)

    def to_dict(self) -> dict[str, object]:
        """The comparison as the report's history keeps it."""
        return {
            "rounds": [
                {
                    "first": round_.first,
                    "current_cost": round_.current.cost,
                    "candidate_cost": round_.candidate.cost,
                    "gain": round_.gain,
                    "correct": round_.correct,
                }
                for round_ in self.rounds
            ],
            "all_rounds_correct": self.all_correct,
            "median_gain": self.median_gain,
            "wins_over_threshold": self.wins,
            "wins_needed": self.wins_needed,
            "median_gain_when_current_first": self.median_gain_when_first("current"),
            "median_gain_when_candidate_first": self.median_gain_when_first("candidate"),
            "min_speedup": self.min_speedup,
            "performance_pass": self.passed,
        }


MeasurePair = Callable[[Side], tuple[MeasuredCost, MeasuredCost]]
"""Measures current and candidate side by side, the named side first; returns them in this order."""


def compare(measure: MeasurePair, rounds: int, min_speedup: float) -> PairedComparison:
    """Measure both sides `rounds` times (at least 2), taking turns at who goes first."""
    orders: Sequence[Side] = ["current" if turn % 2 == 0 else "candidate" for turn in range(rounds)]
    return PairedComparison(tuple(Round(first, *measure(first)) for first in orders), min_speedup)
