"""A small part of the campaign of random plans (`scripts/chaos plans`)."""

from tests.campaigns.plans import Tally, search, smallest


def test_random_plans_over_random_sources_are_answered_as_sqlite_does() -> None:
    case = search(600, 1_000_000, Tally())
    assert case is None, smallest(case)
