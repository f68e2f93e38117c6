"""The use cases of datasets: upload, list, build, and read the graph; documents as the API shows them."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.build.progress import Progress
from app.datasets.catalog import Dataset, DatasetCatalog, Upload
from app.datasets.construction import Constructions
from app.datasets.construction_status import ConstructionState, ConstructionStatus
from app.service.builds.build import require_available
from app.service.builds.options import JobOptions
from app.service.preview import preview

SOURCE_READY = "source_ready"
"""How a dataset whose source is kept, and of which no graph was built, shows in lists."""


class DatasetService:
    """The datasets of the one local owner."""

    def __init__(self, catalog: DatasetCatalog, constructions: Constructions, environment: Mapping[str, str]) -> None:
        self._catalog, self._constructions, self._environment = catalog, constructions, environment

    def recover(self) -> None:
        """Put in order what a process that died left behind."""
        self._catalog.sweep()
        self._constructions.recover(self._catalog.datasets())

    def close(self) -> None:
        """End running builds."""
        self._constructions.close()

    def receive(self, file_name: str) -> Upload:
        """Begin an upload."""
        return self._catalog.receive(file_name)

    def describe(self, dataset: Dataset) -> dict[str, Any]:
        """A dataset as JSON; `state` is source_ready, building, ready or failed."""
        record = asdict(dataset.record)
        del record["source_file"]
        state = self._constructions.status(dataset).state
        return {**record, "state": SOURCE_READY if state is ConstructionState.NOT_BUILT else state}

    def datasets(self) -> list[dict[str, Any]]:
        """All datasets as JSON, oldest first."""
        return [self.describe(dataset) for dataset in self._catalog.datasets()]

    def construction(self, dataset_id: str) -> dict[str, Any]:
        """How a dataset's construction stands, as JSON."""
        dataset = self._catalog.get(dataset_id)
        return _document(dataset, self._constructions.status(dataset))

    def source_preview(self, dataset_id: str, delimiter: str | None = None, *, header: bool = True) -> dict[str, Any]:
        """The source as it is kept: tables, keys, a few rows; nothing is built or changed."""
        dataset = self._catalog.get(dataset_id)
        return preview([dataset.source], delimiter=delimiter, header=header, names=[dataset.record.file_name])

    def build(self, dataset_id: str, given: Mapping[str, object]) -> dict[str, Any]:
        """Start a build, join the same one, or reuse a ready graph; the construction as JSON."""
        dataset = self._catalog.get(dataset_id)
        options = JobOptions.from_options(given, self._environment)
        require_available(options)
        status = self._constructions.start(dataset, options.to_dict(), max_seconds=options.build.max_seconds)
        return _document(dataset, status)

    def graph(self, dataset_id: str) -> tuple[Path, int]:
        """The file of a ready graph and its revision."""
        return self._constructions.graph_file(self._catalog.get(dataset_id))


def _document(dataset: Dataset, status: ConstructionStatus) -> dict[str, Any]:
    state = status.state
    return {
        "dataset_id": dataset.dataset_id,
        "source_state": SOURCE_READY,
        **asdict(status),
        "progress": _step(status.progress),
        "capabilities": {
            "build": state in (ConstructionState.NOT_BUILT, ConstructionState.FAILED),
            "graph": state is ConstructionState.READY,
        },
    }


def _step(step: Progress | None) -> dict[str, Any] | None:
    return None if step is None else {**asdict(step), "fraction": step.fraction}
