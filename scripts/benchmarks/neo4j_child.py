"""Runs the embedded Neo4j with more jars on its class path, one store after the other, until standard input closes.

Started as `python -m scripts.benchmarks.neo4j_child`, it reads lines of JSON and answers each but the first with one.
The first says what the Java machine is made of; then come pairs of lines, a store to open, answered with the port of
its Bolt server, and an empty one to close it. Machine and store are opened by the product's own code, so every engine
meets the server that users have.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import jpype

from app.store.embedded import jvm

APOC_CLASSES = ("apoc.meta.Meta", "apoc.merge.Merge", "apoc.schema.Schemas")
"""Those that hold the procedures which neo4j-graphrag and the benchmarks call."""


def main() -> None:
    orders = (json.loads(line) for line in sys.stdin.buffer)
    machine = next(orders)
    jvm.start_machine([Path(jar) for jar in machine["class_path"]])
    for order in orders:
        store = jvm.open_store(Path(order["home"]), order["password"])
        if machine["apoc"]:
            _register(store.service)
        print(json.dumps({"port": store.port}), flush=True)
        next(orders, None)
        store.close()
        print("{}", flush=True)
    os._exit(0)


def _register(service: Any) -> None:
    """Make APOC's procedures callable; a server of its own would find them in its folder of plugins."""
    procedures = jpype.JClass("org.neo4j.kernel.api.procedure.GlobalProcedures")
    registry = service.database("neo4j").getDependencyResolver().resolveDependency(procedures.class_)
    for name in APOC_CLASSES:
        registry.registerProcedure(jpype.JClass(name).class_)


if __name__ == "__main__":
    main()
