"""The composition root: reads the settings, builds the use cases, hands them to the doors."""

import sys
from typing import TYPE_CHECKING

from app.cli.application import main
from app.cli.console import Terminal, standard_terminal
from app.cli.context import Context
from app.cli.failures import FAILED, report
from app.errors import GraphwrightError
from app.service.build import BuildService
from app.service.graphs import GraphService
from app.service.neo4j_server import Neo4jService
from app.service.services import Services
from app.settings import Settings, read_settings
from app.store.config import StoreSettings

if TYPE_CHECKING:
    from app.api.parts import ApiParts

LOCAL_OWNER = "local"
"""The one owner of this machine's datasets."""

WORKER = "app.service.build_worker"
FAULT_LOG = "fault.log"


def run() -> None:
    """The command `graphwright`."""
    terminal, arguments = standard_terminal(), sys.argv[1:]
    try:
        settings = read_settings()
    except GraphwrightError as error:
        sys.exit(report(error, terminal, FAILED, as_json="--json" in arguments))
    store = store_settings(settings)
    services = Services(BuildService(settings.construction), graph_service(settings), Neo4jService(store))
    context = Context(services, terminal, lambda host, port: _serve(settings, terminal, host, port))
    sys.exit(main(arguments, context, settings.data_dir / FAULT_LOG))


def graph_service(settings: Settings) -> GraphService:
    """Published graphs, with the configured limits of their skeletons."""
    return GraphService(store_settings(settings), min_count=settings.skeleton_min_count, top_n=settings.skeleton_top_n)


def store_settings(settings: Settings) -> StoreSettings:
    """The Neo4j that the settings name."""
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


def api_parts(settings: Settings) -> "ApiParts":
    """What the HTTP API is handed."""
    from app.api.parts import ApiParts
    from app.datasets.catalog import DatasetCatalog
    from app.datasets.construction import Constructions
    from app.datasets.local_process import LocalProcessRunner
    from app.service.datasets import DatasetService

    graphs = graph_service(settings)
    catalog = DatasetCatalog(settings.data_dir, owner=LOCAL_OWNER, max_upload_bytes=settings.max_upload_bytes)
    constructions = Constructions(LocalProcessRunner(WORKER), capacity=settings.construction_concurrency)
    return ApiParts(
        DatasetService(catalog, constructions, settings.construction),
        settings.graph,
        lambda: "" if settings.graph is None else graphs.skeleton(settings.graph),
        settings.data_dir / FAULT_LOG,
    )


def _serve(settings: Settings, terminal: Terminal, host: str | None, port: int | None) -> None:
    from app.api.server import run_server

    run_server(
        api_parts(settings),
        settings.host if host is None else host,
        settings.port if port is None else port,
        lambda address: terminal.note(f"Graphwright serves {address}/api; stop it with Ctrl-C."),
    )
