"""evolution-report.json: the tabular_evolution.v1 report of one build, written atomically phase by phase."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from statistics import median
from typing import Any

from app.build.options import DEFAULT_QUERY_COUNT, BuildOptions
from app.build.output import OutputDirectory
from app.build.progress import Progress, ProgressCallback
from app.errors import GraphwrightError
from app.evolution.acceptance import PairedComparison
from app.evolution.evaluation import Evaluation
from app.evolution.loop import Evolution
from app.graph.model.property_graph import PropertyGraph

REPORT_VERSION = "tabular_evolution.v1"


class Report:
    """Collects the report's fields as JSON; each finished phase writes what is known so far.

    A field becomes text once, when it is set, since the fields of a source with many tables are long.
    """

    def __init__(self, output: OutputDirectory, progress: ProgressCallback) -> None:
        self._output = output
        self._progress = progress
        self._phase_seconds: dict[str, float] = {}
        self._texts: dict[str, str] = {}
        self.set(version=REPORT_VERSION, state="building")

    def set(self, **fields: Any) -> None:
        """Add or replace fields."""
        for name, value in fields.items():
            text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
            self._texts[name] = text.replace("\n", "\n  ")

    @contextmanager
    def phase(self, name: str, message: str) -> Iterator[None]:
        """Time a phase, report it, and write the report when it is done."""
        self._progress(Progress(name, message))
        started = time.perf_counter()
        yield
        self._phase_seconds[name] = time.perf_counter() - started
        self.write()

    def fail(self, error: GraphwrightError) -> None:
        """Record why the build failed, and leave the report beside the old result."""
        self.set(state="failed", failure_code=error.code, error=error.to_dict())
        self.write()
        self._output.keep_failed_report()

    def write(self) -> None:
        """Write the report as it is."""
        self.set(phase_seconds=self._phase_seconds)
        members = (f'  "{name}": {text}' for name, text in self._texts.items())
        self._output.write_report("{\n" + ",\n".join(members) + "\n}")


def config_document(options: BuildOptions) -> dict[str, Any]:
    """The options in force, without the supplied plans: those are the report's `queries`."""
    document = asdict(options)
    document["queries"] = None if options.queries is None else "supplied"
    document["query_count"] = options.query_count or DEFAULT_QUERY_COUNT
    return document


def size_document(graph: PropertyGraph) -> dict[str, int]:
    """Nodes and edges of a graph."""
    return {"nodes": graph.node_count, "edges": graph.edge_count}


def history_fields(evolution: Evolution) -> dict[str, Any]:
    """What the exploration has found so far."""
    return {
        "history": [attempt.to_dict() for attempt in evolution.history],
        "candidates_evaluated": evolution.evaluated,
        "accepted_candidates": evolution.accepted,
    }


def performance_document(baseline: Evaluation, final: Evaluation, paired: PairedComparison | None) -> dict[str, Any]:
    """Costs in seconds of G0 and of the final graph, measured side by side if the final graph is another one.

    A G0 that does not answer every plan has no cost: what it leaves out takes no time.
    """
    if not baseline.all_passed:
        return {"baseline_cost": None, "final_cost": final.cost, "gain": None, "outcome": "more_plans_pass"}
    if paired is None:
        cost = baseline.cost
        return {"baseline_cost": cost, "final_cost": cost, "gain": 0.0, "outcome": "no_measured_improvement"}
    return {
        "baseline_cost": median(round_.current.cost for round_ in paired.rounds),
        "final_cost": median(round_.candidate.cost for round_ in paired.rounds),
        "gain": paired.median_gain,
        "outcome": "improved" if paired.median_gain > 0 else "no_measured_improvement",
        "comparison": paired.to_dict(),
    }
