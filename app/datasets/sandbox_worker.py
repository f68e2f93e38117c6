"""The child of a sandbox: `python -m app.datasets.sandbox_worker`; see `app.datasets.sandbox`.

It reads one line of JSON from standard input, imports the task, limits itself, and writes one JSON document to
standard output. It ends at once when its standard input closes, which is when its parent is gone.
"""

import json
import os
import resource
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO

from app.budget import deadline
from app.datasets.memory_limit import limit_memory
from app.datasets.sandbox import OUT_OF_MEMORY
from app.errors import FileSystemError, GraphwrightError, SourceParserFailedError

ORPHANED = 70
_SPARE_SECONDS = 5
_OPEN_FILES = 256


def main() -> None:
    """Do the one task that standard input names."""
    order = json.loads(sys.stdin.buffer.readline())
    _stay_with_parent(sys.stdin.buffer)
    task = _task(order["task"])
    _limit(order["memory_bytes"], order["seconds"])
    try:
        answer = json.dumps(_answer(task, order["argument"], order["seconds"])).encode()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        out.write(answer)
    os._exit(0)  # no destructor of a damaged parser runs


def _task(name: str) -> Callable[[Any], Any]:
    module, _, function = name.partition(":")
    task: Callable[[Any], Any] = getattr(import_module(module), function)
    return task


def _answer(task: Callable[[Any], Any], argument: Any, seconds: float) -> dict[str, Any]:
    try:
        with deadline(seconds, "reading the source"):
            return {"answer": task(argument)}
    except GraphwrightError as error:
        return {"error": error.to_dict()}
    except OSError as error:
        return {"error": FileSystemError(f"The file system refused: {error.strerror or error}.").to_dict()}
    except RecursionError:
        return {"error": _failed("met something that is nested too deeply").to_dict()}
    except MemoryError:
        raise
    except Exception as error:
        fault = f"{type(error).__name__} at {_place_of(error)}"
        return {"error": _failed("met a fault of its own", fault=fault).to_dict()}


def _failed(what: str, **where: object) -> SourceParserFailedError:
    return SourceParserFailedError(f"The reader of the source {what}.", hint="Export the source again.", **where)


def _place_of(error: Exception) -> str:
    """File and line where it arose: no text of the source, and no path of this machine."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


def _stay_with_parent(lifeline: BinaryIO) -> None:
    def wait() -> None:
        lifeline.read()
        os._exit(ORPHANED)

    Thread(target=wait, daemon=True).start()


def _limit(memory_bytes: int, seconds: float) -> None:
    """Bound memory from here on, processor time, core dumps, written files and open files."""
    limit_memory(memory_bytes)
    processor = int(seconds * (os.cpu_count() or 1)) + _SPARE_SECONDS
    for limit, most in (
        (resource.RLIMIT_CPU, processor),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    ):
        resource.setrlimit(limit, (most, most))


if __name__ == "__main__":
    main()
