"""The counts of G0 on sources from public bug reports, and on a whole database."""

from pathlib import Path

import pytest

from app.graph.g0 import build_initial_graph, match_references
from app.sources.load import load_source
from tests.support.music_shop import MusicShop

CASES = Path(__file__).parents[1] / "cases"
COUNTS = [
    ("01-sql-child-before-parent/dump.sql", 12, 9, 1),
    ("02-sql-literal-inserts/a_text_traps.sql", 6, 0, 0),
    ("02-sql-literal-inserts/b_column_lists.sql", 8, 5, 0),
    ("03-sql-affinity-fk/a_text_parent_integer_child.sql", 12, 4, 2),
    ("03-sql-affinity-fk/b_integer_parent_text_child.sql", 12, 6, 2),
    ("03-sql-affinity-fk/c_self_reference.sql", 6, 4, 1),
    ("04-sql-collation-fk/input.sql", 23, 9, 7),
    ("06-sql-fk-target-unique/d_unique_index_ok.sql", 7, 2, 1),
    ("07-sql-other-dialects/d_backtick_and_bracket_ok.sql", 2, 0, 0),
    ("08-sql-forbidden-statements/j_sqlite_sequence.sql", 2, 0, 0),
    ("08-sql-forbidden-statements/z_ok_keyword_names.sql", 5, 3, 0),
    ("09-img-implicit-ref-and-case/library.db", 15, 11, 2),
    ("11-img-non-json-cells/nan_becomes_null_ok.db", 2, 0, 0),
    ("12-img-open-problems/wal_mode_without_sidecar.db", 2, 0, 0),
    ("24-neo4j-names/input.sql", 10, 4, 0),
    ("26-neo4j-republish/input.sql", 15, 14, 1),
    ("28-query-nulls/input.sql", 10, 4, 0),
    ("29-query-division-avg-order/input.sql", 11, 7, 0),
]


def counts(path: Path) -> tuple[int, int, int]:
    """Nodes, edges and dangling references of G0."""
    source = load_source(path)
    references = match_references(source.schema, source.tables)
    graph = build_initial_graph(source.schema, source.tables, references)
    return graph.node_count, graph.edge_count, sum(map(len, references.dangling()))


@pytest.mark.parametrize(("file", "nodes", "edges", "dangling"), COUNTS)
def test_counts_of_a_case(file: str, nodes: int, edges: int, dangling: int) -> None:
    assert counts(CASES / file) == (nodes, edges, dangling)


@pytest.mark.parametrize("file", ["image", "sqlite"])
def test_counts_of_a_music_shop(music_shop: MusicShop, file: str) -> None:
    assert counts(getattr(music_shop, file)) == music_shop.counts


def test_the_counts_of_chinook_are_known(corpus: Path, music_shop: MusicShop) -> None:
    assert music_shop.image.is_relative_to(corpus)
    assert music_shop.counts == (15_607, 33_244, 0)


def edges_of(path: Path, type_: str, source_table: str) -> set[tuple[object, object]]:
    """The edges of one type as pairs of the first column's values."""
    source = load_source(path)
    references = match_references(source.schema, source.tables)
    graph = build_initial_graph(source.schema, source.tables, references)
    edges = next(e for e in graph.edge_tables if e.type == type_ and e.source_label == source_table)
    sides = []
    for label, rows in ((edges.source_label, edges.sources), (edges.target_label, edges.targets)):
        column = next(iter(graph.node_tables[label].columns.values()))
        sides.append(column.take(rows).to_list())
    return set(zip(*sides, strict=True))


def test_the_parents_collation_decides() -> None:
    path = CASES / "04-sql-collation-fk" / "input.sql"
    assert edges_of(path, "TAG", "post") == {(1, "Alpha"), (2, "Alpha"), (4, "ÄRGER"), (7, "ÄRGER")}
    assert edges_of(path, "UNIT_CODE", "stock") == {(1, "kg"), (2, "kg"), (6, "m  ")}
    assert edges_of(path, "SITE_KEY", "visit") == {(1, "Main"), (4, "Annex")}


def test_the_parents_affinity_decides() -> None:
    folder = CASES / "03-sql-affinity-fk"
    assert edges_of(folder / "a_text_parent_integer_child.sql", "EAN", "purchase") == {
        (1, "42"),
        (2, "77"),
        (3, "77"),
        (4, "gift"),
    }
    assert edges_of(folder / "b_integer_parent_text_child.sql", "DEPOT_NO", "van") == {
        ("A", 1),
        ("B", 1),
        ("C", 2),
        ("D", 2),
        ("H", 30),
        ("I", 2),
    }
    assert edges_of(folder / "c_self_reference.sql", "PARENT_SERIAL", "part") == {(1, 1), (2, 1), (3, 3), (4, 4)}


def test_an_implicit_composite_key_pairs_in_key_order() -> None:
    source = load_source(CASES / "09-img-implicit-ref-and-case" / "library.db")
    references = match_references(source.schema, source.tables)
    key = next(key for key in references.pointers if key.table == "slot")
    assert key.ref_columns == ("b", "a")
    assert (references.pointers[key] >= 0).tolist() == [True, False, True, False]
