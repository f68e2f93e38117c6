"""A real HTTP server in a thread, over a data directory of its own."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from app.api.application import create_app
from app.main import api_context
from app.service.demo.sample import write_sample
from app.settings import Neo4jSettings, Settings

NO_NEO4J = Neo4jSettings(uri="bolt://127.0.0.1:1")
"""Nothing listens there."""


def settings_for(data_dir: Path, **values: Any) -> Settings:
    defaults: dict[str, Any] = {"cache_dir": data_dir / "cache", "neo4j": NO_NEO4J, "construction": {}}
    return Settings(data_dir=data_dir, **(defaults | values))


@contextmanager
def serving(settings: Settings) -> Iterator[httpx.Client]:
    """A client of a server that runs as long as the block."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        app = create_app(api_context(settings), host="127.0.0.1")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=30) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def client(data_dir: Path) -> Iterator[httpx.Client]:
    with serving(settings_for(data_dir)) as client:
        yield client


@pytest.fixture(scope="session")
def bookshop(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sample") / "bookshop.sqlite"
    write_sample(path, purchases=1_500)
    return path.read_bytes()


def upload(client: httpx.Client, content: bytes, name: str = "shop.sqlite", field: str = "file") -> str:
    response = client.post("/api/personal-datasets", files={field: (name, content)})
    assert response.status_code == 201, response.text
    dataset_id: str = response.json()["dataset"]["dataset_id"]
    return dataset_id


def construction(dataset_id: str) -> str:
    return f"/api/personal-datasets/{dataset_id}/construction"


def settled(client: httpx.Client, dataset_id: str, seconds: float = 60) -> dict[str, Any]:
    end = time.monotonic() + seconds
    while True:
        document: dict[str, Any] = client.get(construction(dataset_id)).json()
        if document["state"] != "building":
            return document
        assert time.monotonic() < end, document
        time.sleep(0.05)
