"""What a finished build gives to whoever started it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.build.warnings import warning_count
from app.graph.model.property_graph import PropertyGraph
from app.sources.relational_source import SourceWarning


@dataclass(frozen=True)
class BuildResult:
    """A finished build: the graph that was kept and the figures of its report; costs in seconds.

    `initial_queries_passed` is how many queries the first graph answered; if not all, it has no `baseline_cost`.
    """

    graph: PropertyGraph
    output: Path
    warnings: tuple[SourceWarning, ...]
    initial_nodes: int
    initial_edges: int
    initial_queries_passed: int
    queries_total: int
    queries_passed: int
    candidates_evaluated: int
    accepted_candidates: int
    baseline_cost: float | None
    final_cost: float
    workload_sha256: str
    source_sha256: str
    final_graph_sha256: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The summary that `graphwright build --json` prints."""
        return {
            "state": "ready",
            "initial_nodes": self.initial_nodes,
            "initial_edges": self.initial_edges,
            "initial_queries_passed": self.initial_queries_passed,
            "nodes": self.graph.node_count,
            "edges": self.graph.edge_count,
            "warnings": warning_count(self.warnings),
            "queries_total": self.queries_total,
            "queries_passed": self.queries_passed,
            "candidates_evaluated": self.candidates_evaluated,
            "accepted_candidates": self.accepted_candidates,
            "baseline_cost": self.baseline_cost,
            "final_cost": self.final_cost,
            "workload_sha256": self.workload_sha256,
            "source_sha256": self.source_sha256,
            "final_graph_sha256": self.final_graph_sha256,
            "output": str(self.output),
        }
