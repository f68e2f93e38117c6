"""Builds the graphs of datasets: one job a dataset at a time, supervised, its products checked before they are kept."""

import os
import secrets
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock, Thread
from typing import Any

from app.build.output import GRAPH_FILE, REPORT_FILE
from app.datasets.catalog import Dataset
from app.datasets.construction_status import ConstructionState, ConstructionStatus, timestamp
from app.datasets.jobs import JobFolder, JobOrder, JobRunner, RunningJob
from app.errors import (
    BuildCapacityError,
    BuildConflictError,
    GraphwrightError,
    NotBuiltError,
    TimeBudgetExhaustedError,
    WorkerLostError,
)
from app.values import canonical_json

GRACE_SECONDS = 30.0
"""How long a build may overrun its own time budget before it is killed."""


@dataclass(frozen=True, slots=True)
class _Build:
    """A build that runs in this process's care."""

    dataset: Dataset
    folder: JobFolder
    status: ConstructionStatus
    job: RunningJob
    seconds: float


class Constructions:
    """Starts builds, knows how they stand and settles them when they end."""

    def __init__(self, runner: JobRunner, *, capacity: int, grace_seconds: float = GRACE_SECONDS) -> None:
        self._runner, self._capacity, self._grace_seconds = runner, capacity, grace_seconds
        self._running: dict[str, _Build] = {}
        self._lock = RLock()

    def status(self, dataset: Dataset) -> ConstructionStatus:
        """How the dataset's construction stands now, with the latest step of a running build."""
        with self._lock:
            build = self._running.get(dataset.dataset_id)
            status = ConstructionStatus.read(dataset.construction)
        if build is not None:
            return replace(status, progress=build.folder.read_progress())
        return _abandoned(status) if status.state is ConstructionState.BUILDING else status

    def start(self, dataset: Dataset, options: Mapping[str, Any], *, max_seconds: float) -> ConstructionStatus:
        """Start a build, unless a graph is ready (it is reused) or the same build already runs.

        Raises `BuildConflictError` for a running build with other options, `BuildCapacityError` if no slot is free.
        """
        with self._lock:
            status = self.status(dataset)
            if status.state is ConstructionState.READY:
                return status
            if dataset.dataset_id in self._running:
                return self._joined(status, options)
            self._require_capacity()
            return self._launch(dataset, options, max_seconds)

    def graph_file(self, dataset: Dataset) -> tuple[Path, int]:
        """The ready graph's file and revision; `NotBuiltError` in any other state."""
        status = self.status(dataset)
        if status.state is not ConstructionState.READY or status.revision is None:
            raise NotBuiltError(
                f"The dataset has no graph to read; its construction is {status.state}.",
                hint="POST …/construction/build, and wait until the state is ready.",
                dataset=dataset.dataset_id,
                state=status.state,
            )
        return dataset.construction / GRAPH_FILE, status.revision

    def recover(self, datasets: Iterable[Dataset]) -> None:
        """Settle builds that an earlier process left behind; a complete one is kept."""
        for dataset in datasets:
            status = ConstructionStatus.read(dataset.construction)
            if status.state is ConstructionState.BUILDING and status.build_id is not None:
                _settle(dataset, _job_folder(dataset, status.build_id), status, None)

    def close(self) -> None:
        """End all running builds; their datasets become failed."""
        with self._lock:
            builds = list(self._running.values())
        for build in builds:
            build.job.kill()
        for build in builds:
            self._supervise(build)

    def _joined(self, status: ConstructionStatus, options: Mapping[str, Any]) -> ConstructionStatus:
        if canonical_json(status.options) != canonical_json(options):
            raise BuildConflictError(
                "The dataset is being built with other options.",
                hint="Wait for it to end, or upload the source again to compare options.",
                build=status.build_id,
            )
        return status

    def _require_capacity(self) -> None:
        if len(self._running) >= self._capacity:
            raise BuildCapacityError(
                "Another build is running, and no more may run at the same time.",
                hint="Wait for it to end, then post again.",
                limit=self._capacity,
            )

    def _launch(self, dataset: Dataset, options: Mapping[str, Any], max_seconds: float) -> ConstructionStatus:
        build_id = "build_" + secrets.token_hex(10)
        folder = _job_folder(dataset, build_id)
        shutil.rmtree(folder.path.parent, ignore_errors=True)
        folder.write_order(JobOrder(build_id, str(dataset.source), options, dataset.record.file_name))
        status = ConstructionStatus(ConstructionState.BUILDING, build_id, options, started_at=timestamp())
        job = self._runner.start(folder.path)
        status.write(dataset.construction)
        build = _Build(dataset, folder, status, job, max_seconds + self._grace_seconds)
        self._running[dataset.dataset_id] = build
        Thread(target=self._supervise, args=(build,), name=build_id, daemon=True).start()
        return status

    def _supervise(self, build: _Build) -> None:
        late = None
        if not build.job.wait(build.seconds):
            late = TimeBudgetExhaustedError("The build overran its time budget and was ended.")
            build.job.kill()
            build.job.wait(self._grace_seconds)
        with self._lock:
            if self._running.get(build.dataset.dataset_id) is build:
                try:
                    _settle(build.dataset, build.folder, build.status, late)
                finally:
                    del self._running[build.dataset.dataset_id]


def _job_folder(dataset: Dataset, build_id: str) -> JobFolder:
    return JobFolder(dataset.construction / "jobs" / build_id)


def _settle(dataset: Dataset, folder: JobFolder, status: ConstructionStatus, late: GraphwrightError | None) -> None:
    """Keep the products of a job that ended and write its final state; the job's folder stays until that is done."""
    final = _outcome(folder, status, late)
    _keep(folder.report, dataset.construction / REPORT_FILE)
    if final.state is ConstructionState.READY:
        _keep(folder.graph, dataset.construction / GRAPH_FILE)
    replace(final, finished_at=timestamp()).write(dataset.construction)
    if final.state is ConstructionState.READY:
        shutil.rmtree(folder.path.parent, ignore_errors=True)


def _outcome(folder: JobFolder, status: ConstructionStatus, late: GraphwrightError | None) -> ConstructionStatus:
    try:
        if late is not None:
            raise late
        receipt = folder.read_receipt(str(status.build_id))
    except GraphwrightError as error:
        return replace(status, state=ConstructionState.FAILED, failure_code=error.code, error=error.to_dict())
    if receipt.failure_code is None:
        return replace(status, state=ConstructionState.READY, revision=1, summary=receipt.summary)
    return replace(status, state=ConstructionState.FAILED, failure_code=receipt.failure_code, error=receipt.error)


def _abandoned(status: ConstructionStatus) -> ConstructionStatus:
    """A build that is on record as running although nothing runs it, since its end could not be written down."""
    error = WorkerLostError("It is not known how the build ended.", hint="Build again.")
    return replace(status, state=ConstructionState.FAILED, failure_code=error.code, error=error.to_dict())


def _keep(product: Path, place: Path) -> None:
    """Put a product in its place in one step; a second call after a crash does the same again."""
    if not product.is_file():
        return
    staged = place.with_name("." + place.name)
    staged.unlink(missing_ok=True)
    try:
        os.link(product, staged)
    except OSError:  # a file system without hard links
        shutil.copyfile(product, staged)
    staged.replace(place)
