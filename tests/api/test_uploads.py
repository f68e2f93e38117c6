"""Uploads over HTTP: what is kept, and every form that isn't one."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.sources.load import load_source
from tests.api.conftest import construction, serving, settings_for, upload

BOUNDARY = "b0undary"


def part(name: str, content: bytes, file_name: str | None = None) -> bytes:
    file = "" if file_name is None else f'; filename="{file_name}"'
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + content + b"\r\n"


END = f"--{BOUNDARY}--\r\n".encode()
TABLES = [
    {"file_name": "p.csv", "name": "p", "columns": ["k"], "primary_key": ["k"]},
    {"file_name": "c.csv", "name": "c", "columns": ["k"], "foreign_keys": [{"columns": ["k"], "ref_table": "p"}]},
]
SCHEMA = json.dumps({"version": "csv_bundle.v1", "tables": TABLES}).encode()
FILES = {"p.csv": b"k\na\n", "c.csv": b"k\na\n\n"}


def post(client: httpx.Client, body: bytes | Iterator[bytes], content_type: str | None = None) -> httpx.Response:
    kind = f"multipart/form-data; boundary={BOUNDARY}" if content_type is None else content_type
    return client.post("/api/personal-datasets", content=body, headers={"Content-Type": kind})


def kept_files(data_dir: Path) -> list[Path]:
    return [path for path in (data_dir / "users").rglob("*") if path.is_file()]


@pytest.mark.parametrize("field", ["file", "files"])
def test_an_upload_becomes_a_dataset(client: httpx.Client, data_dir: Path, field: str) -> None:
    content = bytes(range(256)) * 5_000
    response = client.post("/api/personal-datasets", files={field: ("my shop.sql", content)})
    dataset = response.json()["dataset"]
    assert response.status_code == 201
    assert (dataset["file_name"], dataset["size_bytes"], dataset["state"]) == ("my shop.sql", 1_280_000, "source_ready")
    assert dataset["source_sha256"] == hashlib.sha256(content).hexdigest()
    folder = data_dir / "users" / "local" / "datasets" / dataset["dataset_id"]
    assert (folder / "source.sql").read_bytes() == content
    assert client.get("/api/personal-datasets").json() == {"datasets": [dataset]}
    document = client.get(construction(dataset["dataset_id"])).json()
    assert (document["state"], document["source_state"]) == ("not_built", "source_ready")
    assert document["capabilities"] == {"build": True, "graph": False}


@pytest.mark.parametrize("order", [["csv_schema", "p.csv", "c.csv"], ["c.csv", "csv_schema", "p.csv"]])
def test_a_bundle_is_kept_as_it_was_uploaded(client: httpx.Client, data_dir: Path, order: list[str]) -> None:
    parts = [part("csv_schema", SCHEMA) if name == "csv_schema" else part("files", FILES[name], name) for name in order]
    response = post(client, b"".join(parts) + END)
    dataset = response.json()["dataset"]
    assert (response.status_code, dataset["size_bytes"]) == (201, sum(map(len, FILES.values())))
    folder = data_dir / "users" / "local" / "datasets" / dataset["dataset_id"] / "source"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {**FILES, "csv_schema.json": SCHEMA}
    assert load_source(folder).source_sha256 == dataset["source_sha256"]


def test_a_streamed_upload_without_a_length(client: httpx.Client) -> None:
    pieces = [part("note", b"ignored"), part("file", b"x" * 99_999, "a.sql"), END]
    response = post(client, (body[i : i + 7_001] for body in pieces for i in range(0, len(body), 7_001)))
    assert (response.status_code, response.json()["dataset"]["size_bytes"]) == (201, 99_999)


def test_content_that_looks_like_a_boundary(client: httpx.Client, data_dir: Path) -> None:
    content = b"\r\n--" + BOUNDARY.encode()[:-1] + b"\r\n--\r\n\r\n"
    response = post(client, part("file", content, "a.sql") + END)
    folder = data_dir / "users" / "local" / "datasets" / response.json()["dataset"]["dataset_id"]
    assert (folder / "source.sql").read_bytes() == content


@pytest.mark.parametrize(
    "name", ["../../evil.sql", "C:\\\\dir\\\\evil.sql", "/etc/passwd", "a\x00b.sql", "日本.sql", ""]
)
def test_file_names_are_only_names(client: httpx.Client, data_dir: Path, name: str) -> None:
    response = post(client, part("file", b"CREATE TABLE a (b);", name) + END)
    assert response.status_code == 201
    assert "/" not in response.json()["dataset"]["file_name"]
    assert {path.name.split(".")[0] for path in kept_files(data_dir)} == {"source", "dataset"}


@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        (b"", None, 422, "upload_invalid"),
        (b"{}", "application/json", 422, "upload_invalid"),
        (b"x", "multipart/form-data", 422, "upload_invalid"),
        (b"x", "", 422, "upload_invalid"),
        (b"garbage", None, 422, "upload_invalid"),
        (END, None, 422, "upload_invalid"),
        (part("other", b"x", "a.sql") + END, None, 422, "upload_invalid"),
        (part("file", b"no file name") + END, None, 422, "upload_invalid"),
        (part("file", b"x", "a.sql"), None, 422, "upload_invalid"),
        (part("file", b"", "a.sql") + END, None, 422, "source_empty"),
        (part("file", b"x", "a.sql") + part("file", b"y", "b.sql") + END, None, 422, "upload_invalid"),
        (part("csv_schema", b"{}") + part("files", b"y", "b.csv") + END, None, 422, "csv_schema_invalid"),
        (part("csv_schema", b"{") + part("files", b"y", "b.csv") + END, None, 422, "csv_schema_invalid"),
        (part("csv_schema", b"{}") * 2 + part("files", b"y", "b.csv") + END, None, 422, "upload_invalid"),
        (part("csv_schema", SCHEMA) + part("files", b"k\na\n", "p.csv") + END, None, 422, "csv_schema_invalid"),
        (part("csv_schema", SCHEMA) + part("files", b"k\n", "p.csv") * 2 + END, None, 422, "csv_schema_invalid"),
        (part("csv_schema", SCHEMA) + END, None, 422, "upload_invalid"),
        (part("csv_schema", b" " * (8 * 2**20 + 1)) + END, None, 413, "upload_too_large"),
        (part("files", b"k\n", "p.csv") * 129 + END, None, 422, "upload_invalid"),
        (b"x", f"multipart/form-data; boundary={'b' * 5_000}", 422, "upload_invalid"),
    ],
)
def test_what_is_no_upload(
    client: httpx.Client, data_dir: Path, body: bytes, content_type: str | None, status: int, code: str
) -> None:
    response = post(client, body, content_type)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert kept_files(data_dir) == []
    assert client.get("/api/personal-datasets").json() == {"datasets": []}


def test_an_upload_over_the_limit_keeps_nothing(data_dir: Path) -> None:
    with serving(settings_for(data_dir, max_upload_bytes=1_000)) as client:
        upload(client, b"x" * 1_000)
        response = client.post("/api/personal-datasets", files={"file": ("a.sql", b"x" * 1_001)})
        assert (response.status_code, response.json()["error"]["code"]) == (413, "upload_too_large")
        assert len(client.get("/api/personal-datasets").json()["datasets"]) == 1


def test_a_client_that_hangs_up_leaves_nothing(client: httpx.Client, data_dir: Path) -> None:
    def half() -> Iterator[bytes]:
        yield part("file", b"x" * 100_000, "a.sql")[:-2]
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        post(client, half())
    assert client.get("/api/personal-datasets").json() == {"datasets": []}
    assert kept_files(data_dir) == []
