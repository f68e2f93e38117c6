"""What a report says of a final graph that was measured again beside the first one."""

import pytest

from app.build.report import performance_document
from app.evolution.acceptance import MeasuredCost, PairedComparison, Round
from app.evolution.evaluation import Evaluation

ANSWERED = Evaluation((), 0.0, 1)


@pytest.mark.parametrize(("candidate", "outcome"), [(0.001, "improved"), (0.003, "no_measured_improvement")])
def test_a_gain_that_is_gone_is_not_called_one(candidate: float, outcome: str) -> None:
    round_ = Round("current", MeasuredCost(0.002, True), MeasuredCost(candidate, True))
    document = performance_document(ANSWERED, ANSWERED, PairedComparison((round_,), 0.05))
    assert (document["baseline_cost"], document["final_cost"], document["outcome"]) == (0.002, candidate, outcome)
