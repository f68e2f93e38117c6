"""Inputs from public bug reports, each with the outcome that a user needs."""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from app.errors import SourceError
from app.sources.dialect import Dialect
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, WarningCode
from app.values import Scalar

CASES = Path(__file__).parents[1] / "cases"
FULL_SCALE = SourceOptions.from_options({"resource_profile": "full_scale"})
SQLITE = SourceOptions(dialect=Dialect.SQLITE)
SQLITE_AT_FULL_SCALE = replace(FULL_SCALE, dialect=Dialect.SQLITE)

ROWS = {
    "01-sql-child-before-parent/dump.sql": {"answers": 4, "ballots": 3, "staff": 5},
    "02-sql-literal-inserts/a_text_traps.sql": {"memo": 6},
    "02-sql-literal-inserts/b_column_lists.sql": {"zone": 2, "meter": 6},
    "03-sql-affinity-fk/a_text_parent_integer_child.sql": {"article": 5, "purchase": 7},
    "03-sql-affinity-fk/b_integer_parent_text_child.sql": {"depot": 3, "van": 9},
    "03-sql-affinity-fk/c_self_reference.sql": {"part": 6},
    "04-sql-collation-fk/input.sql": {"tag": 2, "post": 7, "unit": 2, "stock": 6, "site": 2, "visit": 4},
    "06-sql-fk-target-unique/a_plain_column.sql": {"shop": 3, "sale": 4},
    "06-sql-fk-target-unique/c_partial_index.sql": {"shop": 3, "sale": 4},
    "06-sql-fk-target-unique/d_unique_index_ok.sql": {"shop": 3, "sale": 4},
    "06-sql-fk-target-unique/e_half_of_key.sql": {"shop": 2, "sale": 4},
    "06-sql-fk-target-unique/f_index_other_collation.sql": {"shop": 2, "sale": 4},
    "07-sql-other-dialects/d_backtick_and_bracket_ok.sql": {"crew": 2},
    "08-sql-forbidden-statements/j_sqlite_sequence.sql": {"item": 2},
    "08-sql-forbidden-statements/z_ok_keyword_names.sql": {"view": 2, "update": 3},
    "09-img-implicit-ref-and-case/library.db": {"Reader": 2, "loan": 3, "loan_note": 4, "shelf": 2, "slot": 4},
    "11-img-non-json-cells/nan_becomes_null_ok.db": {"asset": 2},
    "12-img-open-problems/wal_mode_without_sidecar.db": {"note": 2},
}

REFUSALS = {
    "02-sql-literal-inserts/c_wrong_value_count.sql": ("sql_invalid", r"line 3: .*zone has 2 columns, 1 value given"),
    "06-sql-fk-target-unique/b_rowid.sql": ("foreign_key_invalid", r"sale\(shop_no\) -> shop\(rowid\).*named column"),
    "06-sql-fk-target-unique/g_implicit_count_mismatch.sql": (
        "foreign_key_invalid",
        r"sale\(shop_code\) -> shop .*1 child column, 2 key columns.*\(region, code\)",
    ),
    "07-sql-other-dialects/a_mysqldump.sql": ("sql_invalid", r"line 4: .*AUTO_INCREMENT"),
    "07-sql-other-dialects/b_pg_copy.sql": ("sql_unsupported", r"line 1: SET is not accepted"),
    "07-sql-other-dialects/c_backslash_quote_only.sql": ("sql_invalid", r"line 3: .*s deputy"),
    "08-sql-forbidden-statements/a_view.sql": ("sql_unsupported", r"line 3: CREATE VIEW"),
    "08-sql-forbidden-statements/b_trigger.sql": ("sql_unsupported", r"line 3: CREATE TRIGGER"),
    "08-sql-forbidden-statements/c_virtual_table.sql": ("sql_unsupported", r"line 3: CREATE VIRTUAL TABLE"),
    "08-sql-forbidden-statements/d_generated_column.sql": ("sql_unsupported", r"line 1: .*generated column area"),
    "08-sql-forbidden-statements/e_insert_select.sql": ("sql_unsupported", r"line 3: INSERT … SELECT"),
    "08-sql-forbidden-statements/f_returning.sql": ("sql_unsupported", r"line 3: INSERT … RETURNING"),
    "08-sql-forbidden-statements/g_update.sql": ("sql_unsupported", r"line 3: UPDATE"),
    "08-sql-forbidden-statements/h_with.sql": ("sql_unsupported", r"line 3: WITH"),
    "08-sql-forbidden-statements/i_unistr_call.sql": ("sql_unsupported", r"line 2: .*function call.*unistr"),
    "08-sql-forbidden-statements/k_create_as_select.sql": ("sql_unsupported", r"line 3: CREATE TABLE … AS SELECT"),
    "08-sql-forbidden-statements/l_select.sql": ("sql_unsupported", r"line 3: SELECT"),
    "08-sql-forbidden-statements/m_attach.sql": ("sql_unsupported", r"line 3: ATTACH"),
    "08-sql-forbidden-statements/n_writable_schema.sql": ("sql_unsupported", r"line 3: PRAGMA writable_schema"),
    "11-img-non-json-cells/blob.db": ("cell_invalid", r"asset, column data, row id 3 holds a BLOB \(4 bytes\)"),
    "11-img-non-json-cells/infinity.db": ("cell_invalid", r"asset, column data, row id 2 holds Infinity"),
    "11-img-non-json-cells/invalid_utf8.db": ("cell_invalid", r"asset, column data, row id 2 .*not valid UTF-8"),
    "11-img-non-json-cells/blob.sql": ("cell_invalid", r"asset, column data, row id 2 holds a BLOB \(4 bytes\)"),
    "11-img-non-json-cells/infinity.sql": ("cell_invalid", r"asset, column data, row id 2 holds Infinity"),
    "12-img-open-problems/renamed_csv.db": ("source_format_invalid", r"not a SQLite database"),
    "12-img-open-problems/zero_bytes.db": ("source_empty", r"is empty"),
    "12-img-open-problems/truncated.db": ("source_damaged", r"is damaged"),
    "12-img-open-problems/header_then_noise.db": ("source_format_invalid", r"not a usable SQLite database"),
}


def column(source: RelationalSource, table: str, name: str) -> list[Scalar]:
    return source.tables[table].columns[name].to_list()


def codes(source: RelationalSource) -> list[str]:
    return [warning.code for warning in source.warnings if warning.count]


@pytest.mark.parametrize("options", [None, FULL_SCALE], ids=["bounded", "full_scale"])
@pytest.mark.parametrize("name", ROWS)
def test_accepted_with_every_row(name: str, options: SourceOptions | None) -> None:
    source = load_source(CASES / name, options)

    assert {table: content.row_count for table, content in source.tables.items()} == ROWS[name]
    assert list(source.tables) == [table.name for table in source.schema]
    assert source.source_sha256 == hashlib.sha256((CASES / name).read_bytes()).hexdigest()


@pytest.mark.parametrize("options", [SQLITE, SQLITE_AT_FULL_SCALE], ids=["bounded", "full_scale"])
@pytest.mark.parametrize("name", REFUSALS)
def test_refused_by_name(name: str, options: SourceOptions | None) -> None:
    code, message = REFUSALS[name]
    with pytest.raises(SourceError, match=message) as caught:
        load_source(CASES / name, options)

    assert caught.value.code == code
    assert caught.value.where


@pytest.mark.parametrize("name", [name for name in REFUSALS if name.endswith(".sql")])
def test_refused_scripts_say_what_to_do(name: str) -> None:
    with pytest.raises(SourceError) as caught:
        load_source(CASES / name, SQLITE)

    assert caught.value.hint


def test_every_copied_case_is_tested() -> None:
    folders = {name.split("/")[0] for name in [*ROWS, *REFUSALS]}
    files = {f"{path.parent.name}/{path.name}" for path in CASES.glob("*/*") if path.parent.name in folders}

    assert files == {*ROWS, *REFUSALS}


def test_strings_and_comments_are_not_statements() -> None:
    source = load_source(CASES / "02-sql-literal-inserts/a_text_traps.sql")

    assert column(source, "memo", "id") == [1, 2, 3, 4, 5, 6]
    assert column(source, "memo", "body") == [
        "first; second",
        "it's a -- dash",
        "/* not a comment */",
        "line one\nline two",
        "C:\\temp\\",
        "reordered; default used",
    ]
    assert column(source, "memo", "select") == [
        "a",
        "UPDATE memo SET body = NULL;",
        "",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "end",
        "--none--",
    ]


def test_column_lists_defaults_and_literals() -> None:
    source = load_source(CASES / "02-sql-literal-inserts/b_column_lists.sql")

    assert column(source, "zone", "code") == ["Z1", "Z2"]
    assert column(source, "meter", "zone_code") == ["Z2", None, "Z1", "Z1", "Z1", "Z1"]
    assert column(source, "meter", "reading") == [0.5, 0.5, 0.5, 1000.0, 2.0, 0.25]
    assert column(source, "meter", "flag") == [None, None, None, -7, 31, 1]
    assert column(source, "meter", "note") == [None, None, "defaults", "exponent", "hex", "bool"]


def test_rows_lie_in_the_order_of_their_ids_and_staff_is_whole() -> None:
    source = load_source(CASES / "01-sql-child-before-parent/dump.sql")

    assert column(source, "staff", "id") == [1, 2, 3, 4, 5]
    assert column(source, "staff", "boss_id") == [None, 3, 1, 99, 5]


def test_stored_text_stays_as_written() -> None:
    source = load_source(CASES / "04-sql-collation-fk/input.sql")

    assert column(source, "post", "tag")[1] == "ALPHA"
    assert column(source, "unit", "code") == ["kg", "m  "]
    assert column(source, "stock", "unit_code")[4] == "kg\t"


def test_affinity_is_that_of_storage() -> None:
    source = load_source(CASES / "03-sql-affinity-fk/a_text_parent_integer_child.sql")

    assert column(source, "purchase", "ean") == [42, 77, 77, "gift", None, 5, 9]
    assert column(source, "article", "ean") == ["0042", "77", "gift", "5.0", "42"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a_plain_column.sql", ["undeclared_key"]),
        ("c_partial_index.sql", ["undeclared_key"]),
        ("d_unique_index_ok.sql", []),
        ("e_half_of_key.sql", ["undeclared_key"]),
        ("f_index_other_collation.sql", ["undeclared_key"]),
    ],
)
def test_targets_that_no_key_declares_get_a_warning(name: str, expected: list[str]) -> None:
    source = load_source(CASES / "06-sql-fk-target-unique" / name)

    assert codes(source) == expected
    for warning in source.warnings:
        assert warning.code is WarningCode.UNDECLARED_KEY
        assert "shop.code" in warning.message
        assert "sale(shop_code)" in warning.message


def test_bookkeeping_is_skipped_with_one_note() -> None:
    source = load_source(CASES / "08-sql-forbidden-statements/j_sqlite_sequence.sql")

    assert len(source.notes) == 1
    assert not source.warnings


def test_keyword_names_are_names() -> None:
    source = load_source(CASES / "08-sql-forbidden-statements/z_ok_keyword_names.sql")

    assert column(source, "update", "values") == ["SELECT"] * 3
    assert [key.label for key in source.schema.foreign_keys] == ["update(with) -> view(id)"]
    assert not source.warnings


def test_attach_does_not_touch_the_disk(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    script = tmp_path / "attach.sql"
    script.write_text(f"CREATE TABLE t (a);\nATTACH DATABASE '{other}' AS other;\n")

    with pytest.raises(SourceError, match="ATTACH"):
        load_source(script)
    assert not other.exists()


def test_references_resolve_to_the_spelling_of_create_table() -> None:
    source = load_source(CASES / "09-img-implicit-ref-and-case/library.db")

    assert [key.label for key in source.schema.foreign_keys] == [
        "loan(reader_id) -> Reader(Id)",
        "loan_note(READER_ID) -> Reader(Id)",
        "loan_note(loan_id) -> loan(id)",
        "slot(x, y) -> shelf(b, a)",
    ]
    assert source.schema.table("shelf").primary_key == ("b", "a")
    assert not source.warnings


def test_nan_is_null_in_sqlite() -> None:
    source = load_source(CASES / "11-img-non-json-cells/nan_becomes_null_ok.db")

    assert column(source, "asset", "data")[1] is None


@pytest.mark.parametrize("options", [None, FULL_SCALE], ids=["bounded", "full_scale"])
def test_a_wal_image_is_read_as_it_is_and_nothing_is_left_beside_it(
    tmp_path: Path, options: SourceOptions | None
) -> None:
    image = shutil.copy(CASES / "12-img-open-problems/wal_mode_without_sidecar.db", tmp_path / "upload")
    before = image.read_bytes()
    source = load_source(image, options)

    assert column(source, "note", "id") == [1, 2]
    assert [(warning.code, warning.count) for warning in source.warnings] == [(WarningCode.WAL_MODE, 0)]
    assert [path.name for path in tmp_path.iterdir()] == ["upload"]
    assert image.read_bytes() == before
