"""Pages of SQLite images, read without SQLite, against SQLite itself."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import apsw
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.errors import CellInvalidError
from app.sources.sqlite.connection import open_image_bytes
from app.sources.sqlite.pages.page_file import PagesUnreadableError, pages_in_memory, pages_of_file
from app.sources.sqlite.pages.table_tree import leaf_pages
from app.sources.sqlite.pages.varints import read_varints
from app.sources.sqlite.reading.column_builder import ColumnBuilder, finished
from app.sources.sqlite.reading.leaf_rows import CountedPages, LeafRows
from app.sources.sqlite.reading.rows import RowRange
from app.sources.sqlite.reading.table import read_table
from app.sources.sqlite.schema import read_catalogue
from app.values import Scalar
from tests.support.sqlite_rules import CELLS

DECLARED = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, r REAL, s TEXT, v)"


def image_of(rows: Sequence[Sequence[object]], *, settings: Sequence[str] = (), declared: str = DECLARED) -> bytes:
    connection = apsw.Connection(":memory:")
    for setting in settings:
        connection.execute(setting)
    connection.execute(declared)
    with connection:
        for row in rows:
            connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(row))})", tuple(row))
    return connection.serialize("main")


def pages_of(image: bytes, rows: int = 10_000) -> CountedPages:
    pages = pages_in_memory(image)
    assert pages is not None
    return CountedPages(pages, rows)


def root_of(image: bytes) -> int:
    connection = open_image_bytes(image)
    return int(connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 't'").get)


def rows_without_sqlite(image: bytes, *, alias: str | None = "id") -> list[tuple[Scalar, ...]]:
    """All rows of table t; nothing of them can come from SQLite, whose connection is closed."""
    connection = open_image_bytes(image)
    (layout,) = read_catalogue(connection).layouts
    assert layout.alias == alias
    pages, root = pages_of(image), root_of(image)
    connection.close()
    builders = [ColumnBuilder(column) for column in layout.schema.columns]
    count = LeafRows(RowRange(connection, layout), pages, leaf_pages(pages.file, root), builders).read(100)
    columns = [finished([builder]).to_list() for builder in builders]
    assert {len(column) for column in columns} == {count}
    return list(zip(*columns, strict=True))


def fetched(image: bytes) -> list[tuple[Scalar, ...]]:
    return [tuple(row) for row in open_image_bytes(image).execute("SELECT * FROM t ORDER BY rowid")]


def exact(rows: Sequence[Sequence[Scalar]]) -> list[list[tuple[type, str]]]:
    return [[(type(cell), repr(cell)) for cell in row] for row in rows]


def some_rows(count: int, longest: int, seed: int = 3) -> list[tuple[object, ...]]:
    random = Random(seed)
    integers = (0, 1, -1, 127, 128, -32769, 2**23, -(2**31), 2**47, -(2**47) - 1, 2**63 - 1, -(2**63))
    return [
        (
            number * 3 - 100,
            random.choice((None, *integers)),
            random.choice((None, 0.5, -1e300, 7.0, 5e-324)),
            random.choice(
                (None, "", "short", "twelve bytes", "thirteen byte", "ä\x1f\0 " * random.randint(0, longest))
            ),
            random.choice((None, 1, 2.5, "text\0", 3.0)),
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("page_size", [512, 1024, 4096, 65_536])
@pytest.mark.parametrize("count", [0, 1, 40, 6_000])
def test_ordinary_rows_need_no_sqlite(page_size: int, count: int) -> None:
    image = image_of(some_rows(count, 30), settings=[f"PRAGMA page_size = {page_size}"])

    assert exact(rows_without_sqlite(image)) == exact(fetched(image))


@pytest.mark.parametrize("setting", ["PRAGMA auto_vacuum = FULL", "PRAGMA encoding = 'UTF-8'"])
def test_pages_that_are_not_the_tables_are_passed_over(setting: str) -> None:
    image = image_of(some_rows(3_000, 5), settings=[setting, "PRAGMA page_size = 512"])

    assert exact(rows_without_sqlite(image)) == exact(fetched(image))


def test_rows_that_moved_are_read_in_order() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("PRAGMA page_size = 512")
    connection.execute(DECLARED)
    rows = some_rows(4_000, 5)
    Random(1).shuffle(rows)
    with connection:
        for row in rows:
            connection.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", row)  # type: ignore[arg-type]
        connection.execute("DELETE FROM t WHERE id % 7 = 0")
        connection.execute("UPDATE t SET s = s || 'longer' WHERE id % 5 = 0")
    image = connection.serialize("main")

    assert exact(rows_without_sqlite(image)) == exact(fetched(image))


def outcome(image: bytes, pages: CountedPages | None) -> tuple[list[list[tuple[type, str]]], str]:
    """The rows that a whole read gives, or its refusal."""
    connection = open_image_bytes(image)
    (layout,) = read_catalogue(connection).layouts
    try:
        table = read_table(connection, layout, 7, pages)
    except CellInvalidError as error:
        return [], str(error)
    return exact(list(zip(*(column.to_list() for column in table.columns.values()), strict=True))), ""


@given(st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), max_size=30), st.sampled_from([512, 4096]))
@example([(None, "1E400", None, None)], 512)
@example([(1, 1, "1", 1), (2**60, 2**60, "2", 0.5), (0.5, "x", None, "y")], 512)
def test_any_cells_or_the_same_refusal(rows: list[tuple[Scalar, ...]], page_size: int) -> None:
    image = image_of([(None, *row) for row in rows], settings=[f"PRAGMA page_size = {page_size}"])

    read, refusal = outcome(image, pages_of(image))
    assert (read, refusal) == outcome(image, None)
    if not refusal:
        assert read == exact(fetched(image))


def test_what_is_unusual_is_left_to_sqlite() -> None:
    rows = some_rows(2_000, 5)
    long = [(10_000 + number, number, None, "long " * 2_000, None) for number in range(20)]
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", image_of([*rows, *long], settings=["PRAGMA page_size = 1024"]))
    connection.execute("ALTER TABLE t ADD COLUMN later TEXT DEFAULT 'added'")
    connection.execute("INSERT INTO t VALUES (50000, 1, 1.5, 'x', 'y', 'written')")
    image = connection.serialize("main")

    reader = open_image_bytes(image)
    (layout,) = read_catalogue(reader).layouts
    table = read_table(reader, layout, 100, pages_of(image))
    cells = zip(*(column.to_list() for column in table.columns.values()), strict=True)
    assert exact(list(cells)) == exact(fetched(image))


@pytest.mark.parametrize(
    ("declared", "alias"),
    [
        ("CREATE TABLE t (id INTEGER PRIMARY KEY DESC, v)", None),
        ("CREATE TABLE t (id INT PRIMARY KEY, v)", None),
        ("CREATE TABLE t (id integer, v, PRIMARY KEY (id))", "id"),
        ("CREATE TABLE t (id INTEGER, v, PRIMARY KEY (id, v))", None),
        ("CREATE TABLE t (rowid TEXT, v INTEGER PRIMARY KEY)", "v"),
    ],
)
def test_the_row_id_is_a_column_only_where_sqlite_says_so(declared: str, alias: str | None) -> None:
    image = image_of([(5, 9), (-3, 8), (7, 7)], declared=declared)

    assert exact(rows_without_sqlite(image, alias=alias)) == exact(
        [tuple(row) for row in open_image_bytes(image).execute("SELECT * FROM t ORDER BY _rowid_")]
    )


@given(st.integers(0, 2**32), st.integers(1, 8))
def test_damaged_pages_are_noticed_or_read_but_never_crash(seed: int, wounds: int) -> None:
    random = Random(seed)
    image = bytearray(image_of(some_rows(300, 3), settings=["PRAGMA page_size = 512"]))
    for _ in range(wounds):
        # Page 1 holds the schema, which SQLite itself reads.
        image[random.randrange(512, len(image))] = random.randrange(256)
    try:
        rows_without_sqlite(bytes(image))
    except (PagesUnreadableError, apsw.ConnectionClosedError):
        return


@pytest.mark.parametrize("cut", [600, 1024, 5_000])
def test_a_file_that_ends_early_is_unreadable(tmp_path: Path, cut: int) -> None:
    image = image_of(some_rows(3_000, 3), settings=["PRAGMA page_size = 512"])
    path = tmp_path / "cut.db"
    path.write_bytes(image[:cut])
    with pages_of_file(path) as pages:
        assert pages is not None
        with pytest.raises(PagesUnreadableError):
            read = leaf_pages(pages, root_of(image))
            pages.read(read)


@pytest.mark.parametrize("header", [b"", b"\0" * 100, b"SQLite format 3\0" + b"\x03\x00" + b"\0" * 82])
def test_a_header_without_a_page_size_has_no_pages(tmp_path: Path, header: bytes) -> None:
    path = tmp_path / "odd.db"
    path.write_bytes(header)
    with pages_of_file(path) as pages:
        assert pages is None
    assert pages_in_memory(header.ljust(100, b"\0")) is None


def test_a_tree_that_bites_its_tail_is_unreadable() -> None:
    image = bytearray(image_of(some_rows(3_000, 3), settings=["PRAGMA page_size = 512"]))
    root = root_of(bytes(image))
    base = (root - 1) * 512
    assert image[base] == 5
    image[base + 8 : base + 12] = root.to_bytes(4)
    with pytest.raises(PagesUnreadableError):
        rows_without_sqlite(bytes(image))


def test_a_tree_that_leads_to_a_page_twice_ends_at_the_rows_that_were_counted() -> None:
    image = image_of(some_rows(300, 3), settings=["PRAGMA page_size = 512"])
    pages = pages_of(image, rows=300)
    leaves = leaf_pages(pages.file, root_of(image))
    twice = np.concatenate([leaves, leaves])
    connection = open_image_bytes(image)
    (layout,) = read_catalogue(connection).layouts
    builders = [ColumnBuilder(column) for column in layout.schema.columns]

    assert LeafRows(RowRange(connection, layout), pages, leaves, builders).read(100) == 300
    with pytest.raises(PagesUnreadableError):
        LeafRows(RowRange(connection, layout), pages, twice, builders).read(100)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=50))
def test_varints_come_back(integers: list[int]) -> None:
    parts = [_varint(integer) for integer in integers]
    starts = np.cumsum([0, *map(len, parts)])
    values, ends = read_varints(np.frombuffer(b"".join(parts), np.uint8), starts[:-1])
    assert values.tolist() == integers
    assert ends.tolist() == starts[1:].tolist()


def _varint(integer: int) -> bytes:
    """The file format's own words: seven bits a byte, the most significant first; a ninth byte has eight."""
    bits = integer % 2**64
    if bits >= 2**56:
        low, bits = [bits & 0xFF], bits >> 8
        while len(low) < 9:
            low.append(bits & 0x7F | 0x80)
            bits >>= 7
        return bytes(reversed(low))
    groups = [bits & 0x7F]
    while bits := bits >> 7:
        groups.append(bits & 0x7F | 0x80)
    return bytes(reversed(groups))
