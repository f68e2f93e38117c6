"""One mapping of options, split between the build and the source."""

import pytest

from app.build.options import BuildOptions
from app.errors import InvalidOptionError
from app.service.builds.options import JobOptions, longest_build
from app.sources.options import SourceOptions


def test_each_option_goes_where_it_belongs() -> None:
    options = JobOptions.from_options(
        {"query_count": 3, "max_source_rows": 9}, {"GRAPH_CONSTRUCTION_MIN_SPEEDUP": "0.2"}
    )
    assert (options.build.query_count, options.build.min_speedup, options.source.max_source_rows) == (3, 0.2, 9)


def test_the_profile_counts_for_both() -> None:
    options = JobOptions.from_options({"resource_profile": "full_scale", "max_source_rows": 10_000_000}, {})
    assert (options.build.resource_profile, options.source.resource_profile) == ("full_scale", "full_scale")


def test_complete_options_say_the_same_again() -> None:
    given = {"query_count": 2, "queries": [{"id": "a"}], "evolve": False, "max_source_bytes": 5}
    options = JobOptions.from_options(given, {})
    assert set(options.to_dict()) == {*BuildOptions.names(), *SourceOptions.names()}
    assert JobOptions.from_options(options.to_dict(), {"GRAPH_CONSTRUCTION_MIN_SPEEDUP": "0.9"}) == options


def test_an_unknown_name_is_refused_with_the_nearest_of_all() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        JobOptions.from_options({"max_source_row": 3}, {})
    assert caught.value.hint == "Did you mean max_source_rows?"


def test_only_full_scale_may_take_longer() -> None:
    longer = {"max_seconds": 7200, "resource_profile": "full_scale"}
    assert JobOptions.from_options(longer, {}, max_seconds=longest_build(longer)).build.max_seconds == 7200
    with pytest.raises(InvalidOptionError):
        JobOptions.from_options(longer, {}, max_seconds=longest_build({"max_seconds": 7200}))
