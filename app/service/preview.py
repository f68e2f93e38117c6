"""The use case of a preview: a source as it is kept, parsed in a child process that cannot harm this one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from app.datasets.sandbox import MIB, SandboxLimits, run_in_sandbox
from app.inspect.preview.limits import SECONDS

_TASK = "app.inspect.preview.preview:preview_document"
_LIMITS = SandboxLimits(memory_bytes=1024 * MIB, seconds=SECONDS)
_AT_ONCE = BoundedSemaphore(2)
"""Previews that may run side by side; others wait, so that many requests don't take all memory."""


def preview(
    paths: Sequence[Path],
    *,
    delimiter: str | None = None,
    header: bool = True,
    dialect: str | None = None,
    names: Sequence[str] = (),
    csv_schema: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The preview of a source as JSON (source_preview.v1); `names` are its files' own names.

    Raises what `app.inspect.preview.preview.preview_source` raises, and `SourceParserFailedError`.
    """
    argument = {
        "paths": [str(path.absolute()) for path in paths],
        "delimiter": delimiter,
        "header": header,
        "dialect": dialect,
        "names": list(names),
        "csv_schema": csv_schema,
    }
    with _AT_ONCE:
        document: dict[str, Any] = run_in_sandbox(_TASK, argument, _LIMITS)
    return document
