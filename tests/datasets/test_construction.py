"""Builds of datasets: states, reuse, conflicts, capacity, receipts, killed and left-over builds."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from app.build.progress import Progress
from app.datasets.catalog import Dataset, DatasetCatalog
from app.datasets.construction import Constructions
from app.datasets.construction_status import ConstructionState, ConstructionStatus
from app.datasets.jobs import JobFolder
from app.datasets.local_process import LocalProcess, LocalProcessRunner
from app.errors import BuildCapacityError, BuildConflictError, NotBuiltError

OPTIONS = {"query_count": 3}


class HeldJob:
    """A job that ends when the test says so."""

    def __init__(self, folder: JobFolder) -> None:
        self.folder = folder
        self.killed = False
        self._ended = threading.Event()

    def wait(self, timeout: float) -> bool:
        return self._ended.wait(timeout)

    def kill(self) -> None:
        self.killed = True
        self._ended.set()

    @property
    def build_id(self) -> str:
        return self.folder.read_order().build_id

    def succeed(self, graph: bytes = b'{"nodes":[]}') -> None:
        self.folder.graph.write_bytes(graph)
        self.folder.report.write_text("{}")
        self.folder.write_success(self.build_id, {"nodes": 0})
        self._ended.set()

    def end(self) -> None:
        self._ended.set()


class HeldRunner:
    """A backend that does nothing by itself."""

    def __init__(self) -> None:
        self.jobs: list[HeldJob] = []

    def start(self, folder: Path) -> HeldJob:
        self.jobs.append(HeldJob(JobFolder(folder)))
        return self.jobs[-1]


@pytest.fixture
def catalog(tmp_path: Path) -> DatasetCatalog:
    return DatasetCatalog(tmp_path, owner="local", max_upload_bytes=1_000)


@pytest.fixture
def dataset(catalog: DatasetCatalog) -> Dataset:
    return new_dataset(catalog)


@pytest.fixture
def runner() -> HeldRunner:
    return HeldRunner()


@pytest.fixture
def constructions(runner: HeldRunner) -> Constructions:
    return Constructions(runner, capacity=1)


def new_dataset(catalog: DatasetCatalog) -> Dataset:
    with catalog.receive("a.sql") as upload:
        upload.write(b"CREATE TABLE a (b);")
        return upload.finish()


def settled(constructions: Constructions, dataset: Dataset, seconds: float = 20) -> ConstructionStatus:
    end = time.monotonic() + seconds
    while (status := constructions.status(dataset)).state is ConstructionState.BUILDING:
        assert time.monotonic() < end, "the build is never settled"
        time.sleep(0.01)
    return status


def start(constructions: Constructions, dataset: Dataset, **options: object) -> ConstructionStatus:
    return constructions.start(dataset, OPTIONS | options, max_seconds=60)


def test_from_not_built_to_ready(constructions: Constructions, dataset: Dataset, runner: HeldRunner) -> None:
    assert constructions.status(dataset) == ConstructionStatus()
    with pytest.raises(NotBuiltError, match="not_built"):
        constructions.graph_file(dataset)
    assert start(constructions, dataset).state is ConstructionState.BUILDING
    runner.jobs[0].folder.write_progress(Progress("evolution", "Trying", 1, 4))
    assert constructions.status(dataset).progress == Progress("evolution", "Trying", 1, 4)
    runner.jobs[0].succeed(b"graph")
    status = settled(constructions, dataset)
    assert (status.state, status.revision, status.summary) == (ConstructionState.READY, 1, {"nodes": 0})
    file, revision = constructions.graph_file(dataset)
    assert (file.read_bytes(), revision) == (b"graph", 1)
    assert sorted(path.name for path in dataset.construction.iterdir()) == [
        "evolution-report.json",
        "graph.json",
        "status.json",
    ]


def test_a_ready_graph_is_reused_whatever_the_options(
    constructions: Constructions, dataset: Dataset, runner: HeldRunner
) -> None:
    start(constructions, dataset)
    runner.jobs[0].succeed()
    ready = settled(constructions, dataset)
    assert start(constructions, dataset, query_count=9) == ready
    assert len(runner.jobs) == 1


def test_the_same_build_is_joined_and_another_is_a_conflict(
    constructions: Constructions, dataset: Dataset, runner: HeldRunner
) -> None:
    first = start(constructions, dataset)
    assert start(constructions, dataset).build_id == first.build_id
    with pytest.raises(BuildConflictError):
        start(constructions, dataset, query_count=4)
    assert len(runner.jobs) == 1


def test_capacity_is_shared_by_datasets(
    constructions: Constructions, catalog: DatasetCatalog, runner: HeldRunner
) -> None:
    first, second = new_dataset(catalog), new_dataset(catalog)
    start(constructions, first)
    with pytest.raises(BuildCapacityError):
        start(constructions, second)
    assert constructions.status(second).state is ConstructionState.NOT_BUILT
    runner.jobs[0].succeed()
    settled(constructions, first)
    assert start(constructions, second).state is ConstructionState.BUILDING


def test_a_failure_is_kept_and_can_be_tried_again(
    constructions: Constructions, dataset: Dataset, runner: HeldRunner
) -> None:
    start(constructions, dataset)
    job = runner.jobs[0]
    job.folder.write_failure(job.build_id, {"code": "sql_unsupported", "message": "A trigger."})
    job.end()
    status = settled(constructions, dataset)
    assert (status.state, status.failure_code) == (ConstructionState.FAILED, "sql_unsupported")
    assert status.error == {"code": "sql_unsupported", "message": "A trigger."}
    start(constructions, dataset)
    runner.jobs[1].succeed()
    assert settled(constructions, dataset).state is ConstructionState.READY


@pytest.mark.parametrize("harm", ["no receipt", "other build", "other graph", "no graph", "other file"])
def test_a_receipt_that_does_not_fit_is_no_success(
    constructions: Constructions, dataset: Dataset, runner: HeldRunner, harm: str
) -> None:
    start(constructions, dataset)
    job = runner.jobs[0]
    job.folder.graph.write_bytes(b"graph")
    job.folder.write_success("another" if harm == "other build" else job.build_id, {})
    receipt = job.folder.path / "receipt.json"
    if harm == "no receipt":
        receipt.unlink()
    elif harm == "other graph":
        job.folder.graph.write_bytes(b"grapf")
    elif harm == "no graph":
        job.folder.graph.unlink()
    elif harm == "other file":
        receipt.write_text(json.dumps(json.loads(receipt.read_text()) | {"file": "../graph.json"}))
    job.end()
    status = settled(constructions, dataset)
    assert (status.state, status.failure_code) == (ConstructionState.FAILED, "construction_worker_lost")
    assert not (dataset.construction / "graph.json").exists()


def test_a_build_that_overruns_is_killed(dataset: Dataset, runner: HeldRunner) -> None:
    constructions = Constructions(runner, capacity=1, grace_seconds=0.05)
    constructions.start(dataset, OPTIONS, max_seconds=0.05)
    status = settled(constructions, dataset)
    assert runner.jobs[0].killed
    assert status.failure_code == "construction_time_budget_exhausted"


def test_closing_ends_running_builds(constructions: Constructions, dataset: Dataset, runner: HeldRunner) -> None:
    start(constructions, dataset)
    constructions.close()
    assert runner.jobs[0].killed
    assert ConstructionStatus.read(dataset.construction).failure_code == "construction_worker_lost"


@pytest.mark.parametrize("moved", [False, True])
def test_a_complete_build_of_a_dead_server_is_kept(
    constructions: Constructions, dataset: Dataset, runner: HeldRunner, moved: bool
) -> None:
    start(constructions, dataset)
    job = runner.jobs[0]
    job.folder.graph.write_bytes(b"graph")
    job.folder.write_success(job.build_id, {"nodes": 1})
    if moved:
        (dataset.construction / "graph.json").write_bytes(b"graph")
    after_restart = Constructions(HeldRunner(), capacity=1)
    after_restart.recover([dataset])
    assert after_restart.status(dataset).state is ConstructionState.READY
    assert after_restart.graph_file(dataset)[0].read_bytes() == b"graph"


def test_a_half_build_of_a_dead_server_failed(constructions: Constructions, dataset: Dataset) -> None:
    start(constructions, dataset)
    after_restart = Constructions(HeldRunner(), capacity=1)
    assert after_restart.status(dataset).failure_code == "construction_worker_lost"
    after_restart.recover([dataset])
    assert ConstructionStatus.read(dataset.construction).state is ConstructionState.FAILED
    assert start(after_restart, dataset).state is ConstructionState.BUILDING


def test_a_killed_child_process_is_a_failed_build(dataset: Dataset) -> None:
    class Recording:
        """The real backend, with the process at hand."""

        def __init__(self) -> None:
            self.inner, self.process = LocalProcessRunner("app.service.builds.worker"), None

        def start(self, folder: Path) -> LocalProcess:
            self.process = self.inner.start(folder)
            return self.process

    runner = Recording()
    constructions = Constructions(runner, capacity=1)
    start(constructions, dataset)
    assert runner.process is not None
    os.kill(runner.process.pid, signal.SIGKILL)
    assert settled(constructions, dataset).failure_code == "construction_worker_lost"
