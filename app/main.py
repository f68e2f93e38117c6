"""The composition root: reads the settings, builds the use cases, hands them to the doors.

Settings and use cases are imported where they are made: a command loads what it needs, and `--help` next to nothing.
"""

import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from app.cli.application import main
from app.cli.console import Terminal, standard_terminal
from app.cli.context import Context
from app.service.services import Services
from app.store.servers.config import StoreSettings

if TYPE_CHECKING:
    from app.api.context import ApiContext
    from app.service.builds.build import BuildService
    from app.service.graphs import GraphService
    from app.service.neo4j_server import Neo4jService
    from app.settings import Settings

LOCAL_OWNER = "local"
"""The one owner of this machine's datasets."""

WORKER = "app.service.builds.worker"
FAULT_LOG = "fault.log"


def run() -> None:
    """The command `graphwright`."""
    terminal = standard_terminal()
    context = Context(services_of(_settings), terminal, lambda host, port: _serve(_settings(), terminal, host, port))
    sys.exit(main(sys.argv[1:], context, lambda: _settings().data_dir / FAULT_LOG))


@cache
def _settings() -> "Settings":
    """The settings of this process, read when something first asks for them."""
    from app.settings import read_settings

    return read_settings()


def services_of(settings: "Callable[[], Settings]") -> Services:
    """The use cases of the command line."""
    return Services(
        builds=lambda: _build_service(settings()),
        graphs=lambda: _graph_service(settings()),
        neo4j=lambda: _neo4j_service(settings()),
    )


def _build_service(settings: "Settings") -> "BuildService":
    from app.service.builds.build import BuildService

    return BuildService(settings.construction)


def _graph_service(settings: "Settings") -> "GraphService":
    from app.service.graphs import GraphService

    return GraphService(_store_settings(settings), min_count=settings.skeleton_min_count, top_n=settings.skeleton_top_n)


def _neo4j_service(settings: "Settings") -> "Neo4jService":
    from app.service.neo4j_server import Neo4jService

    return Neo4jService(_store_settings(settings))


def _store_settings(settings: "Settings") -> StoreSettings:
    neo4j = settings.neo4j
    return StoreSettings(
        settings.data_dir,
        settings.cache_dir,
        neo4j.uri,
        neo4j.username,
        neo4j.password.get_secret_value(),
        neo4j.database,
        settings.maven_repository,
    )


def api_context(settings: "Settings") -> "ApiContext":
    """What the HTTP API is handed."""
    from app.api.context import ApiContext
    from app.datasets.catalog import DatasetCatalog
    from app.datasets.construction import Constructions
    from app.datasets.local_process import LocalProcessRunner
    from app.service.datasets import DatasetService

    graphs = _graph_service(settings)
    catalog = DatasetCatalog(settings.data_dir, owner=LOCAL_OWNER, max_upload_bytes=settings.max_upload_bytes)
    constructions = Constructions(LocalProcessRunner(WORKER), capacity=settings.construction_concurrency)
    return ApiContext(
        DatasetService(catalog, constructions, settings.construction),
        settings.graph,
        lambda: "" if settings.graph is None else graphs.skeleton(settings.graph),
        settings.data_dir / FAULT_LOG,
    )


def _serve(settings: "Settings", terminal: Terminal, host: str | None, port: int | None) -> None:
    from app.api.server import run_server

    run_server(
        api_context(settings),
        settings.host if host is None else host,
        settings.port if port is None else port,
        lambda address: terminal.note(f"Graphwright serves {address}/api; stop it with Ctrl-C."),
    )
