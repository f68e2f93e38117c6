"""Dumps and scripts, written by servers and by people, against what the servers say.

scripts/chaos dumps [N] [--seed S] [--dialect postgres|mysql] [--kind dump|script|typo] [--keep FOLDER]
scripts/chaos dumps --script FILE --dialect postgres|mysql        one script: what the server says, and what we say
"""

import argparse
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.campaigns.dumps.campaign import Case, Kind, Outcome, Result, Server, accepted, case_of, run
from tests.campaigns.dumps.dump_options import DumpOptions
from tests.campaigns.dumps.mariadb.server import MariadbServer
from tests.campaigns.dumps.postgres.server import PostgresServer
from tests.campaigns.dumps.private_server import ServerUnavailableError
from tests.campaigns.dumps.script import Script, Statement
from tests.campaigns.dumps.shrinking import shrunk

SERVERS = {"postgres": PostgresServer, "mysql": MariadbServer}


@dataclass(slots=True)
class Tally:
    """What became of the cases; `reasons` of refusals with the seed of the first of each."""

    outcomes: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, result: Result) -> None:
        self.outcomes[f"{case.dialect} {case.kind.value} {result.outcome.value}"] += 1
        if result.outcome is Outcome.REFUSED:
            self.refusals[f"{case.dialect}: {result.reason}"] += 1
            self.examples.setdefault(f"{case.dialect}: {result.reason}", f"{name_of(case)}: {result.detail[:300]}")
        if result.failed:
            self.failures[f"{case.dialect}: {result.reason}"] += 1

    def lines(self) -> Iterator[str]:
        for outcome, count in sorted(self.outcomes.items()):
            yield f"{count:6} {outcome}"
        for reason, count in self.refusals.most_common():
            yield f"{count:6} refused, {reason}\n         {self.examples[reason]}"
        for reason, count in self.failures.most_common():
            yield f"{count:6} FAILED, {reason}"


def name_of(case: Case) -> str:
    return f"{case.dialect}-{case.kind.value}-{case.seed}"


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.keep = options.keep or Path(tempfile.mkdtemp(prefix="graphwright-dumps-"))
    options.keep.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        servers = dict(_servers(stack, options.dialect or list(SERVERS)))
        if not servers:
            return 0
        if options.script:
            return _compare_scripts(options.script, servers)
        tally, started = Tally(), time.monotonic()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gw-case-")))
        folder.chmod(0o755)
        for number in range(options.count):
            case = _case(options, number, list(servers))
            _examine(case, servers[case.dialect], folder, options, tally)
        seconds = time.monotonic() - started
    print("\n".join(tally.lines()))
    failures = tally.failures.total()
    print(
        f"{options.count} cases, {failures} differences and crashes, {seconds:.0f} s."
        f" Failing cases are in {options.keep}"
    )
    return 1 if failures else 0


def _compare_scripts(paths: list[Path], servers: dict[str, Server]) -> int:
    """Say of each script what became of it on every server that was asked for."""
    failed = 0
    for path in paths:
        pieces = (Statement(path.read_text().rstrip("\n")),)
        for dialect, server in servers.items():
            case = Case(0, dialect, Kind.SCRIPT, Script(pieces), DumpOptions(((),)), skip=True)
            with tempfile.TemporaryDirectory(prefix="gw-case-") as folder:
                result = run(case, server, Path(folder))
            print(f"{path}: {dialect} {result.outcome.value} {result.reason}\n{result.detail}".rstrip())
            failed += result.failed
    return 1 if failed else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/chaos dumps", description=__doc__.splitlines()[0])
    parser.add_argument("count", nargs="?", type=int, default=200, help="how many cases (200)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; each case has the next one")
    parser.add_argument("--dialect", action="append", choices=list(SERVERS))
    parser.add_argument("--kind", action="append", choices=[kind.value for kind in Kind])
    parser.add_argument("--script", type=Path, action="append", help="compare this script, and make no cases")
    parser.add_argument("--keep", type=Path, help="where failing cases go (a new temporary folder)")
    parser.add_argument("--shrink", type=float, default=40.0, help="seconds for making a failing case smaller (40)")
    return parser.parse_args(arguments)


def _servers(stack: ExitStack, dialects: list[str]) -> Iterator[tuple[str, Server]]:
    for dialect in dialects:
        try:
            server = stack.enter_context(SERVERS[dialect].started())
        except ServerUnavailableError as error:
            print(f"Skipped {dialect}: {error}", file=sys.stderr)
            continue
        print(f"{dialect}: {server.version}")
        yield dialect, server


def _case(options: argparse.Namespace, number: int, dialects: list[str]) -> Case:
    """Dialects take turns; of six cases of each, three are dumps, two are scripts and one has a typo."""
    kinds = options.kind or [Kind.DUMP, Kind.SCRIPT, Kind.DUMP, Kind.SCRIPT, Kind.DUMP, Kind.TYPO]
    dialect = dialects[number % len(dialects)]
    return case_of(options.seed + number, dialect, Kind(kinds[number // len(dialects) % len(kinds)]))


def _examine(case: Case, server: Server, folder: Path, options: argparse.Namespace, tally: Tally) -> None:
    if case.kind is not Kind.DUMP:
        case = accepted(case, server, folder)
    result = run(case, server, folder)
    tally.add(case, result)
    if not result.failed:
        return
    small, smaller = shrunk(case, result, server, folder, options.shrink)
    report = _report(small, smaller)
    print(report, flush=True)
    kept = options.keep / f"{name_of(case)}.sql"
    kept.write_bytes(small.script.text())
    kept.with_suffix(".txt").write_text(report)


def _report(case: Case, result: Result) -> str:
    about = f"{name_of(case)}: {result.outcome.value}, {result.reason}"
    about += f"; options: {case.options}; session: {dict(case.session)}"
    return f"\n=== {about}\n{case.script.text().decode(case.script.encoding)}\n{result.detail}\n"


if __name__ == "__main__":
    sys.exit(main())
