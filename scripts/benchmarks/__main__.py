"""`python -m scripts.benchmarks executor|build`; see scripts/bench."""

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
    build = commands.add_parser("build", help="a SQLite image to G0")
    build.add_argument("--rows", type=int, action="append", help="rows of the one table (repeatable)")
    for command in (executor, build):
        command.add_argument("--json", type=Path, help="write the results to this file")
    arguments = parser.parse_args()
    if arguments.command == "build":
        from scripts.benchmarks import build_bench

        return 0 if build_bench.run(arguments.rows or [1_000_000], arguments.json) else 1
    from scripts.benchmarks import executor_bench

    rows = arguments.rows or [1_000, 20_000, 200_000, 1_000_000]
    correct = executor_bench.run(rows, arguments.shape or list(SHAPES), arguments.json, details=arguments.details)
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main())
