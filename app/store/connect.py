"""The store that the settings ask for."""

from app.store.embedded.server import EmbeddedServer
from app.store.servers.config import Progress, StoreSettings, no_progress
from app.store.servers.external import ExternalServer
from app.store.servers.server import Neo4jServer


def connect_store(settings: StoreSettings, progress: Progress = no_progress) -> Neo4jServer:
    """The external Neo4j if the settings name one, else the embedded one, joined or started."""
    return ExternalServer(settings) if settings.uri else EmbeddedServer.connect(settings, progress)
