"""Runs one of our functions on untrusted bytes in a child process, with limits of memory, processor and time.

Whatever the bytes do to the parser, the caller gets an answer or one error. A task is named `module:function`; it takes
and gives back JSON. The child ends with its parent: its standard input closes, however the parent dies.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Timer
from typing import Any

from app.errors import GraphwrightError, SourceParserFailedError, TimeBudgetExhaustedError
from app.values import canonical_json

MIB = 1024 * 1024
WORKER = "app.datasets.sandbox_worker"
OUT_OF_MEMORY = 71
"""The exit status of a child that could not get memory and could not say so."""

_GRACE_SECONDS = 10.0
"""For the child to start, and to say itself that its time is up."""

_ANSWER_BYTES = 64 * MIB
_ENVIRONMENT = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MALLOC_ARENA_MAX", "ARROW_IO_THREADS"), "1"
) | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Allocators that reserve address space in advance would use up the limit without using memory."""

_HINT = "The source may be damaged or made to do harm; export it again, or use less of it."


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """How much memory a task may take beyond what the child holds before it starts, and for how many seconds."""

    memory_bytes: int
    seconds: float


def run_in_sandbox(task: str, argument: Any, limits: SandboxLimits) -> Any:
    """What the task answers.

    Raises the task's own `GraphwrightError`, `TimeBudgetExhaustedError` when its time is up, and
    `SourceParserFailedError` for a child that crashed, was killed, or ran out of memory.
    """
    process = _spawn()
    order = {"task": task, "argument": argument, "memory_bytes": limits.memory_bytes, "seconds": limits.seconds}
    try:
        answer = _exchange(process, canonical_json(order).encode() + b"\n", limits.seconds + _GRACE_SECONDS)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
    return _understood(answer, process.returncode)


def _spawn() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-P", "-m", WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | _ENVIRONMENT,
        start_new_session=True,
    )


def _exchange(process: "subprocess.Popen[bytes]", order: bytes, seconds: float) -> bytes:
    """Send the order and read up to the end of the answer; the pipe to the child stays open, as its lifeline."""
    assert process.stdin is not None
    assert process.stdout is not None
    timer = Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    try:
        process.stdin.write(order)
        process.stdin.flush()
        answer = process.stdout.read(_ANSWER_BYTES + 1)
        if len(answer) > _ANSWER_BYTES:
            process.kill()
        process.wait()
    except BrokenPipeError:
        answer = b""
        process.wait()
    finally:
        is_late = not timer.is_alive()
        timer.cancel()
    if is_late:
        raise TimeBudgetExhaustedError("The source took too long to read, and its reader was ended.", hint=_HINT)
    return answer


def _understood(answer: bytes, status: int) -> Any:
    if len(answer) > _ANSWER_BYTES:
        raise SourceParserFailedError("The reader of the source gave an answer that is too long.", hint=_HINT)
    if status != 0:
        raise SourceParserFailedError(f"The reader of the source {_ending(status)}.", hint=_HINT, status=status)
    document = json.loads(answer)
    if "error" in document:
        raise _rebuilt(document["error"])
    return document["answer"]


def _ending(status: int) -> str:
    if status == OUT_OF_MEMORY:
        return "ran out of the memory that it may use"
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def _rebuilt(document: Mapping[str, Any]) -> GraphwrightError:
    """The error of the child as one of ours."""
    kind = next((kind for kind in _error_classes(GraphwrightError) if kind.code == document["code"]), GraphwrightError)
    return kind(document["message"], hint=document.get("hint", ""), **document.get("where", {}))


def _error_classes(root: type[GraphwrightError]) -> list[type[GraphwrightError]]:
    return [root, *(each for child in root.__subclasses__() for each in _error_classes(child))]
