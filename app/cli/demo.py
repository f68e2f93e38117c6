"""`graphwright demo`: the main job on the sample that ships."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import Terminal
from app.cli.context import context_of
from app.cli.progress import reporting
from app.cli.results import show_build, show_published
from app.service.demo import DEMO_NAME, Demo, run_demo


def demo(
    command: typer.Context,
    output: Annotated[Path, typer.Option("--output", metavar="DIR", help="Where the sample and its graph go.")] = Path(
        "out/demo"
    ),
) -> None:
    """Build the sample bookshop, publish it to the embedded Neo4j, and show its map."""
    context = context_of(command)
    with reporting(context.terminal) as progress:
        done = run_demo(context.services, output, progress)
    _show(context.terminal, done)


def _show(terminal: Terminal, done: Demo) -> None:
    show_build(terminal, done.build)
    terminal.print()
    show_published(terminal, done.published)
    terminal.print("\nSkeleton", "bold")
    terminal.print(done.skeleton.rstrip("\n"))
    terminal.print("\nLook further", "bold")
    terminal.print_pairs(
        [
            ("the report", f"{done.build['output']}/evolution-report.json"),
            ("ask", f'graphwright cypher {DEMO_NAME} "MATCH (b:book)<-[r]-(l) RETURN b.title, count(r) AS n LIMIT 5"'),
            (
                "browse",
                "graphwright neo4j start   (keeps it running; then open the address in Neo4j Browser or Desktop)",
            ),
            ("your data", "graphwright build SOURCE --output DIR --publish NAME"),
            ("stop", "graphwright neo4j stop"),
        ]
    )
