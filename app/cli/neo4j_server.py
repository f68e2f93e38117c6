"""`graphwright neo4j start|stop|status`: the embedded Neo4j."""

from collections.abc import Mapping

import typer

from app.cli.console import Terminal
from app.cli.context import context_of
from app.cli.progress import reporting


def start(command: typer.Context) -> None:
    """Start the embedded Neo4j; it runs until it is stopped."""
    context = context_of(command)
    with reporting(context.terminal) as progress:
        state = context.services.graphs.start(progress)
    _show(context.terminal, state)


def stop(command: typer.Context) -> None:
    """Stop the embedded Neo4j, whoever uses it."""
    context = context_of(command)
    stopped = context.services.graphs.stop()
    context.terminal.print("Neo4j is stopped." if stopped else "Neo4j was not running.")


def status(command: typer.Context) -> None:
    """Say where Neo4j is, how to log in, and which graphs are published."""
    context = context_of(command)
    _show(context.terminal, context.services.graphs.status())


def _show(terminal: Terminal, state: Mapping[str, str]) -> None:
    terminal.print_pairs(state.items())
