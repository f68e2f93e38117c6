"""One place where failures end: a code and a message on standard error, an exit status, never a traceback."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from typer.exceptions import TyperException

from app.cli.console import Terminal
from app.errors import GraphwrightError, InterruptedWorkError, UsageError
from app.service.failures import as_graphwright_error

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130


def run_guarded(command: Callable[[], int], terminal: Terminal, *, as_json: bool, log: Callable[[], Path]) -> int:
    """Run a command and return its exit status: 0, 1 failed, 2 wrong usage, 130 interrupted.

    `as_json` also prints the failure as one JSON object. What no error class covers is written with its traceback to
    the file that `log` names, and reported without.
    """
    try:
        status = command()
        if status == INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_gone()
    except KeyboardInterrupt:
        return report(InterruptedWorkError("Stopped."), terminal, INTERRUPTED, as_json)
    except TyperException as error:
        terminal.note(_usage_of(error))
        return report(
            UsageError(error.format_message(), hint="graphwright COMMAND --help shows how."),
            terminal,
            WRONG_USAGE,
            as_json,
        )
    except Exception as error:
        return report(_as_reported(error, log), terminal, FAILED, as_json)
    return status


def _as_reported(error: Exception, log: Callable[[], Path]) -> GraphwrightError:
    """The error to report; if the environment hides the log from a fault of our own, that comes first."""
    if isinstance(error, GraphwrightError):
        return error
    try:
        return as_graphwright_error(error, log())
    except GraphwrightError as unusable:
        return unusable


def report(error: GraphwrightError, terminal: Terminal, status: int, as_json: bool) -> int:
    """Show an error, as one JSON object too if wanted, and return the exit status."""
    try:
        _show(error, terminal)
        if as_json:
            terminal.print_json({"state": "failed", "error": error.to_dict()})
    except BrokenPipeError:
        return _reader_gone()
    return status


def _show(error: GraphwrightError, terminal: Terminal) -> None:
    terminal.note(f"error: {error.message} [{error.code}]", "bold red")
    for line in _lines({**error.where, **({"hint": error.hint} if error.hint else {})}):
        terminal.note(f"  {line}")


def _lines(value: object) -> Iterator[str]:
    """Names with their values, one a line; what a value holds that is not on its line is indented below it.

    >>> problems = [{"plan": "q1", "reason": "no_output"}]
    >>> print(*_lines({"row": 3, "columns": ["a", "b"], "problems": problems}), sep="\\n")
    row: 3
    columns: a, b
    problems:
      - plan: q1
        reason: no_output
    """
    if isinstance(value, Mapping):
        for name, part in value.items():
            first, *others = list(_lines(part)) or [""]
            below = bool(others) or first.startswith("- ")
            yield f"{name}:" if below else f"{name}: {first}".rstrip()
            yield from (f"  {line}" for line in (first, *others) if below)
    elif isinstance(value, list | tuple) and any(isinstance(part, Mapping) for part in value):
        for part in value:
            yield from (f"{'  ' if number else '- '}{line}" for number, line in enumerate(_lines(part)))
    else:
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        yield from text.split("\n")


def _usage_of(error: TyperException) -> str:
    context = getattr(error, "ctx", None)
    return "Usage: graphwright COMMAND …" if context is None else str(context.get_usage())


def _reader_gone() -> int:
    """Whoever read our output has closed it: nothing more is written, not even at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED
