"""The use cases of the Neo4j server itself: start and stop the embedded one, say where either is."""

from contextlib import closing
from dataclasses import dataclass

from app.build.progress import Progress, ProgressCallback
from app.errors import NotAvailableError
from app.service.graphs import download_progress
from app.store.embedded.client import ServerClient
from app.store.embedded.credentials import USERNAME
from app.store.embedded.launch import connect, join, stop
from app.store.embedded.protocol import LOOPBACK, ServerFiles
from app.store.servers.config import StoreSettings
from app.store.servers.driver import open_driver
from app.store.servers.external import ExternalServer
from app.store.servers.pointer import folder_name, pointers_below
from app.store.servers.server import Receipt


@dataclass(frozen=True, slots=True)
class PublishedGraph:
    """A published graph and the address at which it answers now; None while it is closed."""

    name: str
    nodes: int
    edges: int
    address: str | None


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """Whether Neo4j runs, how to log in, and what is published; `password` says where it is found, not what it is."""

    server: str
    is_running: bool
    username: str
    password: str
    graphs: tuple[PublishedGraph, ...]


class Neo4jService:
    """The Neo4j that the settings name."""

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._files = ServerFiles(settings.embedded_dir.resolve())

    def keep_running(self, progress: ProgressCallback) -> ServerStatus:
        """Let the embedded server run on, see `start`; an external one does so anyway."""
        return self.start(progress) if self._settings.uri is None else self.status()

    def start(self, progress: ProgressCallback) -> ServerStatus:
        """Start the embedded server, or join it, and let it run on until it is stopped, with its graphs open."""
        self._require_embedded()
        progress(Progress("neo4j", "Starting Neo4j"))
        with closing(connect(self._settings, download_progress(progress))) as client:
            client.request("persist")
            for receipt in self._receipts()[-self._settings.max_open_graphs :]:
                progress(Progress("open", f"Opening {receipt.name}"))
                client.request("open", home=self._home(receipt))
                client.request("release", home=self._home(receipt))
            return self._embedded_status(client)

    def stop(self) -> bool:
        """Stop the embedded server, whoever uses it; False if none runs."""
        self._require_embedded()
        return stop(self._files)

    def status(self) -> ServerStatus:
        """How the server is; `UnreachableError` for an external one that does not answer."""
        if self._settings.uri is not None:
            return self._external_status(self._settings.uri)
        client = join(self._files)
        if client is None:
            return self._embedded_status(None)
        with closing(client):
            return self._embedded_status(client)

    def _require_embedded(self) -> None:
        if self._settings.uri is not None:
            raise NotAvailableError(
                "NEO4J_URI names an external Neo4j, which is started and stopped elsewhere.",
                hint="Unset NEO4J_URI to use the embedded one.",
                uri=self._settings.uri,
            )

    def _embedded_status(self, client: ServerClient | None) -> ServerStatus:
        state = client.request("status") if client else {"open": {}}
        graphs = tuple(self._graph(receipt, state["open"].get(self._home(receipt))) for receipt in self._receipts())
        server = f"embedded, process {state['pid']}" if client else "embedded, stopped"
        return ServerStatus(
            server, client is not None, USERNAME, f"the text of {self._files.folder / 'password'}", graphs
        )

    def _external_status(self, uri: str) -> ServerStatus:
        settings = self._settings
        with open_driver(uri, settings.username, settings.password):
            receipts = ExternalServer(settings).receipts()
        graphs = tuple(PublishedGraph(receipt.name, receipt.nodes, receipt.edges, uri) for receipt in receipts)
        return ServerStatus(uri, True, settings.username, "as in NEO4J_PASSWORD", graphs)

    def _graph(self, receipt: Receipt, port: int | None) -> PublishedGraph:
        address = None if port is None else f"bolt://{LOOPBACK}:{port}"
        return PublishedGraph(receipt.name, receipt.nodes, receipt.edges, address)

    def _receipts(self) -> list[Receipt]:
        return list(pointers_below(self._files.graphs))

    def _home(self, receipt: Receipt) -> str:
        return str(self._files.graphs / folder_name(receipt.name) / receipt.revision)
