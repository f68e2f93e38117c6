"""GraphExecutor beside its peers: the same frozen workload, full answers, every answer checked."""

import gc
import json
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import apsw

from app.budget import RowLimit
from app.executor.run.comparison import compare_rows
from app.graph.g0 import build_initial_graph, match_references
from app.oracle.sqlite_oracle import SqliteOracle
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.workload.binding.cell_types import cell_types
from app.workload.bound import BoundPlan
from app.workload.freezing import freeze
from app.workload.generation.generator import GeneratorInput, generate_plans
from scripts.benchmarks.engines import Data, Engine, Graphwright, Query, engines
from scripts.benchmarks.shapes import SHAPES
from scripts.benchmarks.tables import write_image

QUERY_COUNT = 15
SAMPLES = 5
SAMPLE_SECONDS = 0.02
SLOW_SECONDS = 0.5


@dataclass
class Measured:
    """One source: median seconds by engine and plan, and which answers were wrong."""

    shape: str
    rows: int
    preparation_seconds: float
    seconds: dict[str, dict[str, float]]
    wrong: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def geomean(self, peer: str) -> float | None:
        """How many times faster than the peer, as a geometric mean over the plans."""
        if peer not in self.seconds:
            return None
        own = self.seconds["graphwright"]
        return math.exp(sum(math.log(self.seconds[peer][plan] / own[plan]) for plan in own) / len(own))

    def to_dict(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "rows": self.rows,
            **{f"geomean_vs_{peer}": self.geomean(peer) for peer in ("sqlite", "duckdb", "ladybug")},
            "all_correct": not self.wrong,
            "wrong_answers": self.wrong,
            "preparation_seconds": self.preparation_seconds,
            "left_out": self.missing,
            "milliseconds": {
                peer: {plan: seconds * 1e3 for plan, seconds in plans.items()} for peer, plans in self.seconds.items()
            },
        }


def run(rows: Sequence[int], shapes: Sequence[str], json_file: Path | None, *, details: bool) -> bool:
    """Measure all sources, print the table, and return whether every answer was right."""
    results: list[Measured] = []
    for count in rows:
        for shape in shapes:
            with tempfile.TemporaryDirectory() as folder:
                results.append(measure(shape, count, Path(folder)))
            _print_result(results[-1], details=details)
            gc.collect()
    if json_file is not None:
        json_file.write_text(json.dumps([result.to_dict() for result in results], indent=2) + "\n")
    _print_table(results)
    return not any(result.wrong for result in results)


def measure(shape: str, rows: int, folder: Path) -> Measured:
    """Generate one source, freeze its workload, and measure every engine on it."""
    image = folder / f"{shape}.db"
    write_image(SHAPES[shape](rows), image)
    source = load_source(image, SourceOptions.from_options({"resource_profile": "full_scale"}))
    references = match_references(source.schema, source.tables)
    graph = build_initial_graph(source.schema, source.tables, references)
    data = Data(image, graph)
    documents = generate_plans(
        GeneratorInput(source.schema, source.tables, references.pointers, max(200_000, 10 * rows)), QUERY_COUNT
    )
    workload = freeze(documents, source.schema, QUERY_COUNT, cell_types(source.tables))
    found, missing = engines(data)
    result = Measured(shape, source.row_count, 0.0, {engine.name: {} for engine in found}, missing=missing)
    with SqliteOracle.over_image(image.read_bytes(), RowLimit(50_000_000)) as oracle:
        for plan in workload.bound:
            _measure_plan(plan, found, oracle, result)
    own = found[0]
    assert isinstance(own, Graphwright)
    result.preparation_seconds = own.preparation_seconds
    return result


def _measure_plan(plan: BoundPlan, found: Sequence[Engine], oracle: SqliteOracle, result: Measured) -> None:
    expected = oracle.answers(plan).rows
    queries: dict[str, Query] = {}
    for engine in found:
        queries[engine.name] = engine.prepare(plan)
        if not compare_rows(plan, expected, queries[engine.name]()).passed:
            result.wrong.setdefault(engine.name, []).append(plan.id)
    del expected
    samples: dict[str, list[float]] = {name: [] for name in queries}
    for _ in range(SAMPLES):
        for name, query in queries.items():
            if len(samples[name]) < 2 or samples[name][-1] < SLOW_SECONDS:
                samples[name].append(_seconds(query))
    for name, seconds in samples.items():
        result.seconds[name][plan.id] = median(seconds)


def _seconds(query: Query) -> float:
    """Seconds per run, over as many runs as make a sample."""
    runs, started = 0, perf_counter()
    while True:
        query()
        runs += 1
        elapsed = perf_counter() - started
        if elapsed >= SAMPLE_SECONDS:
            return elapsed / runs


def _print_result(result: Measured, *, details: bool) -> None:
    print(f"\n{result.shape}, {result.rows:,} rows; preparation {result.preparation_seconds:.2f} s")
    if result.missing:
        print(f"  left out, not installed: {', '.join(result.missing)}")
    for engine, plans in result.wrong.items():
        print(f"  WRONG: {engine}: {', '.join(plans)}")
    if not details:
        return
    names = list(result.seconds)
    print(f"  {'milliseconds':<30}" + "".join(f"{name:>13}" for name in names))
    for plan in result.seconds["graphwright"]:
        print(f"  {plan:<30}" + "".join(f"{result.seconds[name][plan] * 1e3:13.3f}" for name in names))


def _print_table(results: Sequence[Measured]) -> None:
    peers = ("sqlite", "duckdb", "ladybug")
    print(
        f"\nTimes faster, geometric mean over {QUERY_COUNT} plans (SQLite {apsw.sqlite_lib_version()}, one thread each)"
    )
    print("| shape | rows | " + " | ".join(f"vs {peer}" for peer in peers) + " | all correct |")
    print("|---|---|---|---|---|---|")
    for result in results:
        ratios = [result.geomean(peer) for peer in peers]
        shown = " | ".join("left out" if ratio is None else f"{ratio:.1f}" for ratio in ratios)
        print(f"| {result.shape} | {result.rows:,} | {shown} | {'no' if result.wrong else 'yes'} |")
