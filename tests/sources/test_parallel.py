"""Work that two threads share comes back in order, and its failures are not lost."""

from functools import partial

import pytest

from app.budget import check_deadline, deadline
from app.errors import GraphwrightError
from app.sources.parallel import Helper, run_together


def refuse(place: int, wrong: int) -> int:
    if place == wrong:
        raise ValueError(str(place))
    return place


def test_a_helper_and_its_caller_share_tasks() -> None:
    with Helper() as helper:
        assert helper.run_with([partial(refuse, place, -1) for place in range(1_000)]) == list(range(1_000))
        assert helper.run_with([]) == []


@pytest.mark.parametrize("wrong", [0, 1, 999])
def test_a_shared_task_that_fails_fails_for_the_caller(wrong: int) -> None:
    with Helper() as helper, pytest.raises(ValueError, match=str(wrong)):
        helper.run_with([partial(refuse, place, wrong) for place in range(1_000)])


def test_a_task_given_before_fails_for_the_caller() -> None:
    with Helper() as helper, pytest.raises(ValueError, match="1"):
        helper.give(partial(refuse, 1, 1))
        helper.run_with([partial(refuse, 0, 1)])


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_work_under_the_deadline_of_their_caller(threads: int) -> None:
    with deadline(0, "reading", "source_timeout_seconds"):
        with pytest.raises(GraphwrightError):
            run_together([check_deadline, check_deadline], threads)
        with Helper() as helper, pytest.raises(GraphwrightError):
            helper.give(check_deadline)
            helper.finish()
