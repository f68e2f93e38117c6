"""The evolved graph beside G0: a whole rules build, then both graphs in paired rounds, every answer checked.

Each source is built in a process of its own, as the service builds it, so that peak memory is that of one build.
"""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from app.budget import RowLimit
from app.build.limits import measurement_options, query_limits
from app.build.options import BuildOptions
from app.build.output import REPORT_FILE
from app.build.phases import freeze_workload
from app.evolution.acceptance import PairedComparison, compare
from app.evolution.evaluator import WorkloadEvaluator
from app.executor.run.executor import GraphExecutor
from app.executor.run.measurement import measure_pair
from app.graph.g0 import build_initial_graph, match_references
from app.graph.model.property_graph import PropertyGraph
from app.oracle.sqlite_oracle import SqliteOracle
from app.service.builds.build import build
from app.service.builds.options import JobOptions, longest_build
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.workload.freezing import FrozenWorkload
from scripts.benchmarks.shapes import SHAPES
from scripts.benchmarks.tables import write_image

CHINOOK = "chinook"
ROUNDS = 9
BOUNDED_ROWS = 200_000
FULL_SCALE = {"resource_profile": "full_scale"}
_KIB = 1024


def run(rows: Sequence[int], shapes: Sequence[str], json_file: Path | None) -> bool:
    """Measure all sources, print the table, and return whether both graphs answered everything as the source does."""
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for shape, image in _sources(rows, shapes, Path(folder)):
            results.append({"shape": shape, **_measured_in_child(image, Path(folder) / "out")})
            _print_details(results[-1])
    _print_table(results)
    if json_file is not None:
        json_file.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return all(result["all_correct"] for result in results)


def _sources(rows: Sequence[int], shapes: Sequence[str], folder: Path) -> Iterator[tuple[str, Path]]:
    """The images of all sources, each written when it is asked for; Chinook has its own number of rows."""
    for shape in shapes:
        if shape == CHINOOK:
            image = _chinook()
            if image is None:
                print("  left out, not found: chinook (set GRAPHWRIGHT_CORPUS)", file=sys.stderr)
            else:
                yield shape, image
            continue
        for count in rows:
            image = folder / f"{shape}-{count}.db"
            write_image(SHAPES[shape](count), image)
            yield shape, image
            image.unlink()


def _chinook() -> Path | None:
    corpus = os.environ.get("GRAPHWRIGHT_CORPUS")
    folder = Path(corpus) if corpus else Path(__file__).resolve().parents[3] / "shared"
    image = folder / "data" / "chinook" / "Chinook_Sqlite.sqlite"
    return image if image.is_file() else None


def _measured_in_child(image: Path, output: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "scripts.benchmarks.evolve_bench", str(image), str(output)]
    child = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, Any] = json.loads(child.stdout)
    return measured


def _measure(image: Path, output: Path) -> dict[str, Any]:
    """Build with a user's options; then measure G0, made anew, beside the graph that the build kept."""
    rows = load_source(image, SourceOptions.from_options(FULL_SCALE)).row_count
    given = FULL_SCALE if rows > BOUNDED_ROWS else {}
    options = JobOptions.from_options(given, {}, max_seconds=longest_build(given))
    started = perf_counter()
    result = build([image], output, options)
    seconds = perf_counter() - started
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB
    report = json.loads((output / REPORT_FILE).read_text(encoding="utf-8"))
    accepted = [entry for entry in report["history"] if entry["accepted"]]
    return {
        "rows": rows,
        "accepted": len(accepted),
        "strategies": [tool for entry in accepted for tool in _tools(entry)],
        "candidates": len(report["history"]),
        "seconds": seconds,
        "phase_seconds": report["phase_seconds"],
        "peak_mib": peak_mib,
        **_compared(image, report["queries"], given, result.graph),
    }


def _compared(
    image: Path, queries: Sequence[dict[str, Any]], given: Mapping[str, object], final: PropertyGraph
) -> dict[str, Any]:
    """Rounds of G0 and the final graph by turns, under the build's own frozen plans, each answer checked in each."""
    source = load_source(image, SourceOptions.from_options(FULL_SCALE))
    references = match_references(source.schema, source.tables)
    initial = build_initial_graph(source.schema, source.tables, references)
    options = BuildOptions.from_options({**given, "queries": queries, "query_count": len(queries)})
    workload = freeze_workload(source, references, options)
    with SqliteOracle.over_image(source.image, RowLimit(50_000_000)) as oracle:
        answers = [oracle.answers(plan).rows for plan in workload.bound]
    evaluator = WorkloadEvaluator(workload, answers, query_limits(options), measurement_options(options))
    comparison = compare(lambda first: evaluator.measure_pair(initial, final, first), ROUNDS, options.min_speedup)
    costs = _costs(comparison)
    baseline, evolved = (median(side) for side in zip(*costs, strict=True))
    return {
        "baseline_cost": baseline,
        "final_cost": evolved,
        "times": baseline / evolved,
        "all_correct": comparison.all_correct,
        "rounds": [{"baseline_cost": one, "final_cost": other} for one, other in costs],
        **_by_plan(initial, final, workload, options),
    }


def _by_plan(
    initial: PropertyGraph, final: PropertyGraph, workload: FrozenWorkload, options: BuildOptions
) -> dict[str, Any]:
    """Milliseconds of preparation, and of each plan measured on both graphs in turn; what reads the rows of each."""
    baseline, evolved = (
        GraphExecutor(graph, query_limits(options)).prepare(workload.bound) for graph in (initial, final)
    )
    timing = measurement_options(options)
    plans = {}
    for pair in zip(baseline.plans, evolved.plans, strict=True):
        one, other = measure_pair(pair, timing)
        plans[one.plan_id] = {
            "baseline": one.seconds * 1e3,
            "final": other.seconds * 1e3,
            "reads": [plan.metrics.physical_plan[0] for plan in pair],
        }
    preparation = [1e3 * side.preparation_seconds for side in (baseline, evolved)]
    return {"preparation_milliseconds": preparation, "plans": plans}


def _costs(comparison: PairedComparison) -> list[tuple[float, float]]:
    return [(round_.current.cost, round_.candidate.cost) for round_ in comparison.rounds]


def _tools(entry: dict[str, Any]) -> list[str]:
    """The strategies of an accepted candidate; the steps of a batch one by one."""
    if entry["tool"] == "transform_batch":
        return [tool for step in entry["arguments"]["steps"] for tool in _tools(step)]
    if entry["tool"] == "optimize_graph":
        return [operation["op"] for operation in entry["arguments"]["operations"]]
    return [entry["tool"]]


def _print_details(result: dict[str, Any]) -> None:
    times = [one["baseline_cost"] / one["final_cost"] for one in result["rounds"]]
    spread = f"{min(times):.2f} to {max(times):.2f} times"
    print(f"\n{result['shape']}, {result['rows']:,} rows; {ROUNDS} paired rounds: {spread}")
    for plan, found in sorted(result["plans"].items(), key=lambda item: -item[1]["baseline"]):
        print(f"  {plan:<28}{found['baseline']:8.3f} -> {found['final']:.3f} ms  {found['reads'][1]:.70}")
    one, other = result["preparation_milliseconds"]
    print(f"  {'preparation':<28}{one:8.1f} -> {other:.1f} ms, of which a run bears a hundredth")


def _print_table(results: Sequence[dict[str, Any]]) -> None:
    print("\nEvolved graph beside G0, cost in milliseconds (L + P / 100)")
    print("| shape | rows | build, s | peak, MiB | G0 | evolved | times | accepted | all correct |")
    print("|---|---|---|---|---|---|---|---|---|")
    for result in results:
        costs = " | ".join(f"{result[side] * 1e3:.2f}" for side in ("baseline_cost", "final_cost"))
        counts = {tool: result["strategies"].count(tool) for tool in dict.fromkeys(result["strategies"])}
        kept = ", ".join(f"{count} {tool}" for tool, count in counts.items()) or "nothing"
        right = "yes" if result["all_correct"] else "no"
        size = f"{result['rows']:,} | {result['seconds']:.1f} | {result['peak_mib']:,.0f}"
        print(f"| {result['shape']} | {size} | {costs} | {result['times']:.2f} | {kept} | {right} |")
    shapes = [result["times"] for result in results if result["shape"] != CHINOOK]
    parts = [(f"the {len(shapes)} generated sources", shapes), ("all", [result["times"] for result in results])]
    means = [f"{_geometric_mean(times):.2f} over {name}" for name, times in parts if times]
    print(f"\nGeometric mean of G0 / evolved: {', '.join(dict.fromkeys(means))}")


def _geometric_mean(times: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, times)) / len(times))


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), Path(sys.argv[2]))))
