"""What the routes are handed: the use cases and the skeleton of the configured graph."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from starlette.requests import Request

from app.service.datasets import DatasetService

LoadSkeleton: TypeAlias = Callable[[], str]
"""Loads or builds the skeleton of the configured graph; blocks; raises a `GraphwrightError` if it can't."""


@dataclass(frozen=True, slots=True)
class ApiContext:
    """The use cases; `graph` is the configured graph's name, and `log` is where faults of our own are written."""

    datasets: DatasetService
    graph: str | None
    load_skeleton: LoadSkeleton
    log: Path


def context_of(request: Request) -> ApiContext:
    """The context, from a request."""
    context: ApiContext = request.app.state.context
    return context
