"""`python -m scripts.benchmarks executor|evolve|build|read|keys|publish|skeleton`; see scripts/bench."""

import argparse
import sys
from pathlib import Path

from scripts.benchmarks.shapes import SHAPES


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench")
    commands = parser.add_subparsers(dest="command", required=True)
    executor = commands.add_parser("executor", help="GraphExecutor beside SQLite, DuckDB and ladybug")
    executor.add_argument("--rows", type=int, action="append", help="rows of a source (repeatable)")
    executor.add_argument("--shape", choices=list(SHAPES), action="append", help="shape of a source (repeatable)")
    executor.add_argument("--details", action="store_true", help="print the time of each plan")
    evolve = commands.add_parser("evolve", help="the evolved graph beside G0, after a whole rules build")
    evolve.add_argument("--rows", type=int, action="append", help="rows of a source (repeatable)")
    evolve.add_argument("--shape", choices=[*SHAPES, "chinook"], action="append", help="shape of a source (repeatable)")
    build = commands.add_parser("build", help="a SQLite image to G0")
    build.add_argument("--rows", type=int, action="append", help="rows of the one table (repeatable)")
    read = commands.add_parser("read", help="a dump, a CSV and an image beside sqlite-utils and DuckDB")
    read.add_argument("--mib", type=int, default=32, help="size of each file")
    read.add_argument("--rounds", type=int, default=3, help="runs of which the fastest counts")
    keys = commands.add_parser("keys", help="suggested keys of databases whose keys are known")
    keys.add_argument("--data", type=Path, help="the folder of the databases (GRAPHWRIGHT_CORPUS/data)")
    keys.add_argument("--threshold", type=float, help="the least score that counts")
    keys.add_argument("--details", action="store_true", help="print what was missed and what was invented")
    publish = commands.add_parser("publish", help="publishing beside a MERGE loop and neo4j-graphrag's writer")
    publish.add_argument("--rows", type=int, action="append", help="rows of a source (repeatable)")
    publish.add_argument("--rounds", type=int, default=2, help="runs of which the fastest counts")
    skeleton = commands.add_parser("skeleton", help="the skeleton beside apoc.meta.schema and get_schema")
    skeleton.add_argument("--edges", type=int, default=1_000_000, help="edges of the graph")
    skeleton.add_argument("--rounds", type=int, default=3, help="runs of which the fastest counts")
    for command in (executor, evolve, build, read, keys, publish, skeleton):
        command.add_argument("--json", type=Path, help="write the results to this file")
    return parser


def _executor(arguments: argparse.Namespace) -> bool:
    from scripts.benchmarks import executor_bench

    rows = arguments.rows or [1_000, 20_000, 200_000, 1_000_000]
    return executor_bench.run(rows, arguments.shape or list(SHAPES), arguments.json, details=arguments.details)


def _evolve(arguments: argparse.Namespace) -> bool:
    from scripts.benchmarks import evolve_bench

    shapes = arguments.shape or [*SHAPES, evolve_bench.CHINOOK]
    return evolve_bench.run(arguments.rows or [200_000], shapes, arguments.json)


def _build(arguments: argparse.Namespace) -> bool:
    from scripts.benchmarks import build_bench

    return build_bench.run(arguments.rows or [1_000_000], arguments.json)


def _read(arguments: argparse.Namespace) -> bool:
    from scripts.benchmarks import read_bench

    return read_bench.run(arguments.mib, arguments.rounds, arguments.json)


def _keys(arguments: argparse.Namespace) -> bool:
    from scripts.benchmarks import keys_bench

    return keys_bench.run(arguments.data, arguments.threshold, arguments.json, details=arguments.details)


def _publish(arguments: argparse.Namespace) -> bool:
    from scripts.benchmarks import publish_bench

    return publish_bench.run(arguments.rows or [20_000, 100_000], arguments.rounds, arguments.json)


def _skeleton(arguments: argparse.Namespace) -> bool:
    from scripts.benchmarks import skeleton_bench

    return skeleton_bench.run(arguments.edges, arguments.rounds, arguments.json)


_COMMANDS = {
    "executor": _executor,
    "evolve": _evolve,
    "build": _build,
    "read": _read,
    "keys": _keys,
    "publish": _publish,
    "skeleton": _skeleton,
}


def main() -> int:
    arguments = _parser().parse_args()
    return 0 if _COMMANDS[arguments.command](arguments) else 1


if __name__ == "__main__":
    sys.exit(main())
