"""`graphwright demo`: the main job on the sample that ships."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.build.output import REPORT_FILE
from app.cli.console import Terminal
from app.cli.context import context_of
from app.cli.progress import reporting
from app.cli.results import show_build, show_published
from app.service.demo.demo import DEMO_NAME, Demo, run_demo

QUESTION = "MATCH (b:book)<--(l:purchase_line) RETURN b.title, sum(l.quantity) AS sold ORDER BY sold DESC LIMIT 5"


def demo(
    command: typer.Context,
    output: Annotated[Path, typer.Option("--output", metavar="DIR", help="Where the sample and its graph go.")] = Path(
        "out/demo"
    ),
) -> None:
    """Build the sample bookshop, publish it to the embedded Neo4j, show its map, and leave Neo4j running."""
    context = context_of(command)
    with reporting(context.terminal) as progress:
        done = run_demo(context.services, output, progress)
    _show(context.terminal, done)


def _show(terminal: Terminal, done: Demo) -> None:
    show_build(terminal, done.build)
    terminal.print()
    show_published(terminal, done.published)
    terminal.print("\nIts map", "bold")
    terminal.print(done.skeleton.rstrip("\n"))
    terminal.print("\nLook further", "bold")
    program, report = _program(), done.build.output / REPORT_FILE
    terminal.print_pairs(
        [
            ("the report", str(report)),
            ("ask", f'{program} cypher {DEMO_NAME} "{QUESTION}"'),
            ("browse", f"open {done.published['uri']} in Neo4j Browser, Desktop or the workspace"),
            ("log in", f"as {done.server.username}, with {done.server.password}"),
            ("state", f"{program} neo4j status"),
            ("stop", f"{program} neo4j stop   (it runs until then)"),
            ("your data", f"{program} build SOURCE --output DIR --publish NAME"),
        ]
    )


def _program() -> str:
    """How to call this program again from here."""
    if shutil.which("graphwright"):
        return "graphwright"
    path = Path(sys.argv[0]).absolute()
    return shlex.quote(str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path))
