"""`graphwright serve`."""

from typing import Annotated

import typer

from app.cli.context import context_of


def serve(
    command: typer.Context,
    host: Annotated[
        str | None, typer.Option("--host", help="The address to listen on; GRAPHWRIGHT_HOST, else 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65_535, help="The port; GRAPHWRIGHT_PORT, else 21108.")
    ] = None,
) -> None:
    """Serve the HTTP API until it is stopped."""
    context_of(command).serve(host, port)
