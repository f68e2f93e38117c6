"""Files of every kind at the one way in, and limits that hold before memory is spent."""

import os
from pathlib import Path

import apsw
import pytest
from hypothesis import given

from app.errors import (
    InvalidOptionError,
    SourceDamagedError,
    SourceEmptyError,
    SourceEncodingError,
    SourceError,
    SourceFormatError,
    SourceLimitError,
    SourceNotFoundError,
    SqlUnsupportedError,
    TimeBudgetExhaustedError,
)
from app.sources.files.input_file import InputFile
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import SourceKind, WarningCode
from app.sources.sqlite.copies.private_folder import CopiedFile
from tests.support.music_shop import MusicShop
from tests.support.random_source import RandomSource, random_sources

FULL_SCALE = {"resource_profile": "full_scale"}


def written(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def database(path: Path, *statements: str) -> Path:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return path


@given(random_sources(max_tables=3))
def test_an_image_its_file_and_its_script_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, source: RandomSource
) -> None:
    folder = tmp_path_factory.mktemp("source")
    image, script = source.write_image(folder), source.write_script(folder)
    sources = [load_source(image), load_source(image, SourceOptions.from_options(FULL_SCALE)), load_source(script)]

    assert [each.kind for each in sources] == [SourceKind.SQLITE_IMAGE, SourceKind.SQLITE_IMAGE, SourceKind.SQL_TEXT]
    assert len({each.logical_digest for each in sources}) == 1
    assert len({each.source_sha256 for each in sources}) == 2
    assert sources[0].row_count == sum(map(len, source.rows().values()))
    assert len({str([warning.to_dict() for warning in each.warnings]) for each in sources}) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["source.db", "source.sql"]


@given(random_sources())
def test_primary_keys_identify_rows_or_are_dropped_with_a_warning(
    tmp_path_factory: pytest.TempPathFactory, source: RandomSource
) -> None:
    loaded = load_source(source.write_image(tmp_path_factory.mktemp("source")))
    doubtful = {str(warning.where["table"]) for warning in loaded.warnings if "primary_key" in warning.code}

    for schema in loaded.schema:
        table = loaded.tables[schema.name]
        assert table.schema == schema
        assert (not schema.primary_key) == (schema.name in doubtful)
        if schema.primary_key:
            keys = list(zip(*[table.columns[name].to_list() for name in schema.primary_key], strict=True))
            assert len(set(keys)) == table.row_count


def test_a_header_makes_an_image_under_any_name(tmp_path: Path) -> None:
    path = database(tmp_path / "dump.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY)", "INSERT INTO t VALUES (1)")

    assert load_source(path).kind is SourceKind.SQLITE_IMAGE


def test_odd_names_of_files_reach_sqlite_unharmed(tmp_path: Path) -> None:
    path = database(tmp_path / "a?mode=rwc&x#%41 é.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)")

    assert load_source(path, SourceOptions.from_options(FULL_SCALE)).row_count == 0


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_text_may_begin_with_a_byte_order_mark(tmp_path: Path, bom: bytes) -> None:
    path = written(tmp_path / "x.sql", bom + "CREATE TABLE é (id INTEGER PRIMARY KEY);".encode())

    assert list(load_source(path).tables) == ["é"]


def test_text_that_is_not_utf_8_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(SourceEncodingError, match=r"byte 0xE9 at offset 20 \(line 2\)") as caught:
        load_source(written(tmp_path / "x.sql", b"CREATE TABLE t (a)\n;\xe9"))

    assert caught.value.where == {"file": "x.sql", "offset": 20, "line": 2}


def test_a_nul_in_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceEncodingError, match=r"NUL byte at offset 20 \(line 2\)") as caught:
        load_source(written(tmp_path / "x.sql", b"CREATE TABLE t (a);\n\0DROP"))

    assert caught.value.where == {"file": "x.sql", "offset": 20, "line": 2}


OTHER_FORMATS = {
    "a workbook": (
        b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0\xe1",
        "source_format_invalid",
        "Excel workbooks are ZIP archives",
    ),
    "a PDF document": (b"%PDF-1.4\n", "source_format_invalid", "a PDF document"),
    "UTF-16 with a mark": ("\ufeffSELECT 1".encode("utf-16-le"), "source_encoding_invalid", "it is UTF-16 text"),
    "UTF-16 without a mark": ("SELECT 1".encode("utf-16-be"), "source_encoding_invalid", "it is UTF-16 text without"),
    "a wrong byte after a mark": (b"\xef\xbb\xbf--\xe9", "source_encoding_invalid", "byte 0xE9 at offset 5"),
}


@pytest.mark.parametrize("name", ["real.xlsx", "x.sql", "x.csv", "x.txt"])
@pytest.mark.parametrize(("content", "code", "message"), OTHER_FORMATS.values(), ids=OTHER_FORMATS.keys())
def test_other_formats_are_named_under_any_name(
    tmp_path: Path, name: str, content: bytes, code: str, message: str
) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        load_source(written(tmp_path / name, content))

    assert (caught.value.code, caught.value.where["file"]) == (code, name)
    assert "UTF-8" in caught.value.hint


@pytest.mark.parametrize("name", ["archive.dump", "x.sql", "x.csv", "x.txt", "x"])
@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        (b"PGDMP\x01\x0e\0\x04\x08\x01", "a PostgreSQL archive", "pg_restore -f out.sql {} writes it as SQL text"),
        (b"toc.dat".ljust(257, b"\0") + b"ustar\x0000".ljust(255, b"\0") + b"PGDMP\x01", "pg_dump -Ft", "pg_restore"),
        (b"a.sql".ljust(257, b"\0") + b"ustar\x0000".ljust(255, b"\0") + b"CREATE", "a tar archive", "Unpack it"),
        (b"\x1f\x8b\x08\0", "a gzip archive", "Unpack it"),
        (b"BZh91AY&SY\xd1", "a bzip2 archive", "Unpack it"),
        (b"\xfd7zXZ\0\0\x04", "an xz archive", "Unpack it"),
        (b"\x28\xb5\x2f\xfd\x04", "a Zstandard archive", "Unpack it"),
        (b"7z\xbc\xaf\x27\x1c\0", "a 7z archive", "Unpack it"),
        (b"Rar!\x1a\x07\x01", "a RAR archive", "Unpack it"),
        (b"PAR1\x15\0PAR1", "a Parquet file", "as SQL text or CSV"),
        (b"\0\x01\0\0Standard ACE DB\0", "a Microsoft Access database", "as SQL text or CSV"),
    ],
)
def test_binary_formats_are_named_with_the_way_on(
    tmp_path: Path, name: str, content: bytes, message: str, hint: str
) -> None:
    with pytest.raises(SourceFormatError, match=message) as caught:
        load_source(written(tmp_path / name, content))

    assert caught.value.where["file"] == name
    assert hint.format(name) in caught.value.hint


def test_a_header_that_begins_like_a_format_is_a_header(tmp_path: Path) -> None:
    assert load_source(written(tmp_path / "x.csv", b"PAR1,PAR2\n1,2\n")).row_count == 1


@pytest.mark.parametrize(
    ("name", "content", "message", "hint"),
    [
        ("rows.json", '[{"id":1}]', "a JSON document", "as SQL text or CSV"),
        ("x.sql", '\ufeff\n {"id":1}', "a JSON document", "as SQL text or CSV"),
        ("dump.xml", '<?xml version="1.0"?>', "an XML or HTML document", "as SQL text or CSV"),
        ("airports.dat", '1,"Goroka, A","x"\n2,"Madang","y"\n', "a table", "ends in .csv."),
        ("airports", "first name,age\nAnn,3\n", "a table", "ends in .csv."),
        ("x.dat", "id;name\n1;a\n", "a table", 'delimiter to ";"'),
        ("x.tab", "id\tname\n1\ta\n", "a table", "ends in .tsv."),
        ("x.dat", "id|name", "a table", 'delimiter to "|"'),
    ],
)
def test_texts_of_other_formats_are_named_with_the_way_on(
    tmp_path: Path, name: str, content: str, message: str, hint: str
) -> None:
    with pytest.raises(SourceFormatError, match=message) as caught:
        load_source(written(tmp_path / name, content.encode()))

    assert caught.value.where["file"] == name
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "content",
    [
        "CREATE TABLE t (a, b);",
        "-- id,name\nCREATE TABLE t (a);",
        "/* a,\nb, */ CREATE TABLE t (a);",
        "BEGIN;\nCREATE TABLE t (a);\nCOMMIT;\n",
        "create table t\n(a, b);",
    ],
)
def test_scripts_need_no_name_of_their_own(tmp_path: Path, content: str) -> None:
    assert list(load_source(written(tmp_path / "x.dat", content.encode())).tables) == ["t"]


@pytest.mark.parametrize(
    ("name", "kind", "columns"),
    [
        ("x.CSV", SourceKind.CSV, ("a", "\tb")),
        ("x.tsv", SourceKind.CSV, ("a,", "b")),
        ("x.TXT", SourceKind.TXT, ("a,", "b")),
    ],
)
def test_the_suffix_tells_csv_and_txt(tmp_path: Path, name: str, kind: SourceKind, columns: tuple[str, ...]) -> None:
    source = load_source(written(tmp_path / name, "a,\tb\n1\t2\n" if kind is SourceKind.TXT else "a,\tb\n"))

    assert (source.kind, source.schema.table("x").column_names) == (kind, columns)


@pytest.mark.parametrize("option", [{"dialect": "mysql"}, {"unsupported": "skip"}])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt"])
def test_options_of_sql_mean_nothing_to_tables_of_text(tmp_path: Path, name: str, option: dict[str, object]) -> None:
    with pytest.raises(InvalidOptionError, match="cannot be set for"):
        load_source(written(tmp_path / name, "a\n1\n"), SourceOptions.from_options(option))


def test_an_image_has_no_dialect(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)")
    with pytest.raises(InvalidOptionError, match="dialect cannot be set for a SQLite database"):
        load_source(path, SourceOptions.from_options({"dialect": "mysql"}))


def test_a_database_is_one_whatever_its_suffix(tmp_path: Path) -> None:
    path = database(tmp_path / "x.csv", "CREATE TABLE t (id INTEGER PRIMARY KEY)")

    assert load_source(path).kind is SourceKind.SQLITE_IMAGE


def test_a_file_may_be_kept_under_another_name(tmp_path: Path) -> None:
    path = written(tmp_path / "source", "id\n1\n")

    assert list(load_source(path, name="orders.csv").tables) == ["orders"]
    with pytest.raises(SourceError, match=r"^orders\.csv, record 1"):
        load_source(written(path, "id\n1,2\n"), name="orders.csv")


def test_only_files_of_one_kind_are_one_source(tmp_path: Path) -> None:
    paths = [written(tmp_path / "x.csv", "a\n"), written(tmp_path / "y.sql", "CREATE TABLE t (a);")]

    with pytest.raises(SourceFormatError, match="one source only if"):
        load_source(paths)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFoundError, match="No such file"):
        load_source(tmp_path / "missing.db")
    with pytest.raises(SourceNotFoundError, match=r"no csv_schema\.json"):
        load_source(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceNotFoundError, match="not a file"):
        load_source(tmp_path / "pipe")


@pytest.mark.parametrize("text", ["-- nothing\n", " ; ;\n/* x */", "BEGIN; COMMIT;", "/* never closed"])
def test_text_without_tables_is_empty(tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceEmptyError, match="no tables"):
        load_source(written(tmp_path / "x.sql", text))


def test_a_database_without_tables_is_empty(tmp_path: Path) -> None:
    with pytest.raises(SourceEmptyError, match="no tables"):
        load_source(database(tmp_path / "x.db", "CREATE TABLE t (a)", "DROP TABLE t"))


ROWS = "CREATE TABLE t (k INT PRIMARY KEY);INSERT INTO t VALUES (1),(2),(3);CREATE TABLE u (a);INSERT INTO u VALUES (1)"


def test_the_row_limit_counts_all_tables(tmp_path: Path) -> None:
    script = written(tmp_path / "x.sql", ROWS)
    image = database(tmp_path / "x.db", *ROWS.split(";"))
    for path in (script, image):
        assert load_source(path, SourceOptions.from_options({"max_source_rows": 4})).row_count == 4
        with pytest.raises(SourceLimitError, match="more than 3 rows"):
            load_source(path, SourceOptions.from_options({"max_source_rows": 3}))


def test_the_byte_limit_is_checked_before_reading(tmp_path: Path) -> None:
    path = written(tmp_path / "x.sql", ROWS)

    assert load_source(path, SourceOptions.from_options({"max_source_bytes": len(ROWS)})).row_count == 4
    with pytest.raises(SourceLimitError, match=f"has {len(ROWS)} bytes; the limit in force is {len(ROWS) - 1}"):
        load_source(path, SourceOptions.from_options({"max_source_bytes": len(ROWS) - 1}))
    os.truncate(path, 10**11)
    with pytest.raises(SourceLimitError):
        load_source(path)


def test_defaults_cannot_blow_up_memory(tmp_path: Path) -> None:
    text = f"CREATE TABLE t (id INTEGER PRIMARY KEY, v DEFAULT '{'x' * 100_000}');"
    path = written(tmp_path / "x.sql", text + "".join(f"INSERT INTO t (id) VALUES ({row});" for row in range(2_000)))

    with pytest.raises(SourceLimitError, match="full"):
        load_source(path)


def test_time_runs_out_by_name(tmp_path: Path) -> None:
    rows = ",".join(f"({row})" for row in range(150_000))
    path = written(tmp_path / "x.sql", f"CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES {rows};")

    with pytest.raises(TimeBudgetExhaustedError, match=r"reading x\.sql") as caught:
        load_source(path, SourceOptions.from_options({"source_timeout_seconds": 0.001}))
    assert "source_timeout_seconds" in caught.value.hint


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("CREATE VIEW v AS SELECT 1", "view, v"),
        ("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END", "trigger, g"),
        ("CREATE VIRTUAL TABLE f USING fts5(x)", "virtual table, f"),
        ("CREATE TABLE c (a, b AS (a + 1))", "generated column, c.b"),
        ("CREATE TABLE c (a, b AS (a + 1) STORED)", "generated column, c.b"),
    ],
)
@pytest.mark.parametrize("profile", ["bounded", "full_scale"])
def test_images_hide_nothing_but_tables(tmp_path: Path, statement: str, kind: str, profile: str) -> None:
    path = database(tmp_path / "x.db", "CREATE TABLE t (id INTEGER PRIMARY KEY)", statement)

    with pytest.raises(SqlUnsupportedError, match=kind) as caught:
        load_source(path, SourceOptions.from_options({"resource_profile": profile}))
    assert caught.value.hint


def test_a_collation_of_somebody_else_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "x.db"))
    connection.create_collation("german", lambda left, right: (left > right) - (left < right))
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT COLLATE german)")
    connection.close()

    with pytest.raises(SqlUnsupportedError, match=r"collation, GERMAN of t\.v"):
        load_source(tmp_path / "x.db")


def test_strict_tables_and_sqlites_own_tables(tmp_path: Path) -> None:
    path = database(
        tmp_path / "x.db",
        "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v ANY, w TEXT) STRICT",
        "INSERT INTO t (v, w) VALUES ('1', 'a'), (1, 'b'), (1.0, 'c')",
        "CREATE INDEX i ON t (w)",
        "ANALYZE",
    )
    source = load_source(path)

    assert list(source.tables) == ["t"]
    assert source.tables["t"].columns["v"].to_list() == ["1", 1, 1.0]
    assert source.schema.table("t").column("v").affinity == "blob"


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
@pytest.mark.parametrize("profile", ["bounded", "full_scale"])
def test_utf_16_databases_become_utf_8(tmp_path: Path, encoding: str, profile: str) -> None:
    path = database(
        tmp_path / "x.db",
        f"PRAGMA encoding = '{encoding}'",
        "CREATE TABLE p (k TEXT PRIMARY KEY) WITHOUT ROWID",
        "CREATE TABLE c (id INTEGER PRIMARY KEY AUTOINCREMENT, k TEXT REFERENCES p, n NUMERIC)",
        "CREATE UNIQUE INDEX i ON c (n)",
        "INSERT INTO p VALUES ('a'), ('Ā'), ('🙂'), ('￿')",
        "INSERT INTO c VALUES (7, 'é', 1.5), (3, NULL, 'x'), (9, '', 2)",
    )
    source = load_source(path, SourceOptions.from_options({"resource_profile": profile}))

    assert source.tables["p"].columns["k"].to_list() == ["a", "Ā", "￿", "🙂"]
    assert list(zip(*[column.to_list() for column in source.tables["c"].columns.values()], strict=True)) == [
        (3, None, "x"),
        (7, "é", 1.5),
        (9, "", 2),
    ]
    assert source.schema.table("c").unique_keys == (("id",), ("n",))
    assert isinstance(source.image, bytes if profile == "bounded" else CopiedFile)


def test_a_utf_16_database_with_a_computed_column_is_refused_for_it(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db", "PRAGMA encoding = 'UTF-16'", "CREATE TABLE t (a, b AS (a + 1))")
    with pytest.raises(SqlUnsupportedError, match=r"generated column, t\.b"):
        load_source(path)


def test_null_in_a_primary_key_makes_it_unreliable(tmp_path: Path) -> None:
    path = database(
        tmp_path / "x.db", "CREATE TABLE t (k TEXT PRIMARY KEY)", "INSERT INTO t VALUES (NULL), (NULL), ('a')"
    )
    source = load_source(path)

    assert source.schema.table("t").primary_key == ()
    assert source.tables["t"].row_count == 3
    assert [(warning.code, warning.count) for warning in source.warnings] == [(WarningCode.UNRELIABLE_PRIMARY_KEY, 1)]


def test_a_table_without_a_key_is_mentioned_but_no_defect(tmp_path: Path) -> None:
    source = load_source(database(tmp_path / "x.db", "CREATE TABLE t (a)"))

    assert [(warning.code, warning.count) for warning in source.warnings] == [(WarningCode.NO_PRIMARY_KEY, 0)]


@pytest.mark.parametrize("profile", ["bounded", "full_scale"])
def test_every_truncation_is_refused(tmp_path: Path, profile: str) -> None:
    rows = ",".join(f"({row},'{row:040}')" for row in range(600))
    image = database(
        tmp_path / "x.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, v)", f"INSERT INTO t VALUES {rows}"
    ).read_bytes()
    for size in (101, 4096, 8192, len(image) // 2, len(image) - 4096, len(image) - 1):
        with pytest.raises(SourceError) as caught:
            load_source(
                written(tmp_path / "cut.db", image[:size]), SourceOptions.from_options({"resource_profile": profile})
            )
        assert caught.value.code in ("source_damaged", "source_format_invalid")


def test_a_page_of_noise_is_damage(tmp_path: Path) -> None:
    rows = ",".join(f"({row},'{row:040}')" for row in range(600))
    path = database(tmp_path / "x.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, v)", f"INSERT INTO t VALUES {rows}")
    image = bytearray(path.read_bytes())
    image[2 * 4096 : 3 * 4096] = bytes(range(256)) * 16

    with pytest.raises(SourceDamagedError, match="is damaged"):
        load_source(written(tmp_path / "noise.db", bytes(image)))


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path / "x.sql", "one")
    file = InputFile.open(path, 100)
    assert file.is_unchanged()
    written(path, "two!")

    assert not file.is_unchanged()
    with pytest.raises(SourceError, match="changed while it was being read"):
        file.content()


def test_a_music_shop_is_the_same_as_image_and_as_script(music_shop: MusicShop) -> None:
    image, script = load_source(music_shop.image), load_source(music_shop.sqlite)

    assert image.row_count == script.row_count == sum(music_shop.rows.values())
    assert not image.warnings
    assert not script.warnings
    assert len(image.schema.foreign_keys) == 11
    assert image.logical_digest == script.logical_digest


def test_the_mystery_is_refused_by_the_name_of_its_trigger(corpus: Path) -> None:
    with pytest.raises(SqlUnsupportedError, match="trigger, check_solution") as caught:
        load_source(corpus / "data/mystery/sql-murder-mystery.db")
    assert "DROP TRIGGER" in caught.value.hint


def test_own_copies_are_those_of_the_corpus(corpus: Path) -> None:
    copies = Path(__file__).parents[1] / "cases"
    for copy in copies.glob("[01]*/*"):
        original = corpus / "cases" / copy.parent.name / copy.name
        if original.exists():
            assert copy.read_bytes() == original.read_bytes(), copy
