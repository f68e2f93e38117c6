"""Independent tasks in threads, under the caller's deadline. SQLite, numpy and Arrow work without Python's lock."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


def run_together(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """The results of all tasks in order, `threads` at a time; the first failure in order is raised."""
    if min(threads, len(tasks)) <= 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(copy_context().run, task) for task in tasks]
        return [future.result() for future in futures]
