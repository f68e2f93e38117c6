"""The use case of a build: a source file in, a proven graph in an output directory out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.budget import deadline
from app.build.phases import build_graph
from app.build.progress import Progress, ProgressCallback, no_progress
from app.build.result import BuildResult
from app.errors import NotAvailableError
from app.service.builds.explain import Explanation, explain
from app.service.builds.options import JobOptions, longest_build
from app.sources.load import load_source


class BuildService:
    """Builds graphs with options from a door, from the environment, and defaults, in this order."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def build(
        self,
        source: Sequence[Path],
        output: Path,
        given: Mapping[str, object],
        progress: ProgressCallback = no_progress,
    ) -> BuildResult:
        """Build `source`, one or more files or a folder, into `output`, which keeps what it had on any failure."""
        options = JobOptions.from_options(given, self._environment, max_seconds=longest_build(given))
        return build(source, output, options, progress)

    def explain(self, source: Sequence[Path], built: Path | None, given: Mapping[str, object]) -> list[Explanation]:
        """How the plans of a build of `source` are answered; see `explain`."""
        options = JobOptions.from_options(given, self._environment, max_seconds=longest_build(given))
        return explain(source, options, built)


def build(
    source: Sequence[Path],
    output: Path,
    options: JobOptions,
    progress: ProgressCallback = no_progress,
    name: str | None = None,
) -> BuildResult:
    """Build with complete options; reading the source counts towards `max_seconds`.

    `name` is what the user calls a single file that is kept under another name.
    """
    require_available(options)
    with deadline(options.build.max_seconds, "the construction"):
        progress(Progress("source", f"Reading {name or ', '.join(path.name for path in source)}"))
        return build_graph(load_source(source, options.source, name=name), options.build, output, progress)


def require_available(options: JobOptions) -> None:
    """Refuse what this version cannot do before any work is done."""
    if options.build.mode == "llm":
        raise NotAvailableError(
            "mode=llm is not available yet: it comes in a later version.", hint="Use mode=rules, which needs no model."
        )
