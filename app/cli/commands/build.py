"""`graphwright build`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from app.cli.context import context_of
from app.cli.option_values import parse_options
from app.cli.progress import reporting
from app.cli.results import show_build, show_published


def build(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: typer.Context,
    source: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE...", help="A SQLite database, SQL text, CSV or TXT, or the files of one source."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", metavar="DIR", help="Where graph.json and the report go.")],
    mode: Annotated[
        Literal["rules", "llm"] | None,
        typer.Option("--mode", help="Who proposes changes: rules, or (later) a language model."),
    ] = None,
    no_evolve: Annotated[bool, typer.Option("--no-evolve", help="Prove and keep the first graph.")] = False,
    query_count: Annotated[
        int | None, typer.Option("--query-count", metavar="N", help="How many queries are frozen.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="KEY=VALUE", help="Any construction option; VALUE is JSON, text, or @FILE with JSON."
        ),
    ] = None,
    publish: Annotated[
        str | None, typer.Option("--publish", metavar="NAME", help="Publish the graph under this name.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Build a graph from a source, prove it against SQL, and improve it under a frozen workload."""
    context = context_of(command)
    options = parse_options(option or [])
    options |= {name: value for name, value in (("mode", mode), ("query_count", query_count)) if value is not None}
    options |= {"evolve": False} if no_evolve else {}
    if publish is not None:
        context.services.graphs.check_name(publish)
    published = None
    with reporting(context.terminal) as progress:
        result = context.services.builds.build(source, output, options, progress)
        if publish is not None:
            published = context.services.graphs.publish_graph(result.graph, publish, progress=progress)
    if as_json:
        context.terminal.print_json(result.to_dict() | ({} if published is None else {"published": published}))
        return
    show_build(context.terminal, result)
    if published is not None:
        show_published(context.terminal, published)
