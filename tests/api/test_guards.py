"""What a web page, a wrong address or a fault of our own gets: a clean refusal."""

import json
from pathlib import Path

import httpx
import pytest

from app.api.errors import error_response
from app.api.origin import OriginGuard
from app.errors import WorkloadInvalidError
from tests.api.conftest import construction, serving, settings_for, upload


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LOCALHOST", "[::1]:21108"])
def test_our_own_names_pass(client: httpx.Client, host: str) -> None:
    assert client.get("/api/personal-datasets", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1", "192.0.2.9"]
)
def test_a_rebound_name_is_refused(client: httpx.Client, host: str) -> None:
    response = client.get("/api/personal-datasets", headers={"Host": host})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "request_refused")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "file://", "http://127.0.0.1"])
def test_a_foreign_page_is_refused(client: httpx.Client, origin: str) -> None:
    response = client.post("/api/personal-datasets", headers={"Origin": origin, "Host": "localhost:21108"})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "request_refused")


def test_our_own_page_passes(client: httpx.Client) -> None:
    headers = {"Origin": "http://localhost:21108", "Host": "localhost:21108"}
    assert client.get("/api/personal-datasets", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("bound", "host", "passes"),
    [
        ("0.0.0.0", "192.0.2.3:21108", True),
        ("::", "[fe80::1]:21108", True),
        ("0.0.0.0", "evil.example", False),
        ("127.0.0.1", "192.0.2.3", False),
        ("shop.internal", "shop.internal:80", True),
    ],
)
def test_a_server_on_every_address_takes_addresses_but_no_names(bound: str, host: str, passes: bool) -> None:
    guard = OriginGuard(None, bound)  # type: ignore[arg-type]
    assert (guard._refusal({"headers": [(b"host", host.encode())]}) is None) == passes


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/nothing", 404, "not_found"),
        ("GET", "/", 404, "not_found"),
        ("DELETE", "/api/personal-datasets", 405, "request_invalid"),
        ("GET", "/api/personal-datasets/ds_0/construction", 404, "not_found"),
        ("POST", "/api/personal-datasets/ds_0/construction/build", 404, "not_found"),
        ("GET", "/api/personal-datasets/ds_0/construction/graph", 404, "not_found"),
        ("GET", "/api/personal-datasets/..%2f..%2fetc/construction", 404, "not_found"),
    ],
)
def test_every_error_is_json(client: httpx.Client, method: str, path: str, status: int, code: str) -> None:
    response = client.request(method, path)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_a_fault_of_our_own_shows_no_traceback(client: httpx.Client, data_dir: Path) -> None:
    dataset_id = upload(client, b"x")
    (data_dir / "users" / "local" / "datasets" / dataset_id / "dataset.json").write_text("no json")
    response = client.get(construction(dataset_id))
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal_error")
    assert "Traceback" not in response.text
    assert "JSONDecodeError" in (data_dir / "fault.log").read_text()


def test_without_neo4j_the_server_starts_with_an_empty_skeleton(data_dir: Path) -> None:
    with serving(settings_for(data_dir)) as client:
        assert client.get("/api/skeleton").json() == {"graph": None, "skeleton": ""}
    with serving(settings_for(data_dir, graph="shop")) as client:
        document = client.get("/api/skeleton").json()
        assert (document["graph"], document["skeleton"]) == ("shop", "")
        assert document["error"]["code"] in ("graph_not_published", "neo4j_unreachable")
        assert client.get("/api/personal-datasets").status_code == 200


def test_parts_of_an_error_keep_their_form() -> None:
    error = WorkloadInvalidError("x", problems=[{"plan": "a", "row": 3}], columns=("a", "b"), file=Path("b.sql"))
    where = json.loads(bytes(error_response(error).body))["error"]["where"]
    assert where == {"problems": [{"plan": "a", "row": 3}], "columns": ["a", "b"], "file": "b.sql"}
