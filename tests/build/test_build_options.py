"""The construction options: every bound, type, precedence and message."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.build.options import FULL_SCALE_MAX_SECONDS, BuildOptions
from app.errors import InvalidOptionError

COUNTS = {
    "query_count": (None, 1, 100),
    "max_iterations": (12, 1, 30),
    "max_tool_calls": (24, 1, 100),
    "workload_attempts": (3, 1, 5),
    "benchmark_repeats": (5, 1, 15),
    "sample_rows": (3, 1, 10),
    "expected_query_runs": (100, 1, 100_000),
    "experience_top_k": (8, 1, 32),
    "comparison_rounds": (3, 2, 9),
}
QUANTITIES = {
    "llm_timeout_seconds": (120, 1, 600),
    "max_seconds": (900, 1, 3600),
    "min_speedup": (0.05, 0, 0.9),
    "max_graph_growth": (3.0, 1, 10),
    "min_query_seconds": (0.003, 0, 0.1),
}
BOUNDS = COUNTS | QUANTITIES


@pytest.mark.parametrize("name", BOUNDS)
def test_defaults_and_bounds_are_accepted(name: str) -> None:
    default, low, high = BOUNDS[name]
    assert getattr(BuildOptions(), name) == default
    for value in (low, high):
        assert getattr(BuildOptions.from_options({name: value}), name) == value


@pytest.mark.parametrize("name", BOUNDS)
def test_values_past_a_bound_are_refused(name: str) -> None:
    _, low, high = BOUNDS[name]
    step = 1 if name in COUNTS else 1e-6
    for value in (low - step, high + step):
        with pytest.raises(InvalidOptionError, match=f"{name} must be a .* from"):
            BuildOptions.from_options({name: value})


@pytest.mark.parametrize("name", COUNTS)
@given(value=st.one_of(st.booleans(), st.floats(), st.text(max_size=3), st.none(), st.lists(st.integers(), max_size=1)))
def test_only_real_integers_are_counts(name: str, value: object) -> None:
    assume(name != "query_count" or value is not None)
    with pytest.raises(InvalidOptionError):
        BuildOptions.from_options({name: value})


@pytest.mark.parametrize("name", QUANTITIES)
@pytest.mark.parametrize("value", [True, False, math.nan, math.inf, -math.inf, "1", None, [1]])
def test_only_finite_numbers_are_quantities(name: str, value: object) -> None:
    with pytest.raises(InvalidOptionError):
        BuildOptions.from_options({name: value})


def test_whole_numbers_are_quantities_too() -> None:
    options = BuildOptions.from_options({"max_seconds": 900})
    assert options == BuildOptions()
    assert repr(options) == repr(BuildOptions())


def test_an_error_names_option_value_and_range() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        BuildOptions.from_options({"query_count": True})
    assert caught.value.where == {"option": "query_count", "value": "True", "range": "a whole number from 1 to 100"}
    assert caught.value.code == "invalid_option"


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        BuildOptions.from_options({"mode": "x" * 10_000})
    assert len(caught.value.message) < 200


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(InvalidOptionError, match="no option 'query_cuont'") as caught:
        BuildOptions.from_options({"query_cuont": 3})
    assert caught.value.hint == "Did you mean query_count?"


def test_explicit_beats_environment_beats_default() -> None:
    environment = {"GRAPH_CONSTRUCTION_QUERY_COUNT": "20", "GRAPH_CONSTRUCTION_MIN_SPEEDUP": "0.1"}
    options = BuildOptions.from_options({"query_count": 30}, environment)
    assert (options.query_count, options.min_speedup, options.max_iterations) == (30, 0.1, 12)


@pytest.mark.parametrize("text", ["0", "101", "fifteen", "15.0", "true"])
def test_an_environment_value_out_of_range_names_its_variable(text: str) -> None:
    with pytest.raises(InvalidOptionError, match="GRAPH_CONSTRUCTION_QUERY_COUNT must be"):
        BuildOptions.from_options({}, {"GRAPH_CONSTRUCTION_QUERY_COUNT": text})


@pytest.mark.parametrize(("text", "expected"), [("false", False), ("0", False), ("YES", True), ("on", True)])
def test_environment_booleans(text: str, expected: bool) -> None:
    options = BuildOptions.from_options({}, {"GRAPH_CONSTRUCTION_EXPERIENCE_ENABLED": text})
    assert options.experience_enabled is expected


def test_a_bad_variable_does_not_disturb_an_explicit_option() -> None:
    environment = {"GRAPH_CONSTRUCTION_QUERY_COUNT": "many", "GRAPH_CONSTRUCTION_MODE": "none"}
    options = BuildOptions.from_options({"query_count": 30, "mode": "rules"}, environment)
    assert (options.query_count, options.mode) == (30, "rules")


def test_names_without_a_variable_ignore_the_environment() -> None:
    environment = {"GRAPH_CONSTRUCTION_EVOLVE": "false", "GRAPH_CONSTRUCTION_CONCURRENCY": "7"}
    assert BuildOptions.from_options({}, environment) == BuildOptions()


def test_words_and_plans() -> None:
    options = BuildOptions.from_options({"mode": "llm", "domain_category": "social", "queries": [{"id": "a"}]})
    assert (options.mode, options.domain_category, options.queries) == ("llm", "social", [{"id": "a"}])
    for wrong in ({"mode": "auto"}, {"domain_category": "sports"}, {"queries": "a"}, {"queries": [1]}, {"evolve": 1}):
        with pytest.raises(InvalidOptionError):
            BuildOptions.from_options(wrong)


def test_a_door_may_allow_longer_builds() -> None:
    assert BuildOptions.from_options({"max_seconds": 7200}, max_seconds=FULL_SCALE_MAX_SECONDS).max_seconds == 7200
    with pytest.raises(InvalidOptionError, match="from 1 to 3,600"):
        BuildOptions.from_options({"max_seconds": 7200})
