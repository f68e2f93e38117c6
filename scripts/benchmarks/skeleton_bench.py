"""The skeleton beside apoc.meta.schema and neo4j-graphrag's get_schema: how long each takes, and what each tells.

All read one published graph whose facts are known: counts of labels and of connections, and types of properties, some
of them rare. The peers look at a sample of about 1,000 nodes unless they are told otherwise, so each runs both ways.
"""

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import neo4j

from app.store.publish.publish import counts_in, expected_counts
from app.store.publish.writer import write_graph
from app.store.servers.runners import BatchRunner
from app.store.servers.server import Slot
from app.store.skeleton.skeleton import build_skeleton, read_structure
from scripts.benchmarks.neo4j_store import DATABASE, started_server
from scripts.benchmarks.skeleton_graph import Facts, facts_of, generated

OURS = "graphwright"
WHOLE = -1
"""The size of a sample that means everything."""

Describe = Callable[[], object]
Tell = Callable[[], Facts]
Engine = tuple[Describe, Tell]
"""What is timed, and the same once more as facts."""


def run(edges: int, rounds: int, json_file: Path | None) -> bool:
    """Measure all engines, print the table, and return whether ours told every fact and no other."""
    graph = generated(edges)
    truth = facts_of(graph)
    with started_server() as server, server.fresh_store() as driver:
        runner = BatchRunner(driver, DATABASE)
        write_graph(graph, runner)
        assert counts_in(runner, expected_counts(graph)) == expected_counts(graph)
        engines = _engines(driver, has_apoc=server.has_apoc)
        seconds = _fastest({name: describe for name, (describe, _) in engines.items()}, rounds)
        results = [
            {"engine": name, "edges": graph.edge_count, "seconds": seconds[name], **_compared(tell(), truth)}
            for name, (_, tell) in engines.items()
        ]
    _print(results, truth)
    if json_file is not None:
        json_file.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return bool(results[0]["exact"])


def _fastest(describe: dict[str, Describe], rounds: int) -> dict[str, float]:
    """The seconds of each engine's fastest run; one more before them warms everything up."""
    found: dict[str, list[float]] = {name: [] for name in describe}
    for _ in range(rounds + 1):
        for name, work in describe.items():
            started = perf_counter()
            work()
            found[name].append(perf_counter() - started)
    return {name: min(seconds[1:]) for name, seconds in found.items()}


def _engines(driver: neo4j.Driver, *, has_apoc: bool) -> dict[str, Engine]:
    """The engines by name, ours first; a line on standard error for what is missing."""
    slot = Slot("bench", "1", "", DATABASE, driver)
    engines: dict[str, Engine] = {OURS: (lambda: build_skeleton(slot), lambda: _skeleton_facts(slot))}
    if not has_apoc:
        print(
            "Without APOC there is nothing to compare with: neo4j-graphrag's get_schema needs it too.", file=sys.stderr
        )
        return engines
    engines["apoc.meta.schema"] = _apoc(driver, {})
    engines["apoc.meta.schema, all"] = _apoc(driver, {"sample": WHOLE})
    if find_spec("neo4j_graphrag") is None:
        print("neo4j-graphrag is not installed and left out.", file=sys.stderr)
        return engines
    return engines | {"get_schema": _graphrag(driver, 1000), "get_schema, all": _graphrag(driver, WHOLE)}


def _skeleton_facts(slot: Slot) -> Facts:
    found = read_structure(slot)
    return Facts(
        dict(found.node_counts.itertuples(index=False)),
        {
            (source, type_, target): {count}
            for source, type_, target, count in found.edge_counts.itertuples(index=False)
        },
        {(name, value_type) for name, types in found.property_types.items() for value_type in types},
    )


def _apoc(driver: neo4j.Driver, configuration: dict[str, int]) -> Engine:
    def schema() -> dict[str, Any]:
        query = "CALL apoc.meta.schema($configuration)"
        records = driver.execute_query(query, configuration=configuration, database_=DATABASE).records
        value: dict[str, Any] = records[0]["value"]
        return value

    return schema, lambda: _apoc_facts(schema())


def _apoc_facts(schema: dict[str, Any]) -> Facts:
    """What the map says of nodes, and of relationships at either end, whichever of the two counts is right."""
    facts = Facts()
    for name, entry in schema.items():
        facts.properties.update((key, held["type"]) for key, held in entry["properties"].items())
        if entry["type"] != "node":
            continue
        facts.labels[name] = entry["count"]
        for type_name, there in entry["relationships"].items():
            for other in there["labels"]:
                ends = (name, other) if there["direction"] == "out" else (other, name)
                facts.connections.setdefault((ends[0], type_name, ends[1]), set()).add(there["count"])
    return facts


def _graphrag(driver: neo4j.Driver, sample: int) -> Engine:
    from neo4j_graphrag.schema import get_schema, get_structured_schema

    def tell() -> Facts:
        schema = get_structured_schema(driver, database=DATABASE, sample=sample)
        held = [*schema["node_props"].values(), *schema["rel_props"].values()]
        return Facts(
            dict.fromkeys(schema["node_props"]),
            {(there["start"], there["type"], there["end"]): set() for there in schema["relationships"]},
            {(entry["property"], entry["type"]) for properties in held for entry in properties},
        )

    return lambda: get_schema(driver, database=DATABASE, sample=sample), tell


def _compared(facts: Facts, truth: Facts) -> dict[str, Any]:
    """How many of the facts were told, and with the right count; `exact` where that is all of them and nothing else."""
    counted = sum(facts.labels.get(label) == count for label, count in truth.labels.items())
    right = sum(bool(counts & facts.connections.get(name, set())) for name, counts in truth.connections.items())
    return {
        "labels": len(facts.labels.keys() & truth.labels.keys()),
        "labels_counted": counted,
        "connections": len(facts.connections.keys() & truth.connections.keys()),
        "connections_counted": right,
        "properties": len(facts.properties & truth.properties),
        "exact": facts == truth,
    }


def _print(results: list[dict[str, Any]], truth: Facts) -> None:
    totals = {"labels": len(truth.labels), "connections": len(truth.connections), "properties": len(truth.properties)}
    kinds = ("labels", "labels_counted", "connections", "connections_counted", "properties")
    print(f"{results[0]['edges']:,} edges. " + ", ".join(f"{total} {kind}" for kind, total in totals.items()))
    heads = ("engine", "seconds", "times as long as ours", "labels", "counted", "connections", "counted", "properties")
    print(f"| {' | '.join(heads)} | exact |")
    print("|---|---|---|---|---|---|---|---|---|")
    for result in results:
        told = " | ".join(f"{result[kind]} of {totals[kind.partition('_')[0]]}" for kind in kinds)
        ratio = result["seconds"] / results[0]["seconds"]
        exact = "yes" if result["exact"] else "no"
        print(f"| {result['engine']} | {result['seconds']:.2f} | {ratio:.1f} | {told} | {exact} |")
