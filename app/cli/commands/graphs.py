"""`graphwright publish`, `skeleton` and `cypher`: published graphs."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import context_of
from app.cli.progress import reporting
from app.cli.results import show_published

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of a published graph.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object, and nothing else.")]


def publish(
    command: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `graphwright build` made.")],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name to publish it under.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace another graph in a Neo4j that has one database only.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Publish a built graph to Neo4j and read its size back."""
    context = context_of(command)
    with reporting(context.terminal) as progress:
        published = context.services.graphs.publish(directory, name, replace=replace, progress=progress)
    if as_json:
        context.terminal.print_json({"state": "published", "published": published})
    else:
        show_published(context.terminal, published)


def skeleton(
    command: typer.Context,
    name: Name,
    min_count: Annotated[
        int | None, typer.Option("--min-count", min=1, metavar="N", help="Leave out connections with fewer edges.")
    ] = None,
    top_n: Annotated[
        int | None, typer.Option("--top-n", min=1, metavar="N", help="Show at most this many connections a node type.")
    ] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Count again, even if the cached one fits.")] = False,
) -> None:
    """Print the short map of a published graph."""
    context = context_of(command)
    with reporting(context.terminal) as progress:
        text = context.services.graphs.skeleton(
            name, min_count=min_count, top_n=top_n, refresh=refresh, progress=progress
        )
    context.terminal.print(text.rstrip("\n"))


def cypher(
    command: typer.Context,
    name: Name,
    statement: Annotated[str, typer.Argument(metavar="CYPHER", help="A statement that reads.")],
    as_json: Json = False,
) -> None:
    """Run one read-only Cypher statement on a published graph."""
    context = context_of(command)
    with reporting(context.terminal) as progress:
        answer = context.services.graphs.read(name, statement, progress=progress)
    if as_json:
        context.terminal.print_json(answer.to_dict())
        return
    context.terminal.print_rows(answer.columns, answer.rows)
    for notification in answer.notifications:
        context.terminal.note(notification["message"], "yellow")
    for hint in answer.hints:
        context.terminal.note(f"hint: {hint}", "yellow")
    if answer.truncated:
        context.terminal.note("There are more rows; LIMIT or aggregate to see what matters.", "yellow")
