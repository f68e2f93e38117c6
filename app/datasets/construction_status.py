"""What is known of a dataset's construction: its state on disk, in status.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.build.progress import Progress
from app.store.servers.files import write_private
from app.values import canonical_json

STATUS_FILE = "status.json"


class ConstructionState(StrEnum):
    """Where a dataset stands; its source is kept in all of them."""

    NOT_BUILT = "not_built"
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ConstructionStatus:
    """The construction of one dataset; `options` are those of its latest build, `summary` describes a ready graph."""

    state: ConstructionState = ConstructionState.NOT_BUILT
    build_id: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    started_at: str | None = None
    finished_at: str | None = None
    revision: int | None = None
    summary: Mapping[str, Any] | None = None
    failure_code: str | None = None
    error: Mapping[str, Any] | None = None
    progress: Progress | None = None

    def write(self, construction: Path) -> None:
        """Replace status.json in the dataset's construction folder."""
        write_private(construction / STATUS_FILE, canonical_json(asdict(self)))

    @classmethod
    def read(cls, construction: Path) -> "ConstructionStatus":
        """The status on disk; not_built if there is none."""
        try:
            document = json.loads((construction / STATUS_FILE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        progress = document.pop("progress")
        return cls(
            **{**document, "state": ConstructionState(document["state"])},
            progress=None if progress is None else Progress(**progress),
        )


def timestamp() -> str:
    """Now, in UTC, as JSON shows it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
