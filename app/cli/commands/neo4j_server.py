"""`graphwright neo4j start|stop|status`: the embedded Neo4j."""

from typing import TYPE_CHECKING

import typer

from app.cli.console import Terminal
from app.cli.context import context_of
from app.cli.progress import reporting

if TYPE_CHECKING:
    from app.service.neo4j_server import PublishedGraph, ServerStatus


def start(command: typer.Context) -> None:
    """Start the embedded Neo4j; it runs until it is stopped."""
    context = context_of(command)
    with reporting(context.terminal) as progress:
        state = context.services.neo4j.start(progress)
    _show(context.terminal, state)


def stop(command: typer.Context) -> None:
    """Stop the embedded Neo4j, whoever uses it."""
    context = context_of(command)
    stopped = context.services.neo4j.stop()
    context.terminal.print("Neo4j is stopped." if stopped else "Neo4j was not running.")


def status(command: typer.Context) -> None:
    """Say where Neo4j is, how to log in, and which graphs are published."""
    context = context_of(command)
    _show(context.terminal, context.services.neo4j.status())


def _show(terminal: Terminal, state: "ServerStatus") -> None:
    terminal.print_pairs([("server", state.server), ("user", state.username), ("password", state.password)])
    if not state.graphs:
        terminal.print("No graph is published yet: graphwright publish DIR --name NAME")
        return
    terminal.print(
        "Open a graph's address in Neo4j Browser, Desktop or the workspace." if state.is_running else "Graphs"
    )
    terminal.print_pairs((graph.name, _graph(graph)) for graph in state.graphs)


def _graph(graph: "PublishedGraph") -> str:
    size = f"{graph.nodes:,} nodes, {graph.edges:,} edges"
    return f"{graph.address or 'closed'}   {size}"
