"""Source options: names, defaults, ranges, and types that are what they say."""

import pytest

from app.errors import InvalidOptionError
from app.sources.options import ResourceProfile, SourceOptions

MIB = 2**20


def test_defaults_of_both_profiles() -> None:
    assert SourceOptions() == SourceOptions.from_options({})
    assert SourceOptions() == SourceOptions(max_source_bytes=32 * MIB, max_source_rows=200_000)
    assert SourceOptions.from_options({"resource_profile": "full_scale"}) == SourceOptions(
        resource_profile=ResourceProfile.FULL_SCALE,
        max_source_bytes=8192 * MIB,
        max_source_rows=10_000_000,
        source_timeout_seconds=7200.0,
    )


@pytest.mark.parametrize(
    "options",
    [
        {"max_source_bytes": 64 * MIB},
        {"max_source_bytes": 1},
        {"max_source_rows": 200_000},
        {"source_timeout_seconds": 60},
        {"source_timeout_seconds": 0.001},
        {"resource_profile": "full_scale", "max_source_rows": 10_000_000, "source_timeout_seconds": 7200},
    ],
)
def test_values_up_to_the_ceiling_are_taken(options: dict[str, object]) -> None:
    taken = SourceOptions.from_options(options)

    assert {name: getattr(taken, name) for name in options} == options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_source_bytes": 64 * MIB + 1}, "max_source_bytes must be a whole number from 1 to 67,108,864"),
        ({"max_source_rows": 200_001}, "max_source_rows must be a whole number from 1 to 200,000"),
        ({"max_source_rows": 0}, "max_source_rows"),
        ({"max_source_rows": True}, "max_source_rows"),
        ({"max_source_rows": 5.0}, "max_source_rows"),
        ({"max_source_rows": "5"}, "max_source_rows"),
        ({"source_timeout_seconds": 61}, "source_timeout_seconds must be a number of seconds above 0, at most 60"),
        ({"source_timeout_seconds": 0}, "source_timeout_seconds"),
        ({"source_timeout_seconds": True}, "source_timeout_seconds"),
        ({"source_timeout_seconds": float("nan")}, "source_timeout_seconds"),
        ({"source_timeout_seconds": float("inf")}, "source_timeout_seconds"),
        ({"resource_profile": "huge"}, "bounded or full_scale"),
        ({"resource_profile": None}, "bounded or full_scale"),
        ({"resource_profile": "full_scale", "max_source_rows": 10_000_001}, "max_source_rows"),
        ({"query_count": 3}, "no source option query_count"),
    ],
)
def test_anything_else_is_refused_by_name(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOptionError, match=message) as caught:
        SourceOptions.from_options(options)

    assert caught.value.where["option"] in options
