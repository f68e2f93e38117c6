"""What doors and workers report for an exception of any kind."""

import traceback
from pathlib import Path

from app.errors import FileSystemError, GraphwrightError, OutOfMemoryError


def as_graphwright_error(error: Exception, log: Path) -> GraphwrightError:
    """The error to report for `error`; one that no error class covers goes to `log` with its traceback."""
    if isinstance(error, GraphwrightError):
        return error
    if isinstance(error, MemoryError):
        return OutOfMemoryError("There is not enough memory.", hint="Use less data, or a larger machine.")
    if isinstance(error, OSError):
        return FileSystemError(
            f"The file system refused: {error.strerror or error}.",
            hint="Check free space and permissions.",
            file=error.filename,
        )
    _write_log(error, log)
    return GraphwrightError(
        f"Graphwright met a fault of its own ({type(error).__name__}).", hint=f"The details are in {log}."
    )


def _write_log(error: Exception, log: Path) -> None:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.writelines(traceback.format_exception(error))
    except OSError:
        return
