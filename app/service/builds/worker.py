"""The process that runs one build job: `python -m app.service.builds.worker JOB_FOLDER`.

It reads the order, keeps the latest step in the folder, and writes a receipt last. It ends when its standard input
closes, which is when the process that started it is gone.
"""

import os
import sys
import time
from pathlib import Path
from threading import Thread
from typing import BinaryIO

from app.build.options import FULL_SCALE_MAX_SECONDS
from app.build.progress import Progress
from app.datasets.jobs import JobFolder
from app.datasets.memory_limit import limit_memory
from app.service.builds.build import build
from app.service.builds.options import JobOptions
from app.service.failures import as_graphwright_error
from app.sources.options import GIB, ResourceProfile

STEP_SECONDS = 0.3
"""The least time between two steps of the same phase that are written down."""

ORPHANED = 70

MEMORY_BYTES = {ResourceProfile.BOUNDED: 4 * GIB, ResourceProfile.FULL_SCALE: 24 * GIB}
"""A build that wants more ends as `out_of_memory`, and takes nothing else on the machine with it."""


class StepWriter:
    """Keeps the latest step in the job's folder, but not every one of many."""

    def __init__(self, folder: JobFolder) -> None:
        self._folder = folder
        self._phase, self._written_at = "", 0.0

    def __call__(self, step: Progress) -> None:
        """Write the step down, unless one of its phase was just written."""
        now = time.monotonic()
        if step.phase != self._phase or now - self._written_at >= STEP_SECONDS:
            self._phase, self._written_at = step.phase, now
            self._folder.write_progress(step)


def run_job(folder: JobFolder) -> None:
    """Do what the folder's order says and leave a receipt, whatever happens."""
    order = folder.read_order()
    try:
        options = JobOptions.from_options(order.options, {}, max_seconds=FULL_SCALE_MAX_SECONDS)
        limit_memory(MEMORY_BYTES[options.source.resource_profile])
        result = build([Path(order.source)], folder.path, options, StepWriter(folder), order.source_name)
    except Exception as error:
        folder.write_failure(order.build_id, as_graphwright_error(error, folder.path / "fault.log").to_dict())
    else:
        summary = result.to_dict()
        del summary["output"]  # the job's folder is gone once its products are kept
        folder.write_success(order.build_id, summary)


def _end_with(lifeline: BinaryIO) -> None:
    lifeline.read()
    os._exit(ORPHANED)


def main() -> None:
    """Run the job of the folder named on the command line."""
    Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    run_job(JobFolder(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
