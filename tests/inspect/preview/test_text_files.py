"""Previews of CSV and TXT: cells as they are written, excerpts as they begin."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from app.errors import (
    CsvInvalidError,
    InvalidOptionError,
    SourceEmptyError,
    SourceEncodingError,
    SourceError,
    SourceFormatError,
    SourceLimitError,
    SourceNotFoundError,
)
from app.inspect.preview.limits import SOURCE_BYTES
from app.inspect.preview.preview import PreviewOptions, preview_source
from app.sources.dialect import Dialect


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_cells_of_csv_stay_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path / "people.csv", '\ufeffid,note\r\n007,"a, ""b""\nc"\r\n,\r\n3,x\n4,x\n5,x\n6,x')
    found = preview_source(path)
    (table,) = found.tables
    assert (found.kind, table.name, table.row_count) == ("csv", "people", 6)
    assert table.rows == (("007", 'a, "b"\nc'), ("", ""), ("3", "x"), ("4", "x"), ("5", "x"))
    assert [column.declared_type for column in table.columns] == ["", ""]


def test_delimiters(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id;name\n1;x\n")
    found = preview_source(path)
    assert len(found.tables[0].columns) == 1
    assert [warning.code for warning in found.warnings] == ["delimiter_doubtful"]
    assert found.warnings[0].where == {"table": "a", "delimiter": ";"}
    assert preview_source(path, PreviewOptions(delimiter=";")).tables[0].rows == (("1", "x"),)
    assert preview_source(write(tmp_path / "a.tsv", "id\tname\n1\tx\n")).tables[0].rows == (("1", "x"),)
    for wrong in ("", ";;", '"', "\n", "ü"):
        with pytest.raises(InvalidOptionError, match="delimiter"):
            preview_source(path, PreviewOptions(delimiter=wrong))


def test_files_of_a_bundle_with_their_schema(tmp_path: Path) -> None:
    paths = [write(tmp_path / "source_0.csv", "id\n1\n"), write(tmp_path / "source_1.csv", "id,owner\n1,1\n")]
    schema = {
        "version": "csv_bundle.v1",
        "tables": [
            {"file_name": "people.csv", "name": "person", "columns": ["id"], "primary_key": ["id"], "foreign_keys": []},
            {
                "file_name": "cars.csv",
                "name": "car",
                "columns": ["id", "owner"],
                "primary_key": [],
                "foreign_keys": [{"columns": ["owner"], "ref_table": "person", "ref_columns": ["id"]}],
            },
        ],
    }
    found = preview_source(paths, PreviewOptions(names=("people.csv", "cars.csv"), csv_schema=schema))
    assert found.files == ("people.csv", "cars.csv")
    assert [(table.name, table.primary_key) for table in found.tables] == [("person", ("id",)), ("car", ())]
    assert found.tables[1].references[0].ref_table == "person"


def test_text_files_of_a_bundle(tmp_path: Path) -> None:
    """The files of a GTFS feed are TXT."""
    agency = write(tmp_path / "agency.txt", "agency_id,name\n1,x\n")
    routes = write(tmp_path / "routes.txt", "route_id,agency_id\n7,1\n")
    found = preview_source([agency, routes])
    assert (found.kind, [(table.name, table.rows) for table in found.tables]) == (
        "csv",
        [("agency", (("1", "x"),)), ("routes", (("7", "1"),))],
    )
    schema = {"version": "csv_bundle.v1", "tables": [{"file_name": "agency.txt", "name": "a", "columns": []}]}
    assert [table.name for table in preview_source(agency, PreviewOptions(csv_schema=schema)).tables] == ["a"]
    assert preview_source(agency).kind == "txt"


@pytest.mark.parametrize(
    ("name", "options", "option"),
    [
        ("a.csv", PreviewOptions(dialect=Dialect.MYSQL), "dialect"),
        ("a.txt", PreviewOptions(dialect=Dialect.SQLITE), "dialect"),
        ("a.sql", PreviewOptions(delimiter=";"), "delimiter"),
        ("a.db", PreviewOptions(delimiter=";"), "delimiter"),
        ("a.db", PreviewOptions(dialect=Dialect.POSTGRES), "dialect"),
        ("folder", PreviewOptions(dialect=Dialect.MYSQL), "dialect"),
    ],
)
def test_options_without_a_use_are_refused(tmp_path: Path, name: str, options: PreviewOptions, option: str) -> None:
    (tmp_path / "folder").mkdir()
    if name != "folder":
        write(tmp_path / name, b"SQLite format 3\0" if name == "a.db" else "id\n1\n")
    with pytest.raises(InvalidOptionError, match=f"{option} cannot be set for") as caught:
        preview_source(tmp_path / name, options)
    assert caught.value.where["option"] == option


def test_options_with_a_use_are_taken(tmp_path: Path) -> None:
    text = write(tmp_path / "a.txt", "a;b\n1;2\n")
    assert preview_source(text, PreviewOptions(delimiter=";")).text == "a;b\n1;2\n"


def test_the_folder_of_a_bundle(tmp_path: Path) -> None:
    write(tmp_path / "people.csv", "id\n1\n")
    write(tmp_path / "unused.csv", "id\n1\n")
    schema = {"version": "csv_bundle.v1", "tables": [{"file_name": "people.csv", "name": "person", "columns": ["id"]}]}
    with pytest.raises(SourceNotFoundError, match=r"has no csv_schema\.json") as caught:
        preview_source(tmp_path)
    assert "needs a csv_schema.json" in caught.value.hint
    write(tmp_path / "csv_schema.json", json.dumps(schema))
    found = preview_source(tmp_path)
    assert [(table.name, table.rows) for table in found.tables] == [("person", (("1",),))]
    write(tmp_path / "csv_schema.json", "{}")
    with pytest.raises(SourceError, match="csv_schema"):
        preview_source(tmp_path)


def test_a_fault_further_down_is_a_warning_and_one_at_the_top_an_error(tmp_path: Path) -> None:
    rows = "1,x\n" * 2_000_000
    found = preview_source(write(tmp_path / "a.csv", "id,name\n" + rows + '2,"open\n'))
    assert found.tables[0].row_count is None
    assert found.warnings[0].code == "rows_not_counted"
    with pytest.raises(CsvInvalidError):
        preview_source(write(tmp_path / "b.csv", "id,name\n1,2,3\n"))


def test_a_row_of_another_width_further_down_is_a_warning(tmp_path: Path) -> None:
    for more in (0, 2_000_000):
        found = preview_source(write(tmp_path / "a.csv", "id,name\n" + "1,x\n" * (5 + more) + "2\n3,y\n"))
        assert found.tables[0].rows == (("1", "x"),) * 5
        assert found.tables[0].row_count is None
        (warning,) = found.warnings
        assert (warning.code, "1 field, 2 expected" in warning.message) == ("rows_not_counted", True)
        assert f"record {6 + more} " in warning.message


def test_limits_of_size(tmp_path: Path) -> None:
    half = write(tmp_path / "a.csv", "id\n" + "1\n" * (SOURCE_BYTES // 4))
    other = write(tmp_path / "b.csv", half.read_bytes())
    assert preview_source(half).tables[0].row_count == SOURCE_BYTES // 4
    with pytest.raises(SourceLimitError, match="a preview reads up to"):
        preview_source([half, other])
    text = write(tmp_path / "a.txt", b"x" * (SOURCE_BYTES + 1))
    assert preview_source(text).text == "x" * 4_000


@pytest.mark.parametrize(
    ("content", "shown", "whole"),
    [
        ("\ufeffline one\nline two", "line one\nline two", True),
        ("ü" * 4_000, "ü" * 4_000, True),
        ("ü" * 4_001, "ü" * 4_000, False),
        ("🙂" * 9_000, "🙂" * 4_000, False),
        (" \n", " \n", True),
    ],
)
def test_excerpts(tmp_path: Path, content: str, shown: str, whole: bool) -> None:
    found = preview_source(write(tmp_path / "a.txt", content))
    assert (found.kind, found.text, found.text_is_whole, found.tables) == ("txt", shown, whole, ())


@pytest.mark.parametrize("content", [b"caf\xe9", "x".encode("utf-16"), b"ok \xc3"])
def test_text_that_is_not_utf8(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SourceEncodingError):
        preview_source(write(tmp_path / "a.txt", content))


def test_files_that_make_no_source(tmp_path: Path) -> None:
    sheet, script = write(tmp_path / "a.csv", "id\n"), write(tmp_path / "a.sql", "CREATE TABLE t (a);")
    with pytest.raises(SourceFormatError, match="one source only if"):
        preview_source([sheet, script])
    with pytest.raises(SourceEmptyError):
        preview_source(write(tmp_path / "empty.csv", b""))
    with pytest.raises(SourceNotFoundError):
        preview_source(tmp_path / "missing.csv")


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04" + bytes(100),
        b"a,b\0\n",
        b"\xff\xfea\0",
        b'"' + b"x" * 100_000,
        b"x" * 20_000_000,
        b"," * 1_000_000,
    ],
    ids=["zip", "nul", "utf16", "open", "long", "wide"],
)
def test_hostile_csv_is_a_named_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SourceError):
        preview_source(write(tmp_path / "a.csv", content))


def test_every_case_of_the_corpus_is_shown_or_refused_by_name(corpus: Path) -> None:
    files = [path for path in (corpus / "cases").rglob("*") if path.suffix in (".sql", ".db", ".csv", ".txt")]
    assert len(files) > 40
    for path in files:
        with suppress(SourceError):
            preview_source(path)
