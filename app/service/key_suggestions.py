"""The use case of key suggestions: tables of files in, ranked candidates and a csv_bundle.v1 proposal out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.datasets.sandbox import MIB, SandboxLimits, run_in_sandbox
from app.errors import InvalidOptionError, SourceEmptyError
from app.sources.files.kinds import BUNDLE_SUFFIXES, TABLE_SUFFIXES, suffix_of

DEFAULT_SECONDS = 60.0
MAX_SECONDS = 3_600.0

_TASK = "app.inspect.keys.document:suggestion_document"
_MEMORY = 6 * 1024 * MIB


def suggest(
    paths: Sequence[Path], *, threshold: float, delimiter: str | None = None, seconds: float = DEFAULT_SECONDS
) -> dict[str, Any]:
    """Candidates of at least `threshold` as JSON, with `proposal`, a csv_bundle.v1 schema, if all files are CSV.

    A folder stands for its CSV files, or for its TXT files if it has no other. Half of the time at most goes into
    reading; the search ends when the time is up, and `complete` is false then.
    """
    if not 0 <= threshold <= 1:
        raise InvalidOptionError("threshold must be from 0 to 1.", option="threshold", value=threshold)
    if not 0 < seconds <= MAX_SECONDS:
        raise InvalidOptionError(
            f"max-seconds must be above 0 and at most {MAX_SECONDS:,.0f}.", option="max-seconds", value=seconds
        )
    files = files_of(paths)
    argument = {
        "paths": [str(path.absolute()) for path in files],
        "all_csv": all(suffix_of(path.name) in BUNDLE_SUFFIXES for path in files),
        "threshold": threshold,
        "delimiter": delimiter,
        "seconds": seconds,
    }
    document: dict[str, Any] = run_in_sandbox(_TASK, argument, SandboxLimits(_MEMORY, 2 * seconds))
    return document


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files meant: of a folder its CSV files, by name, or else its TXT files, as in a GTFS feed."""
    return [file for path in paths for file in (_table_files(path) if path.is_dir() else [path])]


def _table_files(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if suffix_of(path.name) in BUNDLE_SUFFIXES)
    if not found:
        raise SourceEmptyError(
            f"The folder {folder} holds no CSV or TXT files.", hint="Name the files themselves.", file=folder.name
        )
    return [path for path in found if suffix_of(path.name) in TABLE_SUFFIXES] or found
