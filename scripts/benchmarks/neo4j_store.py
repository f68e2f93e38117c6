"""Fresh stores of the embedded Neo4j for the benchmarks, with APOC where it can be had."""

import json
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import neo4j

from app.errors import DownloadFailedError
from app.settings import read_settings
from app.store.embedded.credentials import USERNAME
from app.store.embedded.download import ensure_jars, fetch_jars
from app.store.embedded.jars import read_lock
from app.store.embedded.protocol import LOOPBACK
from app.store.servers.config import StoreSettings
from app.store.servers.driver import open_driver

DATABASE = "neo4j"

_APOC_LOCK = Path(__file__).with_name("apoc.lock")
_END_SECONDS = 60.0


class Server:
    """One Java machine, as the product starts it; `has_apoc` says whether its stores know APOC's procedures."""

    def __init__(self, process: "subprocess.Popen[bytes]", class_path: tuple[Path, ...], *, has_apoc: bool) -> None:
        self._process, self.has_apoc = process, has_apoc
        self._send({"class_path": [str(jar) for jar in class_path], "apoc": has_apoc})

    @contextmanager
    def fresh_store(self) -> Iterator[neo4j.Driver]:
        """A driver of an empty database in a store directory of its own; one at a time."""
        password = secrets.token_urlsafe(24)
        with tempfile.TemporaryDirectory() as home:
            port = self._ask({"home": home, "password": password})["port"]
            try:
                with open_driver(f"bolt://{LOOPBACK}:{port}", USERNAME, password) as driver:
                    yield driver
            finally:
                self._ask({})

    def _ask(self, message: dict[str, object]) -> dict[str, int]:
        self._send(message)
        assert self._process.stdout is not None
        answer: dict[str, int] = json.loads(self._process.stdout.readline())
        return answer

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode("utf-8") + b"\n")
        self._process.stdin.flush()


@contextmanager
def started_server() -> Iterator[Server]:
    """A server that ends with the context; a line on standard error where APOC cannot be had."""
    class_path, has_apoc = _class_path()
    command = [sys.executable, "-m", "scripts.benchmarks.neo4j_child"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield Server(process, class_path, has_apoc=has_apoc)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _class_path() -> tuple[tuple[Path, ...], bool]:
    """The jars, fetched where the user's cache lacks them, and whether APOC is among them."""
    settings = read_settings()
    store = StoreSettings(settings.data_dir, settings.cache_dir, maven_repository=settings.maven_repository)
    jars = ensure_jars(store)
    try:
        return jars + fetch_jars(read_lock(_APOC_LOCK.read_text(encoding="utf-8")), store), True
    except DownloadFailedError as error:
        print(f"APOC is left out: {error}", file=sys.stderr)
        return jars, False
