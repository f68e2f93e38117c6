"""The use cases of published graphs: publish, map and read them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from app.build.output import built_graph
from app.build.progress import Progress, ProgressCallback, no_progress
from app.errors import GraphwrightError
from app.graph.document.reader import read_document
from app.graph.model.property_graph import PropertyGraph
from app.store.connect import connect_store
from app.store.publish.publish import publish
from app.store.read.read import ReadResult, read_cypher
from app.store.servers.config import Progress as DownloadProgress
from app.store.servers.config import StoreSettings
from app.store.servers.pointer import folder_name
from app.store.servers.server import Neo4jServer
from app.store.skeleton.cache import load_or_build_context

PUBLISHED_KEYS = ("name", "uri", "database", "nodes", "edges")


class GraphService:
    """Graphs in the Neo4j that the settings name; the embedded one is joined or started when it is needed.

    For use by one thread at a time.
    """

    def __init__(self, settings: StoreSettings, *, min_count: int, top_n: int) -> None:
        self._settings, self._min_count, self._top_n = settings, min_count, top_n
        self._server: Neo4jServer | None = None

    @contextmanager
    def connected(self, progress: ProgressCallback = no_progress) -> Iterator[Neo4jServer]:
        """Hold one connection to the server for several calls, so that an embedded one is started once."""
        if self._server is not None:
            yield self._server
            return
        progress(Progress("neo4j", "Connecting to Neo4j"))
        with closing(connect_store(self._settings, download_progress(progress))) as server:
            self._server = server
            try:
                yield server
            finally:
                self._server = None

    def check_name(self, name: str) -> None:
        """Raise `GraphNameError` if no graph can have that name."""
        folder_name(name)

    def publish(
        self, directory: Path, name: str, *, replace: bool = False, progress: ProgressCallback = no_progress
    ) -> dict[str, Any]:
        """Publish the graph of a built directory; see `publish_graph`."""
        self.check_name(name)
        file = built_graph(directory)
        progress(Progress("read_graph", f"Reading {file}"))
        return self.publish_graph(read_document(file), name, replace=replace, progress=progress)

    def publish_graph(
        self, graph: PropertyGraph, name: str, *, replace: bool = False, progress: ProgressCallback = no_progress
    ) -> dict[str, Any]:
        """Publish a graph, rebuild its map, and return `name`, `uri`, `database`, and `nodes` and `edges` as read back.

        On any failure the graph that was published before stays.
        """
        with self.connected(progress) as server:
            size = f"{graph.node_count:,} nodes and {graph.edge_count:,} edges"
            progress(Progress("publish", f"Publishing {name}: {size}"))
            receipt = publish(server, graph, name, evict=replace)
            # The graph is published whatever becomes of its map, which is built again when somebody asks for it.
            with suppress(GraphwrightError):
                self.skeleton(name, refresh=True, progress=progress)
        return {key: getattr(receipt, key) for key in PUBLISHED_KEYS}

    def skeleton(
        self,
        name: str,
        *,
        min_count: int | None = None,
        top_n: int | None = None,
        refresh: bool = False,
        progress: ProgressCallback = no_progress,
    ) -> str:
        """The short map of a published graph; the cached one if it fits. None takes the configured limit."""
        progress(Progress("skeleton", f"Reading the map of {name}"))
        return load_or_build_context(
            self._settings,
            name,
            self._min_count if min_count is None else min_count,
            self._top_n if top_n is None else top_n,
            refresh=refresh,
            server=self._server,
        )

    def read(self, name: str, statement: str, *, progress: ProgressCallback = no_progress) -> ReadResult:
        """The answer of one reading Cypher statement on a published graph."""
        with self.connected(progress) as server, server.slot(name) as slot:
            progress(Progress("read", f"Reading {name}"))
            return read_cypher(slot, statement)


def download_progress(progress: ProgressCallback) -> DownloadProgress:
    """Shows the bytes of the first download."""
    return lambda done, total: progress(Progress("neo4j_download", "Fetching Neo4j (MiB)", done >> 20, total >> 20))
