"""What options and csv_schema declare: keys, names, inline tables, and every declaration that cannot be meant."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from app.errors import GraphwrightError, InvalidOptionError, NotAvailableError
from app.graph.g0 import match_references
from app.sources.declared.json_models import MAX_BUNDLE_FILES
from app.sources.declared.primary_keys import singulars
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, WarningCode
from app.tables.matching import DANGLING, NULL
from app.values import canonical_json

ORDERS = "order_id,customer_id,amount\nO1,C001,120.0\nO2,,\nO3,C9,1\n"
CUSTOMERS = {
    "name": "customers",
    "columns": ["id", "name"],
    "rows": [{"id": "C001", "name": "Alice"}, {"id": "", "name": None}],
    "primary_key": ["id"],
}
KEY = {"columns": ["customer_id"], "ref_table": "customers", "ref_columns": ["id"]}
SEED = {"table_name": "orders", "primary_key": ["order_id"], "foreign_keys": [KEY], "tables": [CUSTOMERS]}


def load(path: Path, content: str, options: Mapping[str, Any] | None = None) -> RelationalSource:
    path.write_bytes(content.encode())
    return load_source(path, SourceOptions.from_options(options or {}))


def pointers(source: RelationalSource) -> list[int]:
    references = match_references(source.schema, source.tables)
    return [int(at) for key in source.schema.foreign_keys for at in references.pointers[key]]


def codes(source: RelationalSource) -> list[str]:
    return [warning.code for warning in source.warnings]


def test_the_seeds_example(tmp_path: Path) -> None:
    customers = {**CUSTOMERS, "rows": CUSTOMERS["rows"][:1]}  # type: ignore[index]
    source = load(tmp_path / "x.csv", ORDERS, {**SEED, "tables": [customers], "column_types": {"amount": "EUR"}})
    orders = source.schema.table("orders")

    assert list(source.tables) == ["orders", "customers"]
    assert orders.primary_key == ("order_id",)
    assert (orders.column("amount").type_label, orders.column("amount").declared_type) == ("EUR", "")
    assert source.tables["orders"].columns["amount"].to_list() == ["120.0", "", "1"]
    assert pointers(source) == [0, NULL, DANGLING]
    assert codes(source) == []


def test_an_empty_text_is_a_reference_in_json_and_none_in_csv(tmp_path: Path) -> None:
    children = {**CUSTOMERS, "name": "child", "columns": ["c"], "rows": [{"c": ""}, {"c": None}, {"c": "x"}]}
    children |= {"primary_key": [], "foreign_keys": [{"columns": ["c"], "ref_table": "p", "ref_columns": ["k"]}]}
    source = load(tmp_path / "p.csv", "k\n\nx\n", {"tables": [children]})

    assert pointers(source) == [0, NULL, 1]
    assert source.schema.table("child").column("c").empty_is_missing is False


def test_inline_scalars_keep_their_types(tmp_path: Path) -> None:
    cells = [1, -2.5, True, False, None, "1", "", 2**63 - 1, "é"]
    table = {"name": "t", "columns": ["v"], "rows": [{"v": cell} for cell in cells]}
    source = load(tmp_path / "x.csv", "a\n", {"tables": [table]})

    found = source.tables["t"].columns["v"].to_list()
    assert found == cells
    assert list(map(type, found)) == list(map(type, cells))


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("orders", "id,order_id\n1,2\n2,3\n", ("id",)),
        ("orders", "id,order_id\n1,2\n1,3\n", ("order_id",)),
        ("orders", "id,ORDER_ID\n1,2\n,3\n", ("ORDER_ID",)),
        ("orders", "Orders_Id\n1\n2\n", ("Orders_Id",)),
        ("cities", "city_id\n1\n2\n", ("city_id",)),
        ("matches", "match_id\n1\n2\n", ("match_id",)),
        ("orders", "code,customer_id\n1,1\n2,2\n", ()),
        ("orders", "order_id\n1\n1\n", ()),
        ("orders", "id\n1\n\n", ()),
    ],
)
def test_only_telling_names_make_a_key(tmp_path: Path, name: str, content: str, key: tuple[str, ...]) -> None:
    source = load(tmp_path / f"{name}.csv", content)

    assert source.schema.table(name).primary_key == key
    assert codes(source) == ([] if key else [WarningCode.NO_PRIMARY_KEY])


def test_plurals_have_few_singulars() -> None:
    assert (singulars("statuses"), singulars("glass"), singulars("boxes")) == (
        ["status", "statuse"],
        [],
        ["box", "boxe"],
    )


def test_a_declared_key_with_an_empty_row_is_not_relied_on(tmp_path: Path) -> None:
    source = load(tmp_path / "x.csv", "a,b\n1,\n,\n", {"primary_key": ["a", "b"]})
    partly = load(tmp_path / "y.csv", "a,b\n1,\n,1\n", {"primary_key": ["B", "A"]})

    assert codes(source) == [WarningCode.UNRELIABLE_PRIMARY_KEY]
    assert source.schema.table("x").primary_key == ()
    assert partly.schema.table("y").primary_key == ("b", "a")


def test_a_target_that_is_no_key_is_mentioned(tmp_path: Path) -> None:
    options = {"foreign_keys": [{"columns": ["a"], "ref_table": "x", "ref_columns": ["b"]}], "primary_key": ["a"]}
    source = load(tmp_path / "x.csv", "a,b\n1,1\n2,\n3,\n", options)

    assert codes(source) == [WarningCode.UNDECLARED_KEY]
    assert pointers(source) == [0, DANGLING, DANGLING]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ({"primary_key": ["no"]}, "primary_key_invalid", "names no, which is not a column"),
        ({"primary_key": ["a", "A"]}, "primary_key_invalid", "names a column twice"),
        ({"primary_key": ["b"]}, "primary_key_invalid", "rows 1 and 2 share the primary key (b) = ('1')"),
        ({"primary_key": "a"}, "invalid_option", "primary_key"),
        ({"foreign_keys": [{**KEY, "columns": ["no"]}]}, "foreign_key_invalid", "table x has no column no"),
        ({"foreign_keys": [{**KEY, "columns": ["a", "A"]}]}, "foreign_key_invalid", "names a column twice"),
        ({"foreign_keys": [{**KEY, "columns": ["a"]}]}, "foreign_key_invalid", "there is no table customers"),
        ({"foreign_keys": [{"columns": ["a"]}]}, "invalid_option", "foreign_keys.0.ref_table"),
        ({"foreign_keys": [{**KEY, "on_delete": "x"}]}, "invalid_option", "foreign_keys.0.on_delete"),
        ({"column_types": {"no": "INT"}}, "table_invalid", "column_types names no"),
        ({"column_types": {"a": 1}}, "invalid_option", "column_types.a"),
        ({"table_name": "sqlite_x"}, "table_invalid", "'sqlite_x' cannot be the name"),
        ({"table_name": "  "}, "table_invalid", "cannot be the name"),
        ({"table_name": 1}, "invalid_option", "table_name"),
        ({"tables": [{**CUSTOMERS, "name": "X"}]}, "table_invalid", "x and X are one table for SQLite"),
        ({"tables": [{**CUSTOMERS, "columns": ["id"]}]}, "table_invalid", "row 1 has a cell for name"),
        ({"tables": [{**CUSTOMERS, "rows": [{"id": "1"}]}]}, "table_invalid", "row 1 has no cell for column name"),
        ({"tables": [{**CUSTOMERS, "columns": ["id", "ID"]}]}, "csv_header_invalid", "one column for SQLite"),
        ({"tables": [{**CUSTOMERS, "path": "/etc/passwd"}]}, "invalid_option", "tables.0.path"),
        ({"delimiter": ";;"}, "invalid_option", "delimiter"),
        ({"header": "no"}, "invalid_option", "header: it must be true or false"),
        ({"csv_schema": []}, "invalid_option", "csv_schema"),
        ({"txt_mode": "words"}, "invalid_option", "txt_mode"),
        ({"txt_mode": "lines"}, "invalid_option", "txt_mode cannot be set for a CSV file"),
        ({"max_source_rows": 2, "tables": [CUSTOMERS]}, "source_limit_exceeded", "more than 2 rows"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, options: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(GraphwrightError) as caught:
        load(tmp_path / "x.csv", "a,b\n1,1\n2,1\n", options)

    assert caught.value.code == code
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        (float("nan"), "the number nan"),
        (float("inf"), "the number inf"),
        ([1], "an array"),
        ({"a": 1}, "an object"),
        (2**63, "an integer of more than 64 bits"),
        ("\ud800", "text that is not valid Unicode"),
    ],
)
def test_inline_cells_are_finite_scalars(tmp_path: Path, cell: object, what: str) -> None:
    table = {"name": "t", "columns": ["a", "v"], "rows": [{"a": 1, "v": 1}, {"a": 2, "v": cell}]}
    with pytest.raises(GraphwrightError, match=f"table t, column v, row 2 holds {what}") as caught:
        load(tmp_path / "x.csv", "a\n", {"tables": [table]})

    assert caught.value.code == "cell_invalid"
    assert caught.value.where == {"table": "t", "column": "v", "row": 2}


@pytest.mark.parametrize("name", ["x.sql", "x.db"])
def test_databases_declare_themselves(tmp_path: Path, name: str) -> None:
    for option, value in {**SEED, "delimiter": ";", "header": False, "txt_mode": "lines", "csv_schema": {}}.items():
        with pytest.raises(GraphwrightError) as caught:
            load(tmp_path / name, "CREATE TABLE x (a);", {option: value})
        assert caught.value.code in ("invalid_option", "source_format_invalid")


# --- TXT


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("a\tb\n1\t2\n", ("a", "b")),
        ("a\tb\r\n1\t2", ("a", "b")),
        ("a\tb\n", ("text",)),
        ("a\tb\n1\t2\t3\n", ("text",)),
        ("a\ta\n1\t2\n", ("text",)),
        ("a\t\n1\t2\n", ("text",)),
        ("a,b\n1,2\n", ("text",)),
        ("a\n1\n", ("text",)),
        ('a\tb\n1\t"2\n', ("text",)),
        ("a\tb\n1\t2\n\n", ("a", "b")),
        ("a\tb\n\n1\t2\n", ("text",)),
    ],
)
def test_auto_takes_strict_tab_separated_tables_only(tmp_path: Path, content: str, columns: tuple[str, ...]) -> None:
    assert load(tmp_path / "x.txt", content).schema.table("x").column_names == columns
    assert load(tmp_path / "x.txt", content, {"txt_mode": "lines"}).schema.table("x").column_names == ("text",)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("a\n\nb\n", ["a", "", "b"]),
        ("a\r\n\r\nb", ["a", "", "b"]),
        ("a\rb\r", ["a", "b"]),
        ("\n é\u2028x\t\n\n", ["", " é\u2028x\t", ""]),
        ("\ufeffa", ["a"]),
    ],
)
def test_each_line_is_a_record(tmp_path: Path, content: str, lines: list[str]) -> None:
    source = load(tmp_path / "x.txt", content)

    assert source.tables["x"].columns["text"].to_list() == lines
    assert codes(source) == [WarningCode.NO_PRIMARY_KEY]


def test_a_delimiter_reads_a_strict_table(tmp_path: Path) -> None:
    source = load(tmp_path / "x.txt", "id;b\n1;2\n", {"delimiter": ";", "table_name": "t"})

    assert source.schema.table("t").primary_key == ("id",)
    with pytest.raises(GraphwrightError, match=r"record 1 \(line 2\): 1 field, 2 expected"):
        load(tmp_path / "x.txt", "id;b\n1\n", {"delimiter": ";"})


def test_text_without_a_header(tmp_path: Path) -> None:
    (table,) = load(tmp_path / "x.txt", "1\ta\n2\tb\n", {"header": False}).tables.values()

    assert (table.schema.column_names, table.row_count) == (("column_1", "column_2"), 2)
    with pytest.raises(InvalidOptionError, match="only a table has a header"):
        load(tmp_path / "x.txt", "1\ta\n", {"header": False, "txt_mode": "lines"})


def test_modes_that_are_refused(tmp_path: Path) -> None:
    for mode in ("lines", "entities"):
        with pytest.raises(InvalidOptionError, match="exclude each other"):
            load(tmp_path / "x.txt", "a", {"delimiter": ";", "txt_mode": mode})
    with pytest.raises(NotAvailableError, match="a language model has to find the entities"):
        load(tmp_path / "x.txt", "a", {"txt_mode": "entities"})


def test_lines_are_counted(tmp_path: Path) -> None:
    assert load(tmp_path / "x.txt", "a\nb", {"max_source_rows": 2}).row_count == 2
    with pytest.raises(GraphwrightError, match="more than 2 rows"):
        load(tmp_path / "x.txt", "a\nb\nc", {"max_source_rows": 2})


# --- Bundles


def bundled(folder: Path, *tables: dict[str, Any], files: Mapping[str, str] | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in (files or {"p.csv": "k\na\n", "c.csv": "id,k\n1,a\n2,\n"}).items():
        (folder / name).write_bytes(content.encode())
    (folder / "csv_schema.json").write_text(json.dumps({"version": "csv_bundle.v1", "tables": tables}))
    return folder


PARENT: dict[str, Any] = {"file_name": "p.csv", "name": "p", "columns": ["k"], "primary_key": ["k"]}
CHILD: dict[str, Any] = {
    "file_name": "c.csv",
    "name": "c",
    "columns": ["id", "k"],
    "primary_key": ["id"],
    "foreign_keys": [{"columns": ["k"], "ref_table": "p"}],
}


def test_a_bundle_keeps_its_schemas_order_and_keys(tmp_path: Path) -> None:
    source = load_source(bundled(tmp_path / "b", CHILD, PARENT))

    assert list(source.tables) == ["c", "p"]
    assert pointers(source) == [0, NULL]
    assert codes(source) == []
    assert source.source_bytes == sum(path.stat().st_size for path in (tmp_path / "b").glob("*.csv"))


def test_a_bundle_without_a_key_has_none(tmp_path: Path) -> None:
    source = load_source(bundled(tmp_path / "b", {**CHILD, "primary_key": [], "foreign_keys": []}))

    assert source.schema.table("c").primary_key == ()
    assert any("p.csv" in note for note in source.notes)


@pytest.mark.parametrize(
    ("tables", "code", "message"),
    [
        ([], "csv_schema_invalid", "tables"),
        ([PARENT, {**CHILD, "file_name": "P.csv"}], "csv_schema_invalid", "file_name P.csv is there twice"),
        ([PARENT, {**CHILD, "name": "P"}], "csv_schema_invalid", "name P is there twice"),
        ([PARENT, {**CHILD, "columns": ["id", "K"]}], "csv_schema_invalid", 'column 2 is "k" in the header and "K"'),
        ([PARENT, {**CHILD, "columns": ["id"]}], "csv_schema_invalid", "the file has 2 columns and the schema 1"),
        ([PARENT, {**CHILD, "columns": ["id", "id"]}], "csv_header_invalid", "there twice"),
        ([PARENT, {**CHILD, "primary_key": ["x"]}], "primary_key_invalid", "names x"),
        ([CHILD], "foreign_key_invalid", "there is no table p"),
        ([{**PARENT, "file_name": "../p.csv"}], "csv_schema_invalid", "not a plain name"),
        ([{**PARENT, "file_name": "p.sql"}], "csv_schema_invalid", "not a plain name"),
        ([{**PARENT, "file_name": "gone.csv"}], "source_not_found", "gone.csv"),
        ([{**PARENT, "rows": []}], "csv_schema_invalid", "tables.0.rows"),
        ([PARENT] * (MAX_BUNDLE_FILES + 1), "csv_schema_invalid", "128"),
    ],
)
def test_schemas_that_do_not_fit(tmp_path: Path, tables: list[dict[str, Any]], code: str, message: str) -> None:
    with pytest.raises(GraphwrightError) as caught:
        load_source(bundled(tmp_path / "b", *tables))

    assert caught.value.code == code
    assert message in caught.value.message


def test_two_thousand_tables_are_too_many(tmp_path: Path) -> None:
    tables = [{**PARENT, "file_name": f"t{number}.csv", "name": f"t{number}"} for number in range(2_000)]
    with pytest.raises(GraphwrightError, match="at most 128 items"):
        load_source(bundled(tmp_path / "b", *tables))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": "csv_bundle.v2", "tables": []}', "[" * 100_000])
def test_a_schema_file_that_is_none(tmp_path: Path, content: str) -> None:
    folder = bundled(tmp_path / "b", PARENT)
    (folder / "csv_schema.json").write_text(content)

    with pytest.raises(GraphwrightError) as caught:
        load_source(folder)
    assert caught.value.code in ("csv_schema_invalid", "source_empty")


def test_options_override_no_bundle(tmp_path: Path) -> None:
    folder = bundled(tmp_path / "b", PARENT, CHILD)
    for option, value in {**SEED, "column_types": {"k": "x"}, "txt_mode": "lines"}.items():
        with pytest.raises(InvalidOptionError, match=f"{option} cannot be set for a CSV bundle"):
            load_source(folder, SourceOptions.from_options({option: value}))
    with pytest.raises(GraphwrightError, match="which options cannot override"):
        load_source(folder, SourceOptions.from_options({"csv_schema": {"version": "csv_bundle.v1", "tables": []}}))


def test_files_without_a_schema_say_how_to_get_one(tmp_path: Path) -> None:
    folder = bundled(tmp_path / "b", PARENT, CHILD)
    files = [folder / "p.csv", folder / "c.csv"]
    with pytest.raises(GraphwrightError, match="need a csv_schema") as caught:
        load_source(files)
    assert "suggest-keys" in caught.value.hint
    (folder / "csv_schema.json").unlink()
    (folder / "toc.dat").touch()
    with pytest.raises(GraphwrightError) as caught:
        load_source(folder)
    assert caught.value.hint.startswith("pg_restore -f out.sql")
    (folder / "toc.dat").unlink()
    with pytest.raises(GraphwrightError, match=r"no csv_schema\.json"):
        load_source(folder)


def test_files_and_schema_name_each_other(tmp_path: Path) -> None:
    folder = bundled(tmp_path / "b", PARENT, CHILD)
    schema = json.loads((folder / "csv_schema.json").read_text())
    options = SourceOptions.from_options({"csv_schema": schema})

    assert load_source([folder / "c.csv", folder / "p.csv"], options).row_count == 3
    with pytest.raises(GraphwrightError, match=r"the file c\.csv is declared and not given"):
        load_source([folder / "p.csv"], options)
    (folder / "x.csv").write_text("a\n")
    with pytest.raises(GraphwrightError, match=r"no table is declared for x\.csv"):
        load_source([folder / "c.csv", folder / "p.csv", folder / "x.csv"], options)


def test_limits_count_all_files_together(tmp_path: Path) -> None:
    folder = bundled(tmp_path / "b", PARENT, CHILD)
    total = sum(path.stat().st_size for path in folder.glob("*.csv"))

    load_source(folder, SourceOptions.from_options({"max_source_bytes": total, "max_source_rows": 3}))
    with pytest.raises(GraphwrightError, match="more than 2 rows"):
        load_source(folder, SourceOptions.from_options({"max_source_rows": 2}))
    with pytest.raises(GraphwrightError, match=f"2 files have {total} bytes together"):
        load_source(folder, SourceOptions.from_options({"max_source_bytes": total - 1}))


def test_options_pass_through_json() -> None:
    options = SourceOptions.from_options({**SEED, "delimiter": ";", "txt_mode": "lines"})

    assert SourceOptions.from_options(json.loads(canonical_json(asdict(options)))) == options
