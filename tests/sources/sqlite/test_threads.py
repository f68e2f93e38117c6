"""Threads work under the deadline of their caller."""

import pytest

from app.budget import check_deadline, deadline
from app.errors import GraphwrightError
from app.sources.sqlite.threads import run_together


@pytest.mark.parametrize("tasks", [1, 2])
def test_threads_work_under_the_deadline_of_their_caller(tasks: int) -> None:
    with deadline(0, "reading", "source_timeout_seconds"), pytest.raises(GraphwrightError):
        run_together([check_deadline] * tasks)
