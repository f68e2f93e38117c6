"""A transformation that somebody proposes for the incumbent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.values import canonical_sha256


@dataclass(frozen=True, slots=True)
class Proposal:
    """A tool with its arguments; `cost_share` is the share of query time of the plans that it is meant to help."""

    tool: str
    arguments: Mapping[str, Any]
    cost_share: float = 0.0

    def key(self, graph_digest: str) -> str:
        """Equal for the same proposal on the same graph, however it came about."""
        return canonical_sha256([graph_digest, self.tool, self.arguments])
