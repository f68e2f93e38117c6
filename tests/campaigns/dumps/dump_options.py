"""Options of a dump tool: runs whose outputs together are one dump."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DumpOptions:
    """Runs of a dump tool, whose outputs together are one dump; `session` says how its server prints values."""

    runs: tuple[tuple[str, ...], ...]
    joined: bool = False
    session: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " + ".join(" ".join(run) or "(none)" for run in self.runs) + (" (one file)" if self.joined else "")
