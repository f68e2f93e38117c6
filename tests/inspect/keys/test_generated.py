"""Sources whose keys are known, made in every style of names: all keys are found, and hardly any other is suggested."""

from collections.abc import Callable

import pytest

from scripts.benchmarks.key_sources import KINDS, Draft, generated_databases
from scripts.benchmarks.keys_bench import scores_of


@pytest.mark.parametrize("kind", KINDS)
def test_keys_of_generated_sources(kind: Callable[[Draft], None]) -> None:
    scores = {score.kind: score for score in scores_of(generated_databases([kind]))}

    assert min(score.f1 for score in scores.values()) >= 0.95
    assert scores["keys"].declared >= 60
