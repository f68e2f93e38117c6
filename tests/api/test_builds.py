"""Builds over HTTP, with real child processes."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from tests.api.conftest import construction, settled, upload

OPTIONS = {"mode": "rules", "query_count": 4, "evolve": False}
TRIGGER = b"CREATE TABLE a (b); CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;"


def build(client: httpx.Client, dataset_id: str, **options: object) -> httpx.Response:
    return client.post(construction(dataset_id) + "/build", json={"options": OPTIONS | options})


def test_a_build_ends_in_a_graph_that_is_reused(client: httpx.Client, bookshop: bytes, data_dir: Path) -> None:
    dataset_id = upload(client, bookshop)
    started = build(client, dataset_id)
    assert (started.status_code, started.json()["state"]) == (202, "building")
    early = client.get(construction(dataset_id) + "/graph")
    assert (early.status_code, early.json()["error"]["code"]) == (409, "construction_not_ready")
    document = settled(client, dataset_id)
    assert document["state"] == "ready", document
    assert document["summary"]["queries_passed"] == document["summary"]["queries_total"] == 4
    graph = client.get(construction(dataset_id) + "/graph").json()
    assert graph["revision"] == document["revision"] == 1
    assert len(graph["graph"]["nodes"]) == document["summary"]["nodes"] > 6_000
    assert len(graph["graph"]["edges"]) == document["summary"]["edges"]
    folder = data_dir / "users" / "local" / "datasets" / dataset_id / "construction"
    assert json.loads((folder / "graph.json").read_bytes()) == graph["graph"]
    assert json.loads((folder / "evolution-report.json").read_bytes())["state"] == "ready"
    again = build(client, dataset_id, query_count=9)
    assert (again.status_code, again.json()["build_id"]) == (200, document["build_id"])
    assert client.get("/api/personal-datasets").json()["datasets"][0]["state"] == "ready"


def test_a_csv_is_called_what_its_user_calls_it(client: httpx.Client) -> None:
    dataset_id = upload(client, b"id,status\n1,paid\n2,open\n", "orders.csv")
    customers = {"name": "customers", "columns": ["id"], "rows": [{"id": 1}, {"id": True}]}
    refused = build(client, dataset_id, tables=[customers | {"rows": [{"id": [1]}]}])
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "cell_invalid")
    assert build(client, dataset_id, tables=[customers | {"primary_key": []}]).status_code == 202
    document = settled(client, dataset_id)
    assert document["state"] == "ready", document
    graph = client.get(construction(dataset_id) + "/graph").json()["graph"]
    assert sorted(node["type"] for node in graph["nodes"]) == ["customers", "customers", "orders", "orders"]


def test_a_bundle_is_built_from_its_own_schema(client: httpx.Client) -> None:
    tables = [
        {"file_name": "p.csv", "name": "p", "columns": ["k", "v"], "primary_key": ["k"]},
        {
            "file_name": "c.csv",
            "name": "c",
            "columns": ["k", "w"],
            "foreign_keys": [{"columns": ["k"], "ref_table": "p"}],
        },
    ]
    files = [
        ("files", ("p.csv", b"k,v\na,1\nb,2\n")),
        ("files", ("c.csv", b"k,w\na,1\n,2\nb,3\nz,3\n")),
        ("csv_schema", (None, json.dumps({"version": "csv_bundle.v1", "tables": tables}))),
    ]
    dataset = client.post("/api/personal-datasets", files=files).json()["dataset"]
    build(client, dataset["dataset_id"], primary_key=["k"])
    document = settled(client, dataset["dataset_id"])
    assert (document["state"], document["failure_code"]) == ("failed", "invalid_option")
    build(client, dataset["dataset_id"])
    document = settled(client, dataset["dataset_id"])
    assert document["state"] == "ready", document
    summary = document["summary"]
    assert (summary["initial_nodes"], summary["initial_edges"], summary["warnings"]) == (6, 2, 1)
    assert summary["source_sha256"] == dataset["source_sha256"]


def test_conflict_and_capacity(client: httpx.Client, bookshop: bytes) -> None:
    first, second = upload(client, bookshop), upload(client, bookshop)
    assert client.post(construction(first), json={"options": OPTIONS}).status_code == 202
    same, other, full = build(client, first), build(client, first, query_count=5), build(client, second)
    assert same.status_code == 202
    assert (other.status_code, other.json()["error"]["code"]) == (409, "construction_build_conflict")
    assert (full.status_code, full.json()["error"]["code"]) == (429, "construction_capacity_exhausted")
    assert int(full.headers["Retry-After"]) > 0
    assert settled(client, first)["state"] == "ready"


def test_a_source_that_is_refused_fails_by_name(client: httpx.Client, data_dir: Path) -> None:
    dataset_id = upload(client, TRIGGER, "a.sql")
    assert build(client, dataset_id).status_code == 202
    document = settled(client, dataset_id)
    assert (document["state"], document["failure_code"]) == ("failed", "sql_unsupported")
    assert document["error"]["code"] == "sql_unsupported"
    assert str(data_dir) not in json.dumps(document)
    assert client.get("/api/personal-datasets").json()["datasets"][0]["state"] == "failed"
    assert build(client, dataset_id).status_code == 202


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"options": {"query_count": 0}}', 422, "invalid_option"),
        (b'{"options": {"query_count": true}}', 422, "invalid_option"),
        (b'{"options": {"max_seconds": 3601}}', 422, "invalid_option"),
        (b'{"options": {"max_seconds": 3601, "resource_profile": "full_scale"}}', 422, "invalid_option"),
        (b'{"options": {"no_such": 1}}', 422, "invalid_option"),
        (b'{"options": {"max_source_rows": 0}}', 422, "invalid_option"),
        (b'{"options": {"mode": "llm"}}', 501, "not_available"),
        (b'{"options": 7}', 422, "request_invalid"),
        (b'{"option": {}}', 422, "request_invalid"),
        (b"[1]", 422, "request_invalid"),
        (b"not json", 422, "request_invalid"),
        (b"\xff", 422, "request_invalid"),
        (b" " * 9_000_000, 422, "request_invalid"),
    ],
)
def test_a_build_that_is_refused_starts_nothing(client: httpx.Client, body: bytes, status: int, code: str) -> None:
    dataset_id = upload(client, b"CREATE TABLE a (b);", "a.sql")
    response = client.post(construction(dataset_id) + "/build", content=body)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert client.get(construction(dataset_id)).json()["state"] == "not_built"


def start_server(data_dir: Path) -> tuple["subprocess.Popen[bytes]", str]:
    environment = os.environ | {"GRAPHWRIGHT_DATA_DIR": str(data_dir), "NEO4J_URI": "bolt://127.0.0.1:1"}
    command = [sys.executable, "-c", "from app.main import run; run()", "serve", "--port", "0"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    assert process.stderr is not None
    found = re.search(rb"(http://\S+)/api", process.stderr.readline())
    assert found is not None
    return process, found.group(1).decode()


def test_a_killed_server_leaves_no_worker_and_no_half_graph(data_dir: Path, bookshop: bytes) -> None:
    process, address = start_server(data_dir)
    with httpx.Client(base_url=address, timeout=30) as client:
        dataset_id = upload(client, bookshop)
        build(client, dataset_id, evolve=True)
    workers = psutil.Process(process.pid).children()
    assert len(workers) == 1
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert all(worker.status() == psutil.STATUS_ZOMBIE for worker in alive), "a worker outlives its server"
    process, address = start_server(data_dir)
    with httpx.Client(base_url=address, timeout=30) as client:
        document = client.get(construction(dataset_id)).json()
        assert (document["state"], document["failure_code"]) == ("failed", "construction_worker_lost")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_stopped_server_ends_its_builds(data_dir: Path, bookshop: bytes) -> None:
    process, address = start_server(data_dir)
    with httpx.Client(base_url=address, timeout=30) as client:
        dataset_id = upload(client, bookshop)
        build(client, dataset_id, evolve=True)
    worker = psutil.Process(process.pid).children()[0]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert not worker.is_running()
    status = json.loads((data_dir / "users/local/datasets" / dataset_id / "construction/status.json").read_text())
    assert status["state"] == "failed"
