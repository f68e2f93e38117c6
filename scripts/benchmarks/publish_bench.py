"""Publishing over Bolt beside a hand-written MERGE loop and neo4j-graphrag's writer, each into a fresh store.

What counts as publishing: for us everything that `publish` does to an open store, the checks before and the counts
after the writes among it; for the others their writes alone, from rows that they find ready as dicts or objects. All
write through one server, each round into a store directory of its own, and the one that begins changes from round to
round. Before the clock starts each has written a small graph, since Java's first statements take seconds.
"""

import gc
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

import neo4j

from app.graph.g0 import build_initial_graph, match_references
from app.graph.model.property_graph import PropertyGraph
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.store.publish.publish import counts_in, expected_counts
from app.store.servers.runners import BatchRunner
from scripts.benchmarks.neo4j_store import DATABASE, Server, started_server
from scripts.benchmarks.publish_engines import GRAPHRAG, Engine, installed_engines
from scripts.benchmarks.shapes import commerce
from scripts.benchmarks.tables import write_image

WARM_UP_ROWS = 5_000


def run(rows: Sequence[int], rounds: int, json_file: Path | None) -> bool:
    """Measure all sizes, print the table, and return whether every engine that can has written the whole graph."""
    with started_server() as server:
        engines = installed_engines(has_apoc=server.has_apoc)
        for engine in engines.values():
            _written(server, engine, _graph(WARM_UP_ROWS))
        results = [result for count in rows for result in _measured(server, engines, _graph(count), rounds)]
    _print(results)
    if json_file is not None:
        json_file.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return all(result["whole"] for result in results if server.has_apoc or result["engine"] != GRAPHRAG)


def _graph(rows: int) -> PropertyGraph:
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "commerce.db"
        write_image(commerce(rows), image)
        source = load_source(image, SourceOptions.from_options({"resource_profile": "full_scale"}))
        return build_initial_graph(source.schema, source.tables, match_references(source.schema, source.tables))


def _measured(server: Server, engines: Mapping[str, Engine], graph: PropertyGraph, rounds: int) -> list[dict[str, Any]]:
    """One result an engine: that of its fastest round."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in engines}
    for number in range(rounds):
        for name in [*engines][number % len(engines) :] + [*engines][: number % len(engines)]:
            found[name].append({"engine": name, "rows": graph.node_count, **_written(server, engines[name], graph)})
    fastest = [min(results, key=lambda result: result["seconds"]) for results in found.values()]
    for result in fastest:
        result["times_ours"] = result["seconds"] / fastest[0]["seconds"]
        result["whole"] = all(other["whole"] for other in found[result["engine"]])
    return fastest


def _written(server: Server, engine: Engine, graph: PropertyGraph) -> dict[str, Any]:
    write = engine(graph)
    gc.collect()
    with server.fresh_store() as driver:
        started = perf_counter()
        write(driver)
        seconds = perf_counter() - started
        return {"seconds": seconds, **_held(driver, graph)}


def _held(driver: neo4j.Driver, graph: PropertyGraph) -> dict[str, Any]:
    """What the database holds now, and whether that is the whole graph."""
    expected = expected_counts(graph)
    counts = counts_in(BatchRunner(driver, DATABASE), expected)
    query = "MATCH (n) RETURN sum(size(keys(n))) AS count"
    cells = int(driver.execute_query(query, database_=DATABASE).records[0]["count"])
    columns = [column for table in graph.node_tables.values() for column in table.columns.values()]
    wanted = sum(len(column) - column.null_count() for column in columns)
    return {**asdict(counts), "properties": cells, "whole": counts == expected and cells == wanted}


def _print(results: list[dict[str, Any]]) -> None:
    print("| rows | engine | nodes | edges | seconds | nodes and edges a second | times as long as ours | whole |")
    print("|---|---|---|---|---|---|---|---|")
    for result in results:
        elements = result["nodes"] + result["edges"]
        print(
            f"| {result['rows']:,} | {result['engine']} | {result['nodes']:,} | {result['edges']:,} "
            f"| {result['seconds']:.2f} | {elements / result['seconds']:,.0f} | {result['times_ours']:.1f} "
            f"| {'yes' if result['whole'] else 'NO'} |"
        )
