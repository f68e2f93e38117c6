"""Columns: what they keep, and that equal content has equal digests however it is held."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tables.column import Column, Kind, canonical_codes, column_of, concatenated, null_column, text_column
from app.tables.dictionary import TextDictionary
from app.values import Collation, Scalar, order_key
from tests.support.sqlite_rules import CELLS, INTEGERS, REALS, TEXTS

CELL_LISTS: st.SearchStrategy[list[Scalar]] = st.one_of(
    st.lists(st.one_of(st.none(), INTEGERS), max_size=8),
    st.lists(REALS, max_size=8),
    st.lists(st.one_of(st.none(), TEXTS), max_size=8),
    st.lists(st.booleans(), max_size=8),
    st.lists(st.one_of(CELLS, st.booleans()), max_size=8),
)


def as_mixed(column: Column) -> Column:
    return Column(Kind.MIXED, column.objects(), column.nulls)


def typed(cells: list[Scalar]) -> list[tuple[type, str]]:
    return [(type(cell), repr(cell)) for cell in cells]


@given(CELL_LISTS)
def test_a_column_keeps_values_and_types(cells: list[Scalar]) -> None:
    column = column_of(cells)

    assert typed(column.to_list()) == typed(cells)
    assert column.null_count() == cells.count(None)
    assert [repr(column.cell(row)) for row in range(len(cells))] == list(map(repr, cells))


@given(CELL_LISTS, st.data())
def test_take_picks_rows_in_any_order_and_number(cells: list[Scalar], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(cells) - 1), max_size=10)) if cells else []

    taken = column_of(cells).take(np.array(rows, np.int64))

    assert typed(taken.to_list()) == typed([cells[row] for row in rows])


@given(st.lists(CELL_LISTS, max_size=4))
def test_concatenated_is_all_cells_in_order(parts: list[list[Scalar]]) -> None:
    together = [cell for part in parts for cell in part]
    column = concatenated([column_of(part) for part in parts])

    assert typed(column.to_list()) == typed(together)
    assert column.digest() == column_of(together).digest()
    assert column.digest() == concatenated([as_mixed(column_of(part)) for part in parts]).digest()


@given(CELL_LISTS, CELL_LISTS)
def test_digests_are_equal_exactly_for_equal_cells(left: list[Scalar], right: list[Scalar]) -> None:
    equal = typed(left) == typed(right)

    assert (column_of(left).digest() == column_of(right).digest()) == equal
    assert (column_of(left).digest() == as_mixed(column_of(right)).digest()) == equal


@given(st.lists(st.one_of(st.none(), TEXTS), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_numbering_of_codes_does_not_matter(cells: list[str | None], random: object) -> None:
    entries = [*dict.fromkeys(cell for cell in cells if cell is not None), "never used"]
    random.shuffle(entries)  # type: ignore[attr-defined]
    codes = np.array([0 if cell is None else entries.index(cell) for cell in cells], np.int32)
    nulls = np.array([cell is None for cell in cells])
    column = Column(Kind.TEXT, codes, nulls, TextDictionary.of(entries))

    assert column.to_list() == cells
    assert column.digest() == column_of(cells).digest()
    if not nulls.all():
        assert len(canonical_codes(column).texts) == len({cell for cell in cells if cell is not None})


def test_what_lies_under_a_null_does_not_matter() -> None:
    nulls = np.array([False, True])

    assert Column(Kind.INT64, np.array([1, 77]), nulls).digest() == column_of([1, None]).digest()
    assert column_of([None, None]).digest() == null_column(2, Kind.TEXT).digest()


@pytest.mark.parametrize(
    "pair", [([1], [1.0]), ([1], [True]), (["1"], [1]), ([None], []), ([""], [None]), ([0.0], [-0.0])]
)
def test_different_content_has_different_digests(pair: tuple[list[Scalar], list[Scalar]]) -> None:
    assert column_of(pair[0]).digest() != column_of(pair[1]).digest()


@given(st.lists(st.lists(st.one_of(st.none(), TEXTS), max_size=4), max_size=4))
def test_text_columns_come_from_chunks_with_one_dictionary(chunks: list[list[str | None]]) -> None:
    arrays = [pa.array(chunk, pa.large_string()) for chunk in chunks]
    column = text_column(pa.chunked_array(arrays, pa.large_string()))
    cells = [cell for chunk in chunks for cell in chunk]

    assert column.kind is Kind.TEXT
    assert column.to_list() == cells
    assert column.texts.entries.to_pylist() == list(dict.fromkeys(cell for cell in cells if cell is not None)) or [""]


def test_columns_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        column_of([1, 2]).values[0] = 3


@given(st.lists(TEXTS, unique=True, max_size=8), st.sampled_from(Collation), TEXTS)
def test_a_dictionary_follows_the_collations(texts: list[str], collation: Collation, wanted: str) -> None:
    dictionary = TextDictionary.of(texts)
    keys = [order_key(text, collation) for text in texts]
    distinct = sorted(set(keys))

    assert dictionary.collated(collation).to_pylist() == [collation.key(text) for text in texts]
    assert dictionary.ranks(collation).tolist() == [distinct.index(key) for key in keys]
    assert dictionary.code_of(wanted) == (texts.index(wanted) if wanted in texts else -1)
    assert dictionary.containing(wanted).tolist() == [wanted.encode() in text.encode() for text in texts]
