"""The real command, in this process with streams of its own, or as a process of its own."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from app.cli.application import main
from app.cli.console import Terminal
from app.cli.context import Context
from app.main import services_of
from app.settings import Neo4jSettings, Settings

PROGRAM = [sys.executable, "-c", "from app.main import run; run()"]


@dataclass(frozen=True)
class Ran:
    """What a command left: exit status, standard output and standard error."""

    status: int
    out: str
    err: str


Cli: TypeAlias = Callable[..., Ran]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    neo4j = Neo4jSettings(uri="bolt://127.0.0.1:1")
    return Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", neo4j=neo4j, construction={})


@pytest.fixture
def cli(settings: Settings) -> Cli:
    """Runs a command line in this process, with no Neo4j anywhere."""

    def run(*arguments: str, serve: Any = None) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        context = Context(services_of(lambda: settings), Terminal(out, err), serve)
        status = main(arguments, context, lambda: settings.data_dir / "fault.log")
        return Ran(status, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def process(tmp_path: Path) -> Cli:
    """Runs a command line as a process of its own."""

    def run(*arguments: str, **environment: str) -> Ran:
        done = subprocess.run(
            [*PROGRAM, *arguments], capture_output=True, env=child_environment(tmp_path, environment), check=False
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def child_environment(tmp_path: Path, more: dict[str, str] | None = None) -> dict[str, str]:
    return (
        os.environ | {"GRAPHWRIGHT_DATA_DIR": str(tmp_path / "data"), "NEO4J_URI": "bolt://127.0.0.1:1"} | (more or {})
    )
