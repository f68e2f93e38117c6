"""Independent tasks in threads, under the caller's deadline. SQLite, numpy and Arrow work without Python's lock."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")


def run_together(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """The results of all tasks in order, `threads` at a time; the first failure in order is raised."""
    if min(threads, len(tasks)) <= 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(copy_context().run, task) for task in tasks]
        return [future.result() for future in futures]


class Helper:
    """A thread that does tasks one after the other while others are prepared; use it in `with`.

    At most two tasks wait for it, so that what they hold stays bounded. A task's failure is raised by the next call.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._waiting: deque[Future[object]] = deque()

    def __enter__(self) -> "Helper":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown(cancel_futures=True)

    def give(self, task: Callable[[], object]) -> None:
        """Let a task be done after those given before."""
        self._wait(2)
        self._waiting.append(self._thread.submit(copy_context().run, task))

    def run_with(self, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """The results of tasks in order; the helper and this thread take one after the other, the first ones first.

        A new thread would begin with memory of its own, which costs more than most tasks.
        """
        left = deque(enumerate(tasks))
        results: dict[int, T] = {}

        def work() -> None:
            while task := _next(left):
                results[task[0]] = task[1]()

        self.give(work)
        work()
        self.finish()
        return [results[place] for place in range(len(tasks))]

    def finish(self) -> None:
        """Return when all tasks are done."""
        self._wait(0)

    def _wait(self, left: int) -> None:
        while len(self._waiting) > left:
            self._waiting.popleft().result()


def _next(left: deque[T]) -> T | None:
    """The first one left, of which two threads may ask at once."""
    try:
        return left.popleft()
    except IndexError:
        return None
