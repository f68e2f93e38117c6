"""Key matching against SQLite's own join, `parent.k = +child.k` on all key columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import apsw
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.tables.column import Column, Kind, column_of, int_column
from app.tables.matching import DANGLING, NULL, match_rows
from app.tables.schema import ColumnSchema
from app.values import Affinity, Collation, Scalar
from tests.support.sqlite_rules import TYPE_OF_AFFINITY

KEYS: st.SearchStrategy[Scalar] = st.one_of(
    st.none(),
    st.integers(-2, 4),
    st.sampled_from([2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]),
    st.sampled_from([0.5, 1.0, -0.0, 2.0, float(2**53), 1e300]),
    st.sampled_from(
        ["", "a", "A", "a ", "A ", "ab", "ä", "Ä", "1", "01", "1.0", " 1", "2 ", "1x", "a\0b", "A\0c", "1\0"]
    ),
)


@dataclass(frozen=True)
class KeyColumn:
    """How one key column is declared on either side."""

    parent: Affinity
    collation: Collation
    child: Affinity


@dataclass(frozen=True)
class Keys:
    """Key columns and the values given for the rows of both sides."""

    columns: tuple[KeyColumn, ...]
    parents: list[tuple[Scalar, ...]]
    children: list[tuple[Scalar, ...]]


@st.composite
def keys(draw: st.DrawFn) -> Keys:
    column = st.builds(KeyColumn, st.sampled_from(Affinity), st.sampled_from(Collation), st.sampled_from(Affinity))
    columns = draw(st.lists(column, min_size=1, max_size=3))
    rows = st.lists(st.tuples(*[draw(st.sampled_from([KEYS, st.integers(0, 6), KEYS])) for _ in columns]), max_size=8)
    return Keys(tuple(columns), draw(rows), draw(rows))


@pytest.fixture(scope="module")
def sqlite() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    yield connection
    connection.close()


def filled(
    connection: apsw.Connection, table: str, types: Sequence[str], rows: Sequence[Sequence[Scalar]]
) -> list[Column]:
    """Make a table and return its columns as stored."""
    connection.execute(f"DROP TABLE IF EXISTS {table}")
    names = [f"k{place}" for place in range(len(types))]
    connection.execute(f"CREATE TABLE {table} ({', '.join(map(' '.join, zip(names, types, strict=True)))})")
    connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(types))})", [tuple(row) for row in rows])
    stored = connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
    return [column_of([row[place] for row in stored]) for place in range(len(types))]


def joined(connection: apsw.Connection, width: int) -> list[tuple[int, int]]:
    equal = " AND ".join(f"parent.k{place} = +child.k{place}" for place in range(width))
    query = f"SELECT child.rowid - 1, parent.rowid - 1 FROM child JOIN parent ON {equal} ORDER BY 1, 2"
    return [(int(child), int(parent)) for child, parent in connection.execute(query)]


def equal_parents(connection: apsw.Connection, width: int) -> set[tuple[int, int]]:
    equal = " AND ".join(f"a.k{place} = b.k{place}" for place in range(width))
    query = f"SELECT a.rowid - 1, b.rowid - 1 FROM parent a JOIN parent b ON a.rowid < b.rowid AND {equal}"
    return {(int(first), int(second)) for first, second in connection.execute(query)}


@given(keys())
@example(Keys((KeyColumn(Affinity.TEXT, Collation.BINARY, Affinity.INTEGER),), [("0042",), ("42",)], [("0042",)]))
@example(Keys((KeyColumn(Affinity.TEXT, Collation.NOCASE, Affinity.TEXT),), [("a\0b",)], [("A\0c",), ("a\0",)]))
def test_pointers_are_sqlites_join(sqlite: apsw.Connection, drawn: Keys) -> None:
    width = len(drawn.columns)
    parents = filled(
        sqlite, "parent", [f"{TYPE_OF_AFFINITY[c.parent]} COLLATE {c.collation}" for c in drawn.columns], drawn.parents
    )
    children = filled(sqlite, "child", [TYPE_OF_AFFINITY[c.child] for c in drawn.columns], drawn.children)
    schemas = [ColumnSchema("k", "", column.parent, column.collation) for column in drawn.columns]

    match = match_rows(children, parents, schemas)

    duplicates = equal_parents(sqlite, width)
    assert (match.duplicate_parents in duplicates) if duplicates else match.duplicate_parents is None
    pairs = joined(sqlite, width)
    matched = [(child, int(parent)) for child, parent in enumerate(match.pointers) if parent >= 0]
    assert set(matched) <= set(pairs)
    assert [child for child, _ in matched] == sorted({child for child, _ in pairs})
    for child, pointer in enumerate(match.pointers):
        incomplete = any(column.null_mask()[child] for column in children)
        assert (pointer == NULL) == incomplete
        assert pointer >= DANGLING


@given(keys())
def test_kinds_of_columns_do_not_matter(sqlite: apsw.Connection, drawn: Keys) -> None:
    """The same cells as MIXED columns take the general path and must match alike."""
    parents = filled(
        sqlite, "parent", [f"{TYPE_OF_AFFINITY[c.parent]} COLLATE {c.collation}" for c in drawn.columns], drawn.parents
    )
    children = filled(sqlite, "child", [TYPE_OF_AFFINITY[c.child] for c in drawn.columns], drawn.children)
    schemas = [ColumnSchema("k", "", column.parent, column.collation) for column in drawn.columns]
    typed = match_rows(children, parents, schemas)
    mixed = match_rows([as_mixed(column) for column in children], [as_mixed(column) for column in parents], schemas)

    assert (typed.duplicate_parents is None) == (mixed.duplicate_parents is None)
    if typed.duplicate_parents is None:
        assert np.array_equal(typed.pointers, mixed.pointers)


def as_mixed(column: Column) -> Column:
    return Column(Kind.MIXED, column.objects(), column.nulls)


@pytest.mark.parametrize("spread", [1, 1_000_003])
def test_dense_and_sparse_integer_keys(spread: int) -> None:
    parent = int_column(np.arange(1000)[::-1] * spread)
    child = int_column(
        np.array([0, 999, 5, 1000, -1, 2**62]) * spread if spread == 1 else np.array([0, 999, 5, 1000, -1]) * spread
    )

    match = match_rows([child], [parent], [ColumnSchema("id", "INTEGER", Affinity.INTEGER)])

    assert match.pointers.tolist()[:5] == [999, 0, 994, DANGLING, DANGLING]


def test_the_first_two_equal_parents_are_named() -> None:
    parent = column_of(["x", "b", "B", "b"])

    match = match_rows([column_of(["b"])], [parent], [ColumnSchema("k", "TEXT", Affinity.TEXT, Collation.NOCASE)])

    assert match.duplicate_parents == (1, 2)


def test_bounds_of_64_bits_do_not_overflow() -> None:
    ends = int_column(np.array([2**63 - 1, -(2**63)]))

    match = match_rows([ends], [ends], [ColumnSchema("k", "INTEGER", Affinity.INTEGER)])

    assert match.pointers.tolist() == [0, 1]
