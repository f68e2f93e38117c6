"""`GET …/construction/source-preview`: before a build, without one, and of sources that cannot be read."""

import json
from pathlib import Path

import httpx
import pytest

from tests.api.conftest import construction, upload


def source_preview(client: httpx.Client, dataset_id: str, query: str = "") -> httpx.Response:
    return client.get(construction(dataset_id) + "/source-preview" + query)


def test_a_database_is_shown_before_it_is_built(client: httpx.Client, bookshop: bytes) -> None:
    dataset_id = upload(client, bookshop, "shop.sqlite")
    response = source_preview(client, dataset_id)
    document = response.json()
    assert response.status_code == 200
    assert (document["version"], document["kind"]) == ("source_preview.v1", "sqlite_image")
    assert all(len(table["rows"]) <= 5 for table in document["tables"])
    assert client.get(construction(dataset_id)).json()["state"] == "not_built"


def test_a_csv_with_another_delimiter(client: httpx.Client) -> None:
    dataset_id = upload(client, b"id\tname\n1\tx\n", "people.csv")
    document = source_preview(client, dataset_id, "?delimiter=%09").json()
    assert document["files"] == ["people.csv"]
    assert document["tables"][0]["name"] == "people"
    assert [column["name"] for column in document["tables"][0]["columns"]] == ["id", "name"]
    (table,) = source_preview(client, dataset_id, "?delimiter=%09&header=false").json()["tables"]
    assert ([column["name"] for column in table["columns"]], table["row_count"]) == (["column_1", "column_2"], 2)
    refused = source_preview(client, dataset_id, "?delimiter=ab")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid_option")


def test_a_bundle_is_shown_with_its_schema(client: httpx.Client) -> None:
    schema = {
        "version": "csv_bundle.v1",
        "tables": [
            {"file_name": "a.csv", "name": "people", "columns": ["id"], "primary_key": ["id"]},
            {
                "file_name": "b.csv",
                "name": "cars",
                "columns": ["id", "owner"],
                "foreign_keys": [{"columns": ["owner"], "ref_table": "people"}],
            },
        ],
    }
    files = [("files", ("a.csv", b"id\n1\n")), ("files", ("b.csv", b"id,owner\n1,1\n2,1\n"))]
    response = client.post("/api/personal-datasets", files=files, data={"csv_schema": json.dumps(schema)})
    assert response.status_code == 201, response.text
    document = source_preview(client, response.json()["dataset"]["dataset_id"]).json()
    people, cars = document["tables"]
    assert (people["name"], people["primary_key"], cars["row_count"]) == ("people", ["id"], 2)
    assert cars["columns"][1]["meaning"] == {"origin": "schema", "text": "References the primary key of people."}


def test_a_text_is_shown_as_it_begins(client: httpx.Client) -> None:
    document = source_preview(client, upload(client, "é".encode() * 5_000, "a.txt")).json()
    assert (document["text"], document["text_is_whole"]) == ("é" * 4_000, False)


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (b"SQLite format 3\0" + bytes(200), "a.db", None),
        (b"PK\x03\x04zip", "a.csv", "source_format_invalid"),
        (b"\xff\xfe\x00", "a.sql", "source_encoding_invalid"),
    ],
)
def test_what_cannot_be_shown_is_a_clean_error(
    client: httpx.Client, content: bytes, name: str, code: str | None, data_dir: Path
) -> None:
    response = source_preview(client, upload(client, content, name))
    assert 400 <= response.status_code < 500
    error = response.json()["error"]
    assert code in (None, error["code"])
    assert str(data_dir) not in response.text


def test_a_dataset_that_does_not_exist(client: httpx.Client) -> None:
    assert source_preview(client, "ds_" + "0" * 20).status_code == 404
