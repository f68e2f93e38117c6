"""CSV files and foreign formats from public bug reports and real files: nodes, edges and warnings, or the way on."""

from pathlib import Path

import pytest

from app.build.warnings import all_warnings, warning_count
from app.errors import SourceError
from app.graph.g0 import build_initial_graph, match_references
from app.inspect.preview.preview import PreviewOptions, preview_source
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, WarningCode

CASES = Path(__file__).parents[2] / "cases-2"
PLANES = CASES / "14-csv-without-header/planes.csv"
BLANK_LAST_LINE = CASES / "34-csv-blank-last-line/input.csv"
SEMICOLONS = CASES / "42-csv-semicolons-and-quotes/input.csv"
FOREIGN = CASES / "41-binary-and-foreign-formats"


def size(source: RelationalSource) -> tuple[int, int, int]:
    """Nodes and edges of G0, and warnings."""
    references = match_references(source.schema, source.tables)
    graph = build_initial_graph(source.schema, source.tables, references)
    return graph.node_count, graph.edge_count, warning_count(all_warnings(source, references))


def loaded(path: Path, **options: object) -> RelationalSource:
    return load_source(path, SourceOptions.from_options(options))


def test_case_14_a_record_as_header_is_doubted() -> None:
    source = loaded(PLANES)
    (doubt,) = [each for each in source.warnings if each.code is WarningCode.HEADER_DOUBTFUL]

    assert size(source) == (2, 0, 0)
    assert 'looks like a record, for the name "1" is a number' in doubt.message
    assert "set the option header to false" in doubt.message
    assert doubt.where == {"table": "planes"}


def test_case_14_without_a_header_all_records_are_rows() -> None:
    source = loaded(PLANES, header=False, primary_key=["column_1"])
    (table,) = source.schema

    assert size(source) == (3, 0, 0)
    assert (table.column_names, table.primary_key) == (("column_1", "column_2", "column_3", "column_4"), ("column_1",))
    assert source.tables["planes"].columns["column_2"].to_list() == ["Goroka", "Madang", "Nadzab"]
    assert WarningCode.HEADER_DOUBTFUL not in [each.code for each in source.warnings]


def test_case_14_a_bundle_names_the_columns_of_files_without_a_header() -> None:
    names = ["no", "airport", "country", "feet"]
    schema = {"version": "csv_bundle.v1", "tables": [{"file_name": "planes.csv", "name": "planes", "columns": names}]}
    source = loaded(PLANES, csv_schema=schema, header=False)
    (table,) = source.schema

    assert (size(source), list(table.column_names)) == ((3, 0, 0), names)
    schema["tables"] = [{"file_name": "planes.csv", "name": "planes", "columns": names[:3]}]
    with pytest.raises(SourceError, match="has 4 columns and the schema 3"):
        loaded(PLANES, csv_schema=schema, header=False)


def test_case_14_previews_say_so_too() -> None:
    doubted, (table,) = preview_source(PLANES), preview_source(PLANES, PreviewOptions(header=False)).tables

    assert [warning.code for warning in doubted.warnings] == ["header_doubtful"]
    assert (table.row_count, table.columns[1].name, table.rows[0][1]) == (3, "column_2", "Goroka")


def test_case_34_a_blank_last_line_is_no_record() -> None:
    assert size(loaded(BLANK_LAST_LINE)) == (2, 0, 0)
    assert preview_source(BLANK_LAST_LINE).tables[0].row_count == 2


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("archive.dump", "a PostgreSQL archive", "pg_restore -f out.sql"),
        ("dump.sql.xz", "an xz archive", "Unpack it"),
        ("rows.json", "a JSON document", "Export its tables as SQL text or CSV"),
        ("dump.xml", "an XML or HTML document", "Export its tables as SQL text or CSV"),
        ("airports.dat", "a table", "Rename it, so that its name ends in .csv"),
    ],
)
def test_case_41_foreign_formats_are_named_with_the_way_on(name: str, message: str, hint: str) -> None:
    for read in (load_source, preview_source):
        with pytest.raises(SourceError, match=message) as caught:
            read(FOREIGN / name)
        assert caught.value.code == "source_format_invalid"
        assert caught.value.where == {"file": name}
        assert hint in caught.value.hint


def test_case_42_semicolons_are_named_and_never_guessed() -> None:
    with pytest.raises(SourceError, match=r"record 1 \(line 2\)") as caught:
        loaded(SEMICOLONS)
    split = loaded(SEMICOLONS, delimiter=";")

    assert caught.value.hint.startswith('If ";" separates the fields, set the option delimiter to ";".')
    assert size(split) == (2, 0, 0)
    assert split.tables["input"].columns["name"].to_list() == ["Muster; A", "B"]


def test_the_copies_are_those_of_the_corpus(corpus: Path) -> None:
    for path in CASES.rglob("*.*"):
        if path.is_file() and (corpus / "cases-2" / path.relative_to(CASES)).exists():
            assert path.read_bytes() == (corpus / "cases-2" / path.relative_to(CASES)).read_bytes()
