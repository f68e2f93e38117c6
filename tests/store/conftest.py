"""One Neo4j for the whole session: NEO4J_URI, else a container where a Docker engine answers, else the embedded one."""

import os
import socket
import uuid
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from app.store.embedded.client import ServerClient
from app.store.embedded.credentials import USERNAME, embedded_password
from app.store.embedded.launch import connect
from app.store.embedded.server import EmbeddedServer
from app.store.servers.config import StoreSettings
from app.store.servers.external import ExternalServer
from app.store.servers.server import Neo4jServer


def cache_dir() -> Path:
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphwright"
    return Path(os.environ.get("GRAPHWRIGHT_CACHE_DIR") or default)


@pytest.fixture(scope="session")
def embedded_settings(tmp_path_factory: pytest.TempPathFactory) -> StoreSettings:
    return StoreSettings(
        tmp_path_factory.mktemp("data"), cache_dir(), maven_repository=os.environ.get("GRAPHWRIGHT_MAVEN_REPOSITORY")
    )


@pytest.fixture(scope="session")
def client(embedded_settings: StoreSettings) -> Iterator[ServerClient]:
    client = connect(embedded_settings)
    yield client
    client.close()


@pytest.fixture(scope="session")
def embedded(client: ServerClient) -> EmbeddedServer:
    return EmbeddedServer(client)


@pytest.fixture(scope="session")
def external_settings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StoreSettings]:
    data, cache = tmp_path_factory.mktemp("external"), cache_dir()
    if uri := os.environ.get("NEO4J_URI"):
        username, password = os.environ.get("NEO4J_USERNAME", USERNAME), os.environ.get("NEO4J_PASSWORD", "")
        yield StoreSettings(data, cache, uri, username, password, os.environ.get("NEO4J_DATABASE"))
    elif docker_answers():
        from testcontainers.neo4j import Neo4jContainer

        with Neo4jContainer("neo4j:5.26-community") as container:
            yield StoreSettings(data, cache, container.get_connection_url(), container.username, container.password)
    else:
        client: ServerClient = request.getfixturevalue("client")
        port = client.request("open", home=str(client.files.folder / "stands-for-an-external-one"))
        yield StoreSettings(
            data, cache, f"bolt://127.0.0.1:{port}", USERNAME, embedded_password(client.files.folder), "neo4j"
        )


def docker_answers() -> bool:
    if "DOCKER_HOST" in os.environ:
        return True
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex("/var/run/docker.sock") == 0


@pytest.fixture
def external(external_settings: StoreSettings) -> ExternalServer:
    return ExternalServer(external_settings)


@pytest.fixture
def emptied(external_settings: StoreSettings) -> None:
    """The external database holds nothing."""
    settings = external_settings
    auth = (settings.username, settings.password)
    with neo4j.GraphDatabase.driver(str(settings.uri), auth=auth) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n", database_=settings.database)


@pytest.fixture(params=["embedded", "external"])
def server(request: pytest.FixtureRequest) -> Neo4jServer:
    """Every store there is: what holds of one must hold of the other."""
    if request.param == "external":
        request.getfixturevalue("emptied")
    store: Neo4jServer = request.getfixturevalue(request.param)
    return store


@pytest.fixture
def name() -> str:
    """A graph's name that no other test uses."""
    return f"graph {uuid.uuid4().hex[:8]}"
