"""A SQLite image -> G0: rows a second and peak memory, each size in a process of its own."""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from app.graph.g0 import build_initial_graph, match_references
from app.sources.load import load_source
from app.sources.options import SourceOptions
from scripts.benchmarks.tables import GeneratedTable, Values, write_image

COLUMNS = 8
_KIB = 1024


def run(rows: Sequence[int], json_file: Path | None) -> bool:
    """Measure all sizes, print the table, and return whether each graph has the rows and edges of its source."""
    results: list[dict[str, Any]] = []
    for count in rows:
        with tempfile.TemporaryDirectory() as folder:
            results.append(_measured_in_child(count, Path(folder)))
    print(f"\nSQLite image of {COLUMNS} columns to G0")
    print("| rows | seconds | rows a second | peak memory, MiB | image, MiB |")
    print("|---|---|---|---|---|")
    for result in results:
        shown = [f"{result[key]:,.0f}" for key in ("rows_per_second", "peak_mib", "image_mib")]
        print(f"| {result['rows']:,} | {result['seconds']:.2f} | {' | '.join(shown)} |")
    if json_file is not None:
        json_file.write_text(json.dumps(results, indent=2) + "\n")
    return all(result["complete"] for result in results)


def _measured_in_child(rows: int, folder: Path) -> dict[str, Any]:
    image = folder / "source.db"
    write_image(generated(rows), image)
    command = [sys.executable, "-m", "scripts.benchmarks.build_bench", str(image)]
    child = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, Any] = json.loads(child.stdout)
    measured["image_mib"] = image.stat().st_size / _KIB**2
    measured["complete"] = measured["nodes"] == measured["rows"] and measured["edges"] == rows
    return measured


def generated(rows: int) -> list[GeneratedTable]:
    """One table of 8 columns with every kind of value, and the small table that it references."""
    make = Values(5)
    parents = max(rows // 100, 5)
    entry = [
        make.key(rows),
        make.reference("owner_id", "owner", parents, rows),
        make.category("status", ["open", "paid", "sent", "closed"], rows),
        make.integer("quantity", 1, 500, rows, missing=0.02),
        make.amount("amount", 900, rows),
        make.day("day", rows),
        make.name("label", "Entry", rows),
        make.words("note", ["late", "small", "red", "north", "fast", "new"], 4, rows),
    ]
    assert len(entry) == COLUMNS
    return [
        GeneratedTable("owner", [make.key(parents), make.name("name", "Owner", parents)]),
        GeneratedTable("entry", entry),
    ]


def _build(image: Path) -> dict[str, Any]:
    started = perf_counter()
    source = load_source(image, SourceOptions.from_options({"resource_profile": "full_scale"}))
    references = match_references(source.schema, source.tables)
    graph = build_initial_graph(source.schema, source.tables, references)
    seconds = perf_counter() - started
    return {
        "rows": source.row_count,
        "nodes": graph.node_count,
        "edges": graph.edge_count,
        "seconds": seconds,
        "rows_per_second": source.row_count / seconds,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB,
    }


if __name__ == "__main__":
    print(json.dumps(_build(Path(sys.argv[1]))))
