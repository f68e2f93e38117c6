"""The command `graphwright`: its commands, and how one is run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.cli.commands import build, demo, explain, graphs, neo4j_server, preview, serve, suggest_keys
from app.cli.context import Context
from app.cli.failures import run_guarded

application = typer.Typer(
    name="graphwright",
    help="Turns relational sources into a property graph that is proven to answer the same questions as the source.",
    no_args_is_help=True,
    add_completion=False,
)
neo4j_commands = typer.Typer(help="The embedded Neo4j.", no_args_is_help=True)
application.add_typer(neo4j_commands, name="neo4j")

application.command("preview")(preview.preview)
application.command("suggest-keys")(suggest_keys.suggest_keys)
application.command("build")(build.build)
application.command("explain")(explain.explain)
application.command("publish")(graphs.publish)
application.command("skeleton")(graphs.skeleton)
application.command("cypher")(graphs.cypher)
application.command("demo")(demo.demo)
application.command("serve")(serve.serve)
neo4j_commands.command("start")(neo4j_server.start)
neo4j_commands.command("stop")(neo4j_server.stop)
neo4j_commands.command("status")(neo4j_server.status)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"graphwright {version('graphwright')}")
        raise typer.Exit


@application.callback()
def _main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str], context: Context, log: Callable[[], Path]) -> int:
    """Run one command line and return its exit status; faults of our own are written to the file that `log` names."""
    command = typer.main.get_command(application)

    def run() -> int:
        result = command.main(list(arguments), prog_name="graphwright", standalone_mode=False, obj=context)
        return result if isinstance(result, int) else 0

    return run_guarded(run, context.terminal, as_json="--json" in arguments, log=log)
