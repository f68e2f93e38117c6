"""CSV and TXT files from public bug reports: exact rows, edges and warnings, or an exact refusal."""

import json
import shutil
from pathlib import Path

import pytest

from app.build.options import BuildOptions
from app.build.phases import build_graph
from app.build.warnings import all_warnings, warning_count
from app.errors import GraphwrightError
from app.graph.g0 import build_initial_graph, match_references
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, SourceKind, WarningCode

CASES = Path(__file__).parents[2] / "cases"

REFUSALS = {
    "14-csv-bom-crlf-quotes/unclosed_quote.csv": (
        "csv_invalid",
        "quote opened in record 1 (line 2) is never closed; 0 rows kept",
    ),
    "15-csv-row-width/a_extra_field.csv": ("csv_invalid", "record 3 (line 6): 4 fields, 3 expected"),
    "15-csv-row-width/b_short_row.csv": ("csv_invalid", "record 2 (line 3): 2 fields, 3 expected"),
    "15-csv-row-width/c_header_short.csv": ("csv_invalid", "record 1 (line 2): 3 fields, 2 expected"),
    "15-csv-row-width/d_banner_line.csv": (
        "csv_invalid",
        'record 1 (line 2): 3 fields, 1 expected (the header was taken from line 1: "Report made by TOOL 4")',
    ),
    "15-csv-row-width/e_trailing_comma_header.csv": ("csv_header_invalid", "column 3 has no name"),
    "19-csv-headers/a_duplicate.csv": (
        "csv_header_invalid",
        'column "address" is there twice (positions 2 and 3)',
    ),
    "19-csv-headers/b_case_duplicate.csv": ("csv_header_invalid", '"Name" and "name"'),
    "19-csv-headers/c_blank_header.csv": ("csv_header_invalid", "column 2 has no name"),
    "19-csv-headers/f_zero_bytes.csv": ("source_empty", "is empty: it has no header"),
    "19-csv-headers/g_bom_only.csv": ("source_empty", "is empty: it has no header"),
    "21-txt-encoding/cp1252.txt": ("source_encoding_invalid", "byte 0xE9 at offset 17"),
    "21-txt-encoding/utf16le_bom.txt": ("source_encoding_invalid", "byte 0xFF at offset 0"),
    "21-txt-encoding/nul_inside.txt": ("source_encoding_invalid", "NUL byte at offset 19"),
    "22-txt-empty/zero_bytes.txt": ("source_empty", "the file has no text"),
    "22-txt-empty/bom_only.txt": ("source_empty", "the file has no text"),
    "22-txt-empty/whitespace_only.txt": ("source_empty", "the file has no text"),
    "22-txt-empty/nbsp_only.txt": ("source_empty", "the file has no text"),
}


def rows(source: RelationalSource, table: str) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_list() for column in source.tables[table].columns.values()), strict=True))


def bundle(folder: str, files: Path) -> RelationalSource:
    schema = json.loads((CASES / folder / "csv_schema.json").read_text(encoding="utf-8"))
    return load_source(files, SourceOptions.from_options({"csv_schema": schema}))


def size(source: RelationalSource) -> tuple[int, int, int]:
    """Nodes and edges of G0, and warnings."""
    references = match_references(source.schema, source.tables)
    graph = build_initial_graph(source.schema, source.tables, references)
    return graph.node_count, graph.edge_count, warning_count(all_warnings(source, references))


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_by_name(name: str) -> None:
    code, message = REFUSALS[name]
    with pytest.raises(GraphwrightError) as caught:
        load_source(CASES / name)

    assert caught.value.code == code
    assert message in caught.value.message
    assert caught.value.where["file"] == Path(name).name
    assert caught.value.hint


def test_case_21_says_how_to_save() -> None:
    with pytest.raises(GraphwrightError) as caught:
        load_source(CASES / "21-txt-encoding/utf16le_bom.txt")

    assert "save as utf-8" in caught.value.hint.lower()


@pytest.mark.parametrize(("name", "line_end"), [("people", "\r\n"), ("people_lf_no_bom", "\n")])
def test_case_14_quotes_and_line_ends(name: str, line_end: str) -> None:
    source = load_source(CASES / "14-csv-bom-crlf-quotes" / f"{name}.csv")

    assert source.kind is SourceKind.CSV
    assert source.schema.table(name).column_names == ("id", "name", "note")
    assert source.schema.table(name).primary_key == ("id",)
    assert rows(source, name) == [
        ("1", "Doe, A.", 'said "hi"'),
        ("2", "Person B", f"two{line_end}lines"),
        ("3", "", "last"),
    ]
    assert size(source) == (3, 0, 0)


def test_case_17_keys_stay_text() -> None:
    source = load_source(CASES / "17-csv-keys-stay-text")
    references = match_references(source.schema, source.tables)
    (key,) = source.schema.foreign_keys
    codes = source.tables["accounts"].columns["code"].to_list()
    ids = source.tables["entries"].columns["id"].to_list()
    edges = {ids[row]: codes[at] for row, at in enumerate(references.pointers[key].tolist()) if at >= 0}

    assert source.kind is SourceKind.CSV_BUNDLE
    assert size(source) == (17, 6, 6)
    assert edges == {
        "e1": "007",
        "e2": "7",
        "e4": "7.0",
        "e7": "7",
        "e9": "10124420001034504343",
        "e12": "abc",
    }
    assert {"1.50", "1e2"} <= set(source.tables["entries"].columns["amount"].to_list())


def test_case_19_a_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    source = load_source(CASES / "19-csv-headers/d_header_only_ok.csv")
    (table,) = source.schema.tables

    assert len(source.schema.table(table).columns) == 3
    assert size(source) == (0, 0, 0)
    plan = {
        "id": "all",
        "question": "How many?",
        "root": {"table": table, "alias": "t0"},
        "aggregations": [{"function": "count", "column": "*", "as": "n"}],
    }
    result = build_graph(source, BuildOptions(queries=[plan], query_count=1, evolve=False), tmp_path / "out")
    assert (result.queries_passed, result.initial_nodes) == (1, 0)


def test_case_19_no_delimiter_is_guessed() -> None:
    source = load_source(CASES / "19-csv-headers/e_semicolons_ok_one_column.csv")
    split = load_source(CASES / "19-csv-headers/e_semicolons_ok_one_column.csv", SourceOptions(delimiter=";"))

    assert source.schema.table("e_semicolons_ok_one_column").column_names == ("id;name;city",)
    assert size(source) == (2, 0, 0)
    (warning,) = [each for each in source.warnings if each.code is WarningCode.DELIMITER_DOUBTFUL]
    assert 'one column, "id;name;city"' in warning.message
    assert 'set the option delimiter to ";"' in warning.message
    assert warning.where == {"table": "e_semicolons_ok_one_column", "delimiter": ";"}
    assert not [each for each in split.warnings if each.code is WarningCode.DELIMITER_DOUBTFUL]
    assert split.schema.table("e_semicolons_ok_one_column").column_names == ("id", "name", "city")


@pytest.mark.parametrize("name", ["utf8_ok", "utf8_bom_ok"])
def test_case_21_utf_8_with_and_without_a_mark(name: str) -> None:
    source = load_source(CASES / "21-txt-encoding" / f"{name}.txt")
    lines = [str(line) for (line,) in rows(source, name)]

    assert source.kind is SourceKind.TXT
    assert len(lines) == 2
    assert len("\n".join(lines)) + 1 == 36
    assert lines[0].startswith("M")
    assert "Café" in "".join(lines)
    assert "\N{RIGHT SINGLE QUOTATION MARK}" in "".join(lines)


def test_case_22_one_line_without_an_end() -> None:
    source = load_source(CASES / "22-txt-empty/one_line_no_newline_ok.txt")
    ((line,),) = rows(source, "one_line_no_newline_ok")

    assert len(str(line)) == 26


@pytest.mark.parametrize(
    ("folder", "expected"), [("worldcup", (31_629, 73_441, 0)), ("gtfs", (74, 103, 0))], ids=["worldcup", "gtfs"]
)
def test_real_bundles_build(corpus: Path, tmp_path: Path, folder: str, expected: tuple[int, int, int]) -> None:
    source = bundle(folder, corpus / "data" / folder)
    result = build_graph(source, BuildOptions(evolve=False), tmp_path / "out")

    assert size(source) == expected
    assert (result.queries_passed, result.queries_total) == (15, 15)


def test_a_folder_with_its_schema_is_the_same_as_its_files(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "feed"
    shutil.copytree(corpus / "data/gtfs", folder)
    shutil.copy(CASES / "gtfs/csv_schema.json", folder)

    source = load_source(folder)
    by_option = bundle("gtfs", corpus / "data/gtfs")

    assert source.logical_digest == by_option.logical_digest
    assert source.source_sha256 == by_option.source_sha256
    assert source.schema.table("stop_times").primary_key == ("trip_id", "stop_sequence")
