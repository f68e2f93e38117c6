"""Independent tasks in threads, under the caller's deadline. SQLite, numpy and Arrow work without Python's lock."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

_MOST_THREADS = 4


def thread_count() -> int:
    """How many threads share the work on one source."""
    return min(_MOST_THREADS, os.cpu_count() or 1)


def run_together(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """The results of all tasks in order; the first failure in order is raised."""
    threads = min(thread_count(), len(tasks))
    if threads <= 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(copy_context().run, task) for task in tasks]
        return [future.result() for future in futures]
