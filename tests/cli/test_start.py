"""What starting the command loads: a look at its help waits for no driver and no column library."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli, Ran

HEAVY = {"fastapi", "jpype", "neo4j", "numpy", "pandas", "pyarrow", "pydantic_settings", "sqlglot", "uvicorn"}


def loaded(ran: Ran) -> set[str]:
    """The top-level packages that a process imported, as `-X importtime` tells."""
    assert ran.status == 0, ran.err
    lines = [line for line in ran.err.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("build", "--help"), ("preview", "a.csv")])
def test_a_command_loads_only_what_it_uses(
    process: Cli, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("id,n\n1,2\n")
    packages = loaded(process(*arguments, PYTHONPROFILEIMPORTTIME="1"))
    assert {"app", "typer"} <= packages
    assert not packages & HEAVY


def test_a_command_that_uses_settings_is_seen_to_load_them(process: Cli) -> None:
    ran = process("neo4j", "status", PYTHONPROFILEIMPORTTIME="1", NEO4J_URI="")
    assert {"pydantic_settings", "neo4j"} <= loaded(ran)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_minds_no_setting(process: Cli, arguments: tuple[str, ...]) -> None:
    ran = process(*arguments, GRAPHWRIGHT_PORT="many")
    assert (ran.status, ran.err) == (0, "")
