"""The embedded Neo4j: one store directory a graph and revision, a pointer that says which revision is published."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from typing_extensions import override

from app.errors import PublishError, StoreInUseError
from app.store.embedded.client import ServerClient
from app.store.embedded.credentials import USERNAME, embedded_password
from app.store.embedded.launch import connect
from app.store.embedded.protocol import LOOPBACK
from app.store.servers.config import Progress, StoreSettings, no_progress
from app.store.servers.driver import open_driver
from app.store.servers.files import try_lock
from app.store.servers.pointer import folder_name, move_pointer, not_published, pointers_below, read_pointer
from app.store.servers.runners import BatchRunner
from app.store.servers.server import Neo4jServer, Receipt, Replacement, Slot

DATABASE = "neo4j"


class EmbeddedServer(Neo4jServer):
    """Graphs published into the embedded Neo4j of one data directory."""

    def __init__(self, client: ServerClient) -> None:
        self._client = client
        self._graphs = client.files.graphs

    @classmethod
    def connect(cls, settings: StoreSettings, progress: Progress = no_progress) -> "EmbeddedServer":
        """Join the server process of the data directory, or start one."""
        return cls(connect(settings, progress))

    @override
    @contextmanager
    def slot(self, graph: str) -> Iterator[Slot]:
        folder = self._graphs / folder_name(graph)
        receipt = read_pointer(folder)
        if receipt is None:
            raise not_published(graph)
        with self._opened(graph, folder / receipt.revision) as slot:
            yield slot

    @contextmanager
    def _opened(self, graph: str, home: Path) -> Iterator[Slot]:
        port = self._client.request("open", home=str(home))
        try:
            uri = f"bolt://{LOOPBACK}:{port}"
            with open_driver(uri, USERNAME, embedded_password(self._client.files.folder)) as driver:
                yield Slot(graph, home.name, uri, DATABASE, driver)
        finally:
            self._client.request("release", home=str(home))

    @override
    def replace(self, replacement: Replacement, *, evict: bool = False) -> Receipt:
        # No other graph is ever in the way here.
        folder = self._graphs / folder_name(replacement.name)
        with try_lock(folder / "publish.lock") as held:
            if not held:
                raise StoreInUseError(
                    f"Another process is publishing {replacement.name}.",
                    hint="Wait for it to end.",
                    graph=replacement.name,
                )
            return self._replace(folder, replacement)

    def _replace(self, folder: Path, replacement: Replacement) -> Receipt:
        self._retire_all_but(folder, read_pointer(folder))
        receipt = self._write(folder / uuid.uuid4().hex, replacement)
        try:
            move_pointer(folder, receipt)
        except OSError as error:
            self._retire_all_but(folder, read_pointer(folder))
            raise PublishError(
                f"The pointer of {replacement.name} cannot be written: {error.strerror}.",
                hint=f"Check the disk that holds {folder}; the graph published before is unchanged.",
                graph=replacement.name,
            ) from error
        self._retire_all_but(folder, receipt)
        return receipt

    def _write(self, home: Path, replacement: Replacement) -> Receipt:
        try:
            with self._opened(replacement.name, home) as slot:
                counts = replacement.write(BatchRunner(slot.driver, slot.database))
        except BaseException:
            self._client.request("retire", home=str(home))
            raise
        return Receipt(
            name=replacement.name,
            uri=slot.uri,
            database=slot.database,
            revision=home.name,
            graph_sha256=replacement.graph_sha256,
            **asdict(counts),
        )

    def _retire_all_but(self, folder: Path, receipt: Receipt | None) -> None:
        """Delete revisions that are not the published one: old ones, and what a broken publish left."""
        for home in folder.iterdir():
            if home.is_dir() and (receipt is None or home.name != receipt.revision):
                self._client.request("retire", home=str(home))

    @override
    def receipts(self) -> tuple[Receipt, ...]:
        return tuple(pointers_below(self._graphs))

    @override
    def close(self) -> None:
        self._client.close()
