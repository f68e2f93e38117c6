"""`python -m scripts.benchmarks executor|evolve|build|read|keys`; see scripts/bench."""

import argparse
import sys
from pathlib import Path

from scripts.benchmarks.shapes import SHAPES


def main() -> int:
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
    for command in (executor, evolve, build, read, keys):
        command.add_argument("--json", type=Path, help="write the results to this file")
    arguments = parser.parse_args()
    if arguments.command == "read":
        from scripts.benchmarks import read_bench

        return 0 if read_bench.run(arguments.mib, arguments.rounds, arguments.json) else 1
    if arguments.command == "keys":
        from scripts.benchmarks import keys_bench

        done = keys_bench.run(arguments.data, arguments.threshold, arguments.json, details=arguments.details)
        return 0 if done else 1
    if arguments.command == "evolve":
        from scripts.benchmarks import evolve_bench

        shapes = arguments.shape or [*SHAPES, evolve_bench.CHINOOK]
        return 0 if evolve_bench.run(arguments.rows or [200_000], shapes, arguments.json) else 1
    if arguments.command == "build":
        from scripts.benchmarks import build_bench

        return 0 if build_bench.run(arguments.rows or [1_000_000], arguments.json) else 1
    from scripts.benchmarks import executor_bench

    rows = arguments.rows or [1_000, 20_000, 200_000, 1_000_000]
    correct = executor_bench.run(rows, arguments.shape or list(SHAPES), arguments.json, details=arguments.details)
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main())
