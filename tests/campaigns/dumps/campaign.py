"""One case of the campaign: a script, a server that runs it, a dump, and two answers that must be one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from tests.campaigns.dumps.answer import Answer
from tests.campaigns.dumps.comparison import differences
from tests.campaigns.dumps.dump_options import DumpOptions
from tests.campaigns.dumps.mariadb import scripts as mariadb_scripts
from tests.campaigns.dumps.mariadb.options import mariadb_options
from tests.campaigns.dumps.postgres import scripts as postgres_scripts
from tests.campaigns.dumps.postgres.options import postgres_options
from tests.campaigns.dumps.private_server import Complaint, ScriptRefusedError
from tests.campaigns.dumps.reading import Crash, Refusal, read
from tests.campaigns.dumps.script import Script
from tests.campaigns.dumps.typos import with_typo
from tests.campaigns.dumps.words import Dice

PASSES = 8
"""How often a script by hand is run without what the server refused of it."""


class Kind(StrEnum):
    """How a case comes to its text."""

    DUMP = "dump"
    SCRIPT = "script"
    TYPO = "typo"


class Outcome(StrEnum):
    """What became of a case."""

    EQUAL = "equal"
    REFUSED = "refused"
    DIFFERENT = "different"
    CRASHED = "crashed"
    DISCARDED = "discarded"


class Server(Protocol):
    """A server that is the judge."""

    dialect: str
    version: str

    def run(self, script: Path, session: Mapping[str, str]) -> list[Complaint]: ...

    def dump(self, options: tuple[str, ...]) -> bytes: ...

    def answer(self, session: Mapping[str, str]) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Case:
    """A script and, for a dump, the options with which it is written; `skip` is the option unsupported=skip."""

    seed: int
    dialect: str
    kind: Kind
    script: Script
    options: DumpOptions
    skip: bool

    @property
    def session(self) -> Mapping[str, str]:
        return {**self.options.session, **self.script.session}


@dataclass(frozen=True, slots=True)
class Result:
    """An outcome; `reason` is what results have in common that have one cause."""

    outcome: Outcome
    reason: str = ""
    detail: str = ""

    @property
    def failed(self) -> bool:
        return self.outcome in (Outcome.DIFFERENT, Outcome.CRASHED)


@dataclass(frozen=True, slots=True)
class Generator:
    """What makes scripts and options for one server."""

    database: Callable[[Dice], Script]
    by_hand: Callable[[Dice], Script]
    options: Callable[[Dice], DumpOptions]


GENERATORS: Mapping[str, Generator] = {
    "postgres": Generator(postgres_scripts.database, postgres_scripts.by_hand, postgres_options),
    "mysql": Generator(mariadb_scripts.database, mariadb_scripts.by_hand, mariadb_options),
}


def case_of(seed: int, dialect: str, kind: Kind) -> Case:
    """The case of a seed, the same on every machine."""
    dice = Dice(f"{seed} {dialect} {kind.value}")
    dice.spice = dice.pick((0.0, 0.0, 0.3, 1.0))
    generator = GENERATORS[dialect]
    skip = dice.maybe(0.85)
    if kind is not Kind.DUMP:
        return Case(seed, dialect, kind, generator.by_hand(dice), DumpOptions(((),)), skip)
    return Case(seed, dialect, kind, generator.database(dice), generator.options(dice), skip)


def run(case: Case, server: Server, folder: Path) -> Result:
    """Let the server run the script, let Graphwright read it or its dump, and compare."""
    try:
        files = _files(case, server, folder)
    except ScriptRefusedError as error:
        return Result(Outcome.DISCARDED, str(error)[:100])
    ours = read(files, case.dialect, skip=case.skip)
    if isinstance(ours, Crash):
        return Result(Outcome.CRASHED, ours.text.strip().rpartition("\n")[2][:80], ours.text)
    return _typo(ours) if case.kind is Kind.TYPO else _compared(case, server, files, ours)


def _typo(ours: Answer | Refusal) -> Result:
    if isinstance(ours, Refusal):
        return Result(Outcome.EQUAL)
    return Result(Outcome.DIFFERENT, "a typo is passed over")


def _restored(case: Case, server: Server, files: list[Path]) -> Answer:
    """What the server makes of a dump: pg_dump --inserts, by its manual, may lose the order of columns that moved."""
    joined = files[0].with_name("restored.sql")
    joined.write_bytes(b"".join(file.read_bytes() for file in files))
    server.run(joined, case.session)
    return server.answer(case.session)


def _compared(case: Case, server: Server, files: list[Path], ours: Answer | Refusal) -> Result:
    if isinstance(ours, Refusal):
        if ours.code == "source_empty" and not server.answer(case.session).tables:
            return Result(Outcome.EQUAL)
        return Result(Outcome.REFUSED, f"{ours.code}: {ours.reason}", ours.message)
    found = differences(server.answer(case.session), ours, in_order=case.kind is not Kind.DUMP)
    if not found or (case.kind is Kind.DUMP and not differences(_restored(case, server, files), ours)):
        return Result(Outcome.EQUAL)
    warnings = "".join(f"\nwarning: {text}" for text in ours.warnings)
    return Result(Outcome.DIFFERENT, found[0].kind, "\n".join(map(str, found)) + warnings)


def _files(case: Case, server: Server, folder: Path) -> list[Path]:
    """The text that Graphwright reads, while the server's database holds what it says."""
    script = folder / "script.sql"
    script.write_bytes(case.script.text())
    refused = server.run(script, case.session)
    if case.kind is not Kind.DUMP:
        is_typo = any(complaint.is_about_syntax for complaint in refused)
        if refused if case.kind is Kind.SCRIPT else not is_typo:
            raise ScriptRefusedError(f"The server refuses: {refused}")
        return [script]
    dumps = [server.dump(run) for run in case.options.runs]
    if case.options.joined:
        dumps = [b"".join(dumps)]
    files = [folder / f"dump{number}.sql" for number in range(1, len(dumps) + 1)]
    for file, content in zip(files, dumps, strict=True):
        file.write_bytes(content)
    return files


def accepted(case: Case, server: Server, folder: Path) -> Case:
    """The case with what the server takes of its script: what it refuses is left out."""
    script = folder / "script.sql"
    for _ in range(PASSES):
        script.write_bytes(case.script.text())
        refused = server.run(script, case.session)
        if not refused:
            break
        case = replace(case, script=case.script.without_lines([complaint.line for complaint in refused]))
    if case.kind is Kind.TYPO:
        return replace(case, script=with_typo(case.script, Dice(case.seed)))
    return case
