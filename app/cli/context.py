"""What every command is handed: the use cases, the terminal, and the way to start the server."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import typer

from app.cli.console import Terminal
from app.service.services import Services

Serve: TypeAlias = Callable[[str | None, int | None], None]
"""Runs the HTTP server at a host and port (None: as configured) until it is stopped."""


@dataclass(frozen=True, slots=True)
class Context:
    """What commands use."""

    services: Services
    terminal: Terminal
    serve: Serve


def context_of(command: typer.Context) -> Context:
    """The context, from the running command."""
    context: Context = command.find_root().obj
    return context
