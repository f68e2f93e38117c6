"""Time and row budgets: a deadline in a context variable, and counted rows.

Nested deadlines never extend an outer one: the earlier always wins. Code that may run long calls
`check_deadline()` between chunks of work.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from app.errors import QueryLimitError, TimeBudgetExhaustedError

T = TypeVar("T")

CHECK_EVERY = 1024
"""Long scans check the deadline on entry, each this many items, and at the end."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point of the monotonic clock (seconds), the work that it bounds, and the option that sets it."""

    at: float
    work: str
    option: str = "max_seconds"


_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def deadline(seconds: float, work: str, option: str = "max_seconds") -> Iterator[None]:
    """Bound the enclosed work to `seconds`, or to what an outer deadline leaves, whichever is earlier.

    `option` names the setting that a user can raise when the time runs out.
    """
    outer = _deadline.get()
    own = Deadline(time.monotonic() + seconds, work, option)
    token = _deadline.set(outer if outer is not None and outer.at <= own.at else own)
    try:
        yield
    finally:
        _deadline.reset(token)


def remaining_seconds() -> float:
    """Seconds left before the current deadline; infinity without one; never negative."""
    current = _deadline.get()
    return float("inf") if current is None else max(0.0, current.at - time.monotonic())


def check_deadline() -> None:
    """Raise `TimeBudgetExhaustedError` once the current deadline has passed."""
    current = _deadline.get()
    if current is not None and time.monotonic() >= current.at:
        raise TimeBudgetExhaustedError(
            f"The time budget ran out during {current.work}.",
            hint=f"Raise {current.option} within its range, or reduce the data or the number of queries.",
            work=current.work,
        )


def checked(items: Iterable[T]) -> Iterator[T]:
    """Yield `items`, checking the deadline on entry, each 1,024 items, and at the end."""
    check_deadline()
    for index, item in enumerate(items, start=1):
        yield item
        if index % CHECK_EVERY == 0:
            check_deadline()
    check_deadline()


@dataclass(frozen=True, slots=True)
class RowLimit:
    """The most intermediate rows one query may hold at a time; checked before memory is allocated."""

    rows: int

    def check(self, rows: int) -> None:
        """Raise `QueryLimitError` if `rows` is over the limit."""
        if rows > self.rows:
            raise QueryLimitError(
                f"The query needs {rows:,} intermediate rows; the limit is {self.rows:,}.",
                hint="Filter earlier, join less, or use resource_profile=full_scale.",
                rows=rows,
                limit=self.rows,
            )
