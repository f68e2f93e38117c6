"""Whole dumps: a music shop says the same in every dialect; Northwind and Sakila load whole."""

from pathlib import Path

import pytest

from app.graph.g0 import build_initial_graph, match_references
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, WarningCode
from tests.support.music_shop import MusicShop

SKIP = SourceOptions.from_options({"unsupported": "skip"})


def counts(source: RelationalSource) -> tuple[int, int, int]:
    """Nodes, edges and dangling references of the first graph."""
    references = match_references(source.schema, source.tables)
    graph = build_initial_graph(source.schema, source.tables, references)
    return graph.node_count, graph.edge_count, sum(map(len, references.dangling()))


def plain(name: str) -> str:
    """A name as Chinook's scripts have it in common: `AlbumId` is `album_id` in PostgreSQL."""
    return name.replace("_", "").lower()


def without_lone_backslashes(cell: object) -> object:
    r"""What MySQL makes of `\ `: a backslash before a character without a meaning is dropped."""
    return cell.replace("\\ ", " ") if isinstance(cell, str) else cell


def without_last_blanks(cell: object) -> object:
    """What PostgreSQL makes of N'Edinburgh ', a text of type character."""
    return cell.rstrip(" ") if isinstance(cell, str) else cell


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_a_music_shop_says_what_its_image_says(music_shop: MusicShop, dialect: str) -> None:
    image, dump = load_source(music_shop.image), load_source(getattr(music_shop, dialect))
    tables = {plain(name): table for name, table in dump.tables.items()}
    as_written = without_lone_backslashes if dialect == "mysql" else without_last_blanks

    assert counts(dump) == counts(image) == music_shop.counts
    assert list(tables) == [plain(name) for name in image.tables]
    for name, expected in image.tables.items():
        table = tables[plain(name)]
        assert [plain(each) for each in table.columns] == [plain(each) for each in expected.columns]
        assert [plain(each) for each in table.schema.primary_key] == [
            plain(each) for each in expected.schema.primary_key
        ]
        for column, wanted in zip(table.columns.values(), expected.columns.values(), strict=True):
            assert column.kind is wanted.kind
            assert column.to_list() == [as_written(cell) for cell in wanted.to_list()]


def test_a_music_shop_of_mysql_has_the_row_ids_of_the_image(music_shop: MusicShop) -> None:
    image, dump = load_source(music_shop.image), load_source(music_shop.mysql)

    assert list(dump.tables) == list(image.tables)
    assert {table.name: table.primary_key for table in dump.schema} == {
        table.name: table.primary_key for table in image.schema
    }
    assert [key.label for key in dump.schema.foreign_keys] == [key.label for key in image.schema.foreign_keys]


def test_northwind_of_postgres_loads(corpus: Path) -> None:
    source = load_source(corpus / "data/northwind/northwind_postgres.sql")

    assert counts(source) == (3_362, 7_113, 0)
    assert [warning.where["column"] for warning in source.warnings if warning.count] == ["picture", "photo"]
    assert source.tables["employees"].columns["address"].to_list()[0] == "507 - 20th Ave. E.\\nApt. 2A"


def test_sakila_loads_from_two_files(corpus: Path) -> None:
    folder = corpus / "data/sakila"
    source = load_source([folder / "postgres_schema.sql", folder / "postgres_copy.sql"])

    assert len(source.tables) == 21
    assert counts(source) == (46_273, 121_774, 0)
    assert {name: table.row_count for name, table in source.tables.items() if name.startswith("payment")} == {
        "payment": 16_049,
        **{f"payment_p2007_0{month}": 0 for month in range(1, 7)},
    }
    assert source.tables["film"].columns["release_year"].to_list()[0] == 2006
    assert source.tables["customer"].columns["activebool"].to_list()[0] == 1
    assert any(note.startswith("Skipped 7 views: actor_info, customer_list") for note in source.notes)


def test_northwind_and_the_mystery_of_sqlite_build_without_views_and_blobs(corpus: Path) -> None:
    northwind = load_source(corpus / "data/northwind/northwind_sqlite.sql", SKIP)
    mystery = load_source(corpus / "data/mystery/sql-murder-mystery.db", SKIP)
    skipped = [each for each in northwind.warnings if each.code is WarningCode.UNSUPPORTED_SKIPPED]

    assert counts(northwind) == (3_310, 7_113, 0)
    assert [each.where["kind"] for each in skipped[:16]] == ["view"] * 16
    assert [(each.where["table"], each.where["cells"]) for each in skipped[16:]] == [
        ("Categories", 8),
        ("Employees", 9),
    ]
    assert counts(mystery) == (56_649, 45_409, 2_502)
    assert [each.message for each in mystery.warnings if each.count] == ["The trigger check_solution is left out."]
