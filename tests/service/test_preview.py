"""Previews and suggestions through the child process."""

from pathlib import Path

import pytest

from app.datasets.sandbox import MIB, SandboxLimits
from app.errors import CsvInvalidError, InvalidOptionError, SourceEmptyError, SourceFormatError, SourceParserFailedError
from app.service import preview as service
from app.service.key_suggestions import suggest
from app.service.preview import preview


def test_a_preview_comes_from_a_child(tmp_path: Path) -> None:
    (tmp_path / "s.sql").write_text("CREATE TABLE t (a INTEGER PRIMARY KEY);INSERT INTO t VALUES (1);")
    document = preview([tmp_path / "s.sql"], names=["shop.sql"])
    assert (document["version"], document["files"], document["tables"][0]["rows"]) == (
        "source_preview.v1",
        ["shop.sql"],
        [[1]],
    )


def test_errors_of_the_source_keep_their_place(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,name\n1,x\n1\n")
    with pytest.raises(CsvInvalidError, match="1 field, 2 expected") as caught:
        preview([tmp_path / "a.csv"])
    assert (caught.value.where["record"], caught.value.where["line"]) == (2, 3)
    (tmp_path / "z.csv").write_bytes(b"PK\x03\x04 a zip")
    with pytest.raises(SourceFormatError, match="ZIP"):
        preview([tmp_path / "z.csv"])


def test_a_source_that_takes_all_memory_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s.sql").write_text("CREATE TABLE t (a TEXT);\nINSERT INTO t VALUES ('" + "ü" * (12 * MIB) + "');")
    assert preview([tmp_path / "s.sql"])["tables"][0]["row_count"] == 1
    monkeypatch.setattr(service, "_LIMITS", SandboxLimits(24 * MIB, 20.0))
    with pytest.raises(SourceParserFailedError, match="memory"):
        preview([tmp_path / "s.sql"])


def test_suggestions_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "customers.csv").write_text("id,name\n" + "".join(f"{i},n{i}\n" for i in range(20)))
    (tmp_path / "orders.csv").write_text("order_id,customer_id\n" + "".join(f"o{i},{i % 20}\n" for i in range(60)))
    (tmp_path / "notes.txt").write_text("not a table")
    document = suggest([tmp_path], threshold=0.5)
    assert document["complete"]
    assert document["proposal"] == {
        "version": "csv_bundle.v1",
        "tables": [
            {
                "file_name": "customers.csv",
                "name": "customers",
                "columns": ["id", "name"],
                "primary_key": ["id"],
                "foreign_keys": [],
            },
            {
                "file_name": "orders.csv",
                "name": "orders",
                "columns": ["order_id", "customer_id"],
                "primary_key": ["order_id"],
                "foreign_keys": [{"columns": ["customer_id"], "ref_table": "customers", "ref_columns": ["id"]}],
            },
        ],
    }


def test_suggestions_of_text_files(tmp_path: Path) -> None:
    """The files of a GTFS feed are TXT: in a folder without CSV files, or by name."""
    agency, routes = tmp_path / "agency.txt", tmp_path / "routes.txt"
    agency.write_text("agency_id,name\n" + "".join(f"A{i},n{i}\n" for i in range(9)))
    routes.write_text("route_id,agency_id\n" + "".join(f"r{i},A{i % 9}\n" for i in range(30)))
    for given in ([tmp_path], [agency, routes]):
        proposal = suggest(given, threshold=0.5)["proposal"]
        assert [table["file_name"] for table in proposal["tables"]] == ["agency.txt", "routes.txt"]
        assert [key["ref_table"] for key in proposal["tables"][1]["foreign_keys"]] == ["agency"]
    assert suggest([agency], threshold=0.5)["proposal"]["tables"][0]["primary_key"] == ["agency_id"]


def test_suggestions_refuse_a_delimiter_of_a_database(tmp_path: Path) -> None:
    (tmp_path / "s.sql").write_text("CREATE TABLE t (a INTEGER);")
    with pytest.raises(InvalidOptionError, match="delimiter cannot be set for SQL text"):
        suggest([tmp_path / "s.sql"], threshold=0.5, delimiter=";")


def test_suggestions_for_a_database(tmp_path: Path) -> None:
    (tmp_path / "s.sql").write_text(
        "CREATE TABLE customers (id INTEGER);CREATE TABLE orders (order_id INTEGER, customer_id INTEGER);"
        "INSERT INTO customers VALUES (1),(2),(3);INSERT INTO orders VALUES (1,1),(2,2),(3,3),(4,3);"
    )
    document = suggest([tmp_path / "s.sql"], threshold=0.5)
    assert "proposal" not in document
    assert [key["ref_table"] for key in document["foreign_keys"]] == ["customers"]


def test_suggestions_for_a_dump_of_two_files(tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text(
        "--\n-- PostgreSQL database dump\n--\nCREATE TABLE public.t (t_id integer);CREATE VIEW public.v AS SELECT 1;\n"
    )
    (tmp_path / "rows.sql").write_text("COPY public.t (t_id) FROM stdin;\n1\n2\n\\.\n")
    document = suggest([tmp_path / "schema.sql", tmp_path / "rows.sql"], threshold=0.5)
    assert [key["columns"] for key in document["primary_keys"]] == [["t_id"]]


def test_what_cannot_be_asked_for(tmp_path: Path) -> None:
    with pytest.raises(SourceEmptyError, match="no CSV or TXT files"):
        suggest([tmp_path], threshold=0.5)
    for wrong in ({"threshold": 1.5}, {"threshold": 0.5, "seconds": 0.0}, {"threshold": 0.5, "seconds": 1e9}):
        with pytest.raises(InvalidOptionError):
            suggest([tmp_path], **wrong)
