"""`graphwright explain`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import context_of
from app.cli.option_values import parse_options


def explain(
    command: typer.Context,
    source: Annotated[
        list[Path], typer.Argument(metavar="SOURCE...", help="What `graphwright build` takes: the files of one source.")
    ],
    graph: Annotated[
        Path | None,
        typer.Option("--graph", metavar="DIR", help="Use the graph that a build put there."),
    ] = None,
    query_count: Annotated[
        int | None, typer.Option("--query-count", metavar="N", help="How many queries are frozen.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="Any construction option, for example queries=@plans.json."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Print the operators by which each query of a workload is answered from a graph."""
    context = context_of(command)
    options = parse_options(option or []) | ({} if query_count is None else {"query_count": query_count})
    plans = context.services.builds.explain(source, graph, options)
    if as_json:
        context.terminal.print_json({"plans": [asdict(plan) for plan in plans]})
        return
    for plan in plans:
        context.terminal.print(f"{plan.id}: {plan.question}", "bold")
        for operator in plan.operators:
            context.terminal.print(f"  {operator}")
