"""The column reader against a plain fetch of every cell."""

from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.errors import CellInvalidError, SourceLimitError
from app.sources.load import load_source
from app.sources.options import ResourceProfile, SourceOptions, Unsupported
from app.sources.sqlite.connection import open_image_bytes
from app.sources.sqlite.pages.page_file import pages_in_memory
from app.sources.sqlite.reading.leaf_rows import CountedPages
from app.sources.sqlite.reading.table import read_table, rows_at_once
from app.sources.sqlite.schema import read_catalogue
from app.tables.column import Kind
from app.tables.table import Table
from app.values import Scalar
from tests.support.random_source import RandomSource, random_sources
from tests.support.sqlite_rules import CELLS, INTEGERS, REALS, TEXTS

CHUNKS = st.sampled_from([1, 2, 3, 7, 1000])


def image_of(*statements: str, rows: Sequence[Sequence[object]] = ()) -> bytes:
    """An image with the statements run; `rows` go into table t."""
    connection = apsw.Connection(":memory:")
    for statement in statements:
        connection.execute(statement)
    for row in rows:
        connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(row))})", tuple(row))
    return connection.serialize("main")


def read_all(image: bytes, chunk_rows: int) -> dict[str, Table]:
    """All tables through SQLite, after the same was read from the pages."""
    connection = open_image_bytes(image)
    pages = pages_in_memory(image)
    assert pages is not None
    found = {}
    for layout in read_catalogue(connection).layouts:
        found[layout.schema.name] = read_table(connection, layout, chunk_rows)
        from_pages = read_table(connection, layout, chunk_rows, CountedPages(pages, 10_000))
        assert rows_of(from_pages) == rows_of(found[layout.schema.name])
        assert [column.digest() for column in from_pages.columns.values()] == [
            column.digest() for column in found[layout.schema.name].columns.values()
        ]
    return found


def rows_of(table: Table) -> list[tuple[tuple[type, str], ...]]:
    columns = [column.to_list() for column in table.columns.values()]
    return [typed(row) for row in zip(*columns, strict=True)]


def typed(row: Sequence[Scalar]) -> tuple[tuple[type, str], ...]:
    return tuple((type(cell), repr(cell)) for cell in row)


@given(random_sources(with_foreign_keys=False, max_tables=2), CHUNKS)
def test_columns_hold_what_a_fetch_gives(source: RandomSource, chunk_rows: int) -> None:
    tables = read_all(source.image, chunk_rows)

    fetched = source.rows()
    assert list(tables) == list(fetched)
    for name, rows in fetched.items():
        assert tables[name].row_count == len(rows)
        assert rows_of(tables[name]) == [typed(row) for row in rows]


@given(st.one_of(*[st.lists(cells, max_size=12) for cells in (CELLS, INTEGERS, REALS, TEXTS)]), CHUNKS)
@example(["a\x1fb", "c"], 10)
@example([1, "1", 1.0, None, "", "\x1f"], 1)
@example([1, 2, "1,2", -1], 10)
@example([None, None, 1], 2)
def test_any_mix_of_cells_survives_in_a_column_without_affinity(cells: list[Scalar], chunk_rows: int) -> None:
    (table,) = read_all(image_of("CREATE TABLE t (v)", rows=[(cell,) for cell in cells]), chunk_rows).values()

    assert rows_of(table) == [typed((cell,)) for cell in cells]


def test_reading_does_not_depend_on_chunks() -> None:
    rows = [(place, f"text {place % 7}", place / 3, None if place % 5 else place) for place in range(500)]
    image = image_of("CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT, r REAL, n INT)", rows=rows)
    whole, pieces = (read_all(image, chunk_rows)["t"] for chunk_rows in (1000, 13))

    assert [column.kind for column in whole.columns.values()] == [Kind.INT64, Kind.TEXT, Kind.FLOAT64, Kind.INT64]
    assert [column.digest() for column in whole.columns.values()] == [
        column.digest() for column in pieces.columns.values()
    ]


def test_threads_share_the_pages_of_a_large_table() -> None:
    rows = [(place, f"text {place % 7} {'x' * 300}", place / 3, place if place % 50 else b"") for place in range(4_000)]
    image = image_of("PRAGMA page_size = 512", "CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT, r REAL, n)", rows=rows)
    with pytest.raises(CellInvalidError, match="column n, row id 0 holds a BLOB"):
        read_all(image, 1000)
    cells = [(*row[:3], "mixed" if row[3] == b"" else row[3]) for row in rows]
    image = image_of("PRAGMA page_size = 512", "CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT, r REAL, n)", rows=cells)
    assert rows_of(read_all(image, 1000)["t"]) == [typed(row) for row in cells]


def test_row_ids_may_lie_anywhere() -> None:
    ids = [-(2**63), -5, 0, 3, 2**40, 2**63 - 1]
    image = image_of("CREATE TABLE t (id INTEGER PRIMARY KEY)", rows=[(row_id,) for row_id in ids])

    assert read_all(image, 2)["t"].columns["id"].to_list() == ids


def test_an_index_that_covers_the_columns_does_not_change_the_order() -> None:
    image = image_of(
        "CREATE TABLE t (a INTEGER, b TEXT)", "CREATE INDEX i ON t (a, b)", rows=[(3, "x"), (1, "y"), (2, "z")]
    )

    assert read_all(image, 2)["t"].columns["a"].to_list() == [3, 1, 2]


@pytest.mark.parametrize("order", ["", "DESC", "COLLATE NOCASE", "COLLATE NOCASE DESC"])
def test_without_row_ids_rows_stand_in_the_order_of_the_key(tmp_path: Path, order: str) -> None:
    key = f"CREATE TABLE t (v, k TEXT, PRIMARY KEY (k {order})) WITHOUT ROWID"
    rows = [("x", "b"), ("z", "A"), ("w", "C"), ("y", "B" if "NOCASE" not in order else "D")]
    plain, covered = (image_of(key, *index, rows=rows) for index in ([], ["CREATE INDEX i ON t (v)"]))
    (expected,) = read_all(plain, 100).values()
    assert expected.columns["k"].to_list() == sorted(
        (text for _, text in rows), key=str.lower if "NOCASE" in order else str, reverse="DESC" in order
    )

    assert rows_of(read_all(covered, 100)["t"]) == rows_of(expected)
    path = tmp_path / "covered.db"
    path.write_bytes(covered)
    for profile in ResourceProfile:
        for policy in Unsupported:
            options = SourceOptions.from_options({"resource_profile": profile.value, "unsupported": policy.value})
            assert rows_of(load_source(path, options).tables["t"]) == rows_of(expected)


def test_bytes_are_left_out_in_the_order_of_the_key(tmp_path: Path) -> None:
    path = tmp_path / "bytes.db"
    path.write_bytes(
        image_of(
            "CREATE TABLE t (k TEXT PRIMARY KEY, v, w) WITHOUT ROWID",
            "CREATE INDEX i ON t (v, w)",
            rows=[("a", 9, "x"), ("b", 5, b"x"), ("c", 1, "y")],
        )
    )
    source = load_source(path, SourceOptions(unsupported=Unsupported.SKIP))

    assert source.tables["t"].columns["k"].to_list() == ["a", "b", "c"]
    assert source.warnings[0].where["first_row"] == 1
    with pytest.raises(CellInvalidError, match=r"row 1 \(counted from 0\) holds a BLOB"):
        load_source(path)


@pytest.mark.parametrize("names", ["rowid, a", "rowid, _rowid_, a", "rowid, oid, _rowid_"])
def test_columns_may_hide_the_row_id(names: str) -> None:
    image = image_of(
        f"CREATE TABLE t ({names})", rows=[(index, "x", -index)[: names.count(",") + 1] for index in (9, 8, 7)]
    )

    assert read_all(image, 2)["t"].columns["rowid"].to_list() == [9, 8, 7]


def test_without_rowid_keeps_the_order_of_the_key() -> None:
    image = image_of(
        "CREATE TABLE t (v, k TEXT COLLATE NOCASE, PRIMARY KEY (k DESC)) WITHOUT ROWID",
        rows=[(1, "b"), (2, "A"), (3, "c")],
    )

    assert read_all(image, 2)["t"].columns["k"].to_list() == ["c", "b", "A"]


def test_empty_columns_have_the_kind_of_their_affinity() -> None:
    (table,) = read_all(image_of("CREATE TABLE t (s TEXT, r REAL, i INT, n)", rows=[(None,) * 4]), 5).values()

    assert [column.kind for column in table.columns.values()] == [Kind.TEXT, Kind.FLOAT64, Kind.INT64, Kind.INT64]
    assert rows_of(table) == [typed((None, None, None, None))]


def test_wide_tables_are_read_in_portions() -> None:
    names = [f"c{place}" for place in range(300)]
    image = image_of(f"CREATE TABLE t ({', '.join(names)})", rows=[tuple(range(300)), (None,) * 300])

    assert rows_of(read_all(image, 10)["t"])[0] == typed(tuple(range(300)))


BAD_CELLS = [
    (declared, cell, complaint)
    for cell, complaint in [
        (b"\x00\x01", r"a BLOB \(2 bytes\)"),
        (b"", r"a BLOB \(0 bytes\)"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ]
    for declared in ["", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"]
    if isinstance(cell, bytes) or declared != "TEXT"
]
"""TEXT affinity keeps the text 'Inf' of an infinite number, which is a cell like any other."""


@pytest.mark.parametrize(("declared", "cell", "complaint"), BAD_CELLS)
@pytest.mark.parametrize("neighbour", [1, 1.5, "x", None])
def test_a_bad_cell_is_named_wherever_it_stands(declared: str, cell: object, complaint: str, neighbour: object) -> None:
    rows = [(10, neighbour), (20, neighbour), (30, cell), (40, neighbour)]
    image = image_of(f"CREATE TABLE t (id INTEGER PRIMARY KEY, v {declared})", rows=rows)

    for chunk_rows in (1, 2, 100):
        with pytest.raises(CellInvalidError, match=f"Table t, column v, row id 30 holds {complaint}") as caught:
            read_all(image, chunk_rows)
        assert caught.value.where == {"table": "t", "column": "v", "row": 30}


@pytest.mark.parametrize("broken", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"a\xc0\x80"])
@pytest.mark.parametrize("declared", ["TEXT", "INTEGER", "REAL", ""])
def test_broken_text_is_named(declared: str, broken: bytes) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, v {declared})")
    connection.execute(
        "INSERT INTO t VALUES (1, 'fine'), (2, CAST(? AS TEXT)), (3, CAST(? AS TEXT))", (broken, b"\xa9")
    )

    with pytest.raises(CellInvalidError, match="row id 2 holds text that is not valid UTF-8"):
        read_all(connection.serialize("main"), 100)


@pytest.mark.parametrize("cell", [b"blob", float("inf")])
def test_without_a_row_id_the_position_is_named(cell: object) -> None:
    image = image_of("CREATE TABLE t (k INTEGER PRIMARY KEY, v) WITHOUT ROWID", rows=[(5, 1), (6, cell)])

    with pytest.raises(CellInvalidError, match=r"row 1 \(counted from 0\)"):
        read_all(image, 1)


def test_long_texts_may_be_longer_together_than_a_value_may_be() -> None:
    rows = [("x" * 68_000_000,)] * 2
    image = image_of("CREATE TABLE t (v TEXT)", rows=rows)

    column = read_all(image, 2)["t"].columns["v"]
    assert [len(str(text)) for text in column.to_list()] == [68_000_000] * 2


def test_a_single_value_over_the_limit_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "big.db"))
    connection.execute("CREATE TABLE t (v)")
    connection.execute("INSERT INTO t VALUES (CAST(zeroblob(140000000) AS TEXT))")
    connection.close()

    with pytest.raises(SourceLimitError, match="too large"):
        load_source(tmp_path / "big.db", SourceOptions.from_options({"resource_profile": "full_scale"}))


def test_chunks_are_about_as_large_whatever_the_rows() -> None:
    assert rows_at_once(73_000_000, 1_000_000) == 65_536
    assert rows_at_once(10 * 2**30, 1024) == 3
    assert rows_at_once(8 * 2**30, 1) == 1
    assert rows_at_once(0, 0) == 65_536
