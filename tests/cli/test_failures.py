"""However a command fails: a code, a message, an exit status, one JSON object, and never a traceback."""

import io
import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from app.cli.console import Terminal
from app.cli.failures import run_guarded
from app.errors import InvalidOptionError, SourceDamagedError, WorkloadInvalidError
from app.service.demo.sample import write_sample
from tests.cli.conftest import PROGRAM, Cli, Ran, child_environment

TRIGGER = "CREATE TABLE a (b); CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;"


def guarded(error: BaseException, log: Path) -> Ran:
    out, err = io.StringIO(), io.StringIO()

    def command() -> int:
        raise error

    return Ran(run_guarded(command, Terminal(out, err), as_json=True, log=lambda: log), out.getvalue(), err.getvalue())


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (SourceDamagedError("It is [red]cut[/red].", hint="Export it again.", file="a.db", row=3), 1, "source_damaged"),
        (MemoryError(), 1, "out_of_memory"),
        (OSError(28, "No space left on device", "x/graph.json"), 1, "file_system_failed"),
        (PermissionError(13, "Permission denied"), 1, "file_system_failed"),
        (ZeroDivisionError("division by zero"), 1, "internal_error"),
        (RecursionError(), 1, "internal_error"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_every_exception_has_a_code(error: BaseException, status: int, code: str, tmp_path: Path) -> None:
    ran = guarded(error, tmp_path / "log" / "fault.log")
    document = json.loads(ran.out)
    assert (ran.status, document["state"], document["error"]["code"]) == (status, "failed", code)
    assert f"[{code}]" in ran.err
    assert "Traceback" not in ran.err + ran.out
    assert (tmp_path / "log" / "fault.log").exists() == (code == "internal_error")


def test_an_error_shows_where_and_what_to_do(tmp_path: Path) -> None:
    error = SourceDamagedError("It is [red]cut\x1b[2J.", hint="Export it again.", file="a.db", row=3)
    assert guarded(error, tmp_path / "log").err == (
        "error: It is [red]cut\\x1b[2J. [source_damaged]\n  file: a.db\n  row: 3\n  hint: Export it again.\n"
    )


def test_lists_and_groups_of_parts_are_lines(tmp_path: Path) -> None:
    problems = [{"plan": "q1", "reason": "no_output"}, {"plan": "q2", "columns": ("a", "b")}]
    error = WorkloadInvalidError("Two are wrong.", columns=["a", "b"], problems=problems, path={"at": "x\ny"}, none=[])
    ran = guarded(error, tmp_path / "log")
    assert ran.err == (
        "error: Two are wrong. [workload_invalid]\n  columns: a, b\n  problems:\n    - plan: q1\n"
        "      reason: no_output\n    - plan: q2\n      columns: a, b\n  path:\n    at:\n      x\n      y\n  none:\n"
    )
    assert json.loads(ran.out)["error"]["where"]["problems"][1] == {"plan": "q2", "columns": ["a", "b"]}


def test_a_log_that_cannot_be_written_is_no_second_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert guarded(ValueError("x"), tmp_path / "file" / "fault.log").status == 1


def test_a_fault_whose_log_the_environment_hides_names_the_setting() -> None:
    out = io.StringIO()

    def fault() -> int:
        raise ZeroDivisionError

    def log() -> Path:
        raise InvalidOptionError("GRAPHWRIGHT_PORT in the environment is not usable.", option="GRAPHWRIGHT_PORT")

    assert run_guarded(fault, Terminal(out, io.StringIO()), as_json=True, log=log) == 1
    assert json.loads(out.getvalue())["error"]["code"] == "invalid_option"


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("build",),
        ("build", "x"),
        ("build", "x", "--output"),
        ("build", "x", "--output", "y", "--mode", "magic"),
        ("build", "x", "--output", "y", "--query-count", "three"),
        ("build", "x", "--output", "y", "--nothing"),
        ("skeleton", "x", "--top-n", "0"),
        ("neo4j", "dance"),
        ("serve", "--port", "65536"),
    ],
)
def test_wrong_usage_is_status_2(cli: Cli, arguments: tuple[str, ...]) -> None:
    ran = cli(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert "Usage: graphwright" in ran.err
    assert "[usage_invalid]" in ran.err
    assert json.loads(cli(arguments[0], "--json", *arguments[1:]).out)["error"]["code"] == "usage_invalid"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("build", "no such file", "--output", "out"), "source_not_found"),
        (("build", "a.sql", "--output", "out"), "sql_unsupported"),
        (("build", "a.sql", "--output", "out", "--mode", "llm"), "not_available"),
        (("build", "a.sql", "--output", "out", "--query-count", "0"), "invalid_option"),
        (("build", "a.sql", "--output", "out", "--option", "query_count=true"), "invalid_option"),
        (("build", "a.sql", "--output", "out", "--option", "no_such=1"), "invalid_option"),
        (("build", "a.sql", "--output", "out", "--option", "max_seconds=3601"), "invalid_option"),
        (("build", "a.sql", "--output", "out", "--publish", "a\nb"), "graph_name_invalid"),
        (("publish", "no such folder", "--name", "x"), "not_found"),
    ],
)
def test_a_refused_command_leaves_nothing_behind(
    cli: Cli, arguments: tuple[str, ...], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sql").write_text(TRIGGER)
    ran = cli(*arguments, "--json")
    assert (ran.status, json.loads(ran.out.splitlines()[-1])["error"]["code"]) == (1, code)
    assert ran.out.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [("skeleton", "x"), ("cypher", "x", "RETURN 1"), ("neo4j", "status")])
def test_without_neo4j(cli: Cli, arguments: tuple[str, ...]) -> None:
    ran = cli(*arguments)
    assert ran.status == 1
    assert re.search(r"\[(neo4j_unreachable|graph_not_published)\]", ran.err)


@pytest.mark.parametrize("arguments", [("neo4j", "start"), ("neo4j", "stop")])
def test_an_external_neo4j_is_not_started_here(cli: Cli, arguments: tuple[str, ...]) -> None:
    ran = cli(*arguments)
    assert ran.status == 1
    assert "NEO4J_URI" in ran.err


def test_a_setting_that_makes_no_sense_is_named(process: Cli) -> None:
    ran = process("cypher", "x", "RETURN 1", "--json", GRAPHWRIGHT_PORT="many")
    assert ran.status == 1
    assert "GRAPHWRIGHT_PORT" in ran.err
    assert json.loads(ran.out)["error"]["code"] == "invalid_option"


def start(tmp_path: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=child_environment(tmp_path)
    )


def test_a_reader_that_leaves_is_no_traceback(tmp_path: Path) -> None:
    command = start(tmp_path, "--help")
    assert command.stdout is not None
    command.stdout.close()
    assert command.stderr is not None
    assert command.stderr.read() == b""
    assert command.wait(60) == 1
    command.stderr.close()


def test_ctrl_c_stops_the_server_in_peace(tmp_path: Path) -> None:
    command = start(tmp_path, "serve", "--port", "0")
    assert command.stderr is not None
    assert b"Graphwright serves http://127.0.0.1:" in command.stderr.readline()
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=60)
    assert (command.returncode, out, b"Traceback" in err) == (0, b"", False)


def test_ctrl_c_ends_a_build_with_status_130(tmp_path: Path) -> None:
    source, output = tmp_path / "shop.sqlite", tmp_path / "out"
    write_sample(source, purchases=1_500)
    command = start(tmp_path, "build", str(source), "--output", str(output), "--json")
    assert command.stderr is not None
    assert b"Reading shop.sqlite" in command.stderr.readline()
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=60)
    assert (command.returncode, b"Traceback" in err) == (130, False)
    assert json.loads(out)["error"]["code"] == "interrupted"
    assert not (output / "graph.json").exists()
