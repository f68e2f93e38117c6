"""Progress on standard error: one moving line on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as LiveDisplay
from rich.text import Text

from app.build.progress import Progress, ProgressCallback
from app.cli.console import Terminal, printable

LINE_SECONDS = 5.0
"""The least time between two plain lines of the same phase."""


@contextmanager
def reporting(terminal: Terminal) -> Iterator[ProgressCallback]:
    """Show each step that the yielded callback is given; nothing of a moving display stays behind."""
    if not terminal.is_live:
        yield _Lines(terminal)
        return
    columns: list[ProgressColumn] = [
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        _Count(),
        TimeElapsedColumn(),
    ]
    with LiveDisplay(
        *columns, console=terminal.err, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as display:
        yield _Live(display)


class _Lines:
    """A line for each new phase, and for a long one now and then."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal, self._started = terminal, time.monotonic()
        self._phase, self._written_at = "", 0.0

    def __call__(self, step: Progress) -> None:
        now = time.monotonic()
        if step.phase == self._phase and now - self._written_at < LINE_SECONDS:
            return
        self._phase, self._written_at = step.phase, now
        count = _count(step.done, step.total)
        self._terminal.note(f"[{now - self._started:6.1f} s] {step.message}" + (f" ({count})" if count else ""))


class _Live:
    """One task of the moving display for the current phase."""

    def __init__(self, display: LiveDisplay) -> None:
        self._display = display
        self._task: TaskID | None = None
        self._phase = ""

    def __call__(self, step: Progress) -> None:
        message, done = printable(step.message), step.done or 0
        if self._task is not None and step.phase == self._phase:
            self._display.update(self._task, description=message, completed=done, total=step.total)
            return
        if self._task is not None:
            self._display.remove_task(self._task)
        self._phase, self._task = step.phase, self._display.add_task(message, completed=done, total=step.total)


class _Count(ProgressColumn):
    """How many of how many."""

    def render(self, task: Task) -> Text:
        """The text of one task."""
        return Text(_count(int(task.completed), None if task.total is None else int(task.total)))


def _count(done: int | None, total: int | None) -> str:
    return "" if done is None or not total else f"{done:,} of {total:,}"
