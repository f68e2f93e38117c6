"""Every rule of `app.values` against SQLite itself."""

import json
import math
from collections.abc import Iterator

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.values import (
    Affinity,
    Collation,
    Scalar,
    affinity_of,
    canonical_json,
    comparison_operand,
    equality_key,
    fold_identifier,
    is_finite_scalar,
    number_to_text,
    order_key,
    text_to_number,
)
from tests.support.row_ids import keyed_row_id, positional_row_id
from tests.support.sqlite_rules import CELLS, INTEGERS, REALS, TEXTS, declaration, stored

AFFINITIES = st.sampled_from(Affinity)
COLLATIONS = st.sampled_from(Collation)
TYPE_NAMES = st.one_of(
    st.lists(
        st.sampled_from(["INT", "char", "Clob", "TEXT", "blob", "REAL", "floa", "doub", "x", "Point"]), max_size=4
    ).map("".join),
    st.text(st.sampled_from("INTintıCHARBLOreal"), max_size=8),
)


@pytest.fixture(scope="module")
def sqlite() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    yield connection
    connection.close()


PROBES = ("7", 7, 7.5, "7.5", "x")
STORED_AS = {
    Affinity.INTEGER: [7, 7, 7.5, 7.5, "x"],
    Affinity.NUMERIC: [7, 7, 7.5, 7.5, "x"],
    Affinity.REAL: [7.0, 7.0, 7.5, 7.5, "x"],
    Affinity.TEXT: ["7", "7", "7.5", "7.5", "x"],
    Affinity.BLOB: ["7", 7, 7.5, "7.5", "x"],
}


@given(TYPE_NAMES)
@example("")
@example("ınt")
@example("FLOATING POINT")
@example("BLOBTEXT")
def test_affinity_of_is_what_sqlite_stores(sqlite: apsw.Connection, declared: str) -> None:
    kept = stored(sqlite, f'"{declared}"' if declared else "", PROBES)
    expected = STORED_AS[affinity_of(declared)]

    assert [(type(value), value) for value in kept] == [(type(value), value) for value in expected]


@given(TEXTS)
@example("9223372036854775808")
@example("-9223372036854775808")
@example("1e400")
@example("\v1\f")
@example("+5")
@example("1\0")
def test_text_to_number_is_numeric_affinity(sqlite: apsw.Connection, text: str) -> None:
    (kept,) = stored(sqlite, "NUMERIC", [text])
    number = text_to_number(text)

    assert kept == (text if number is None else number)


@given(st.one_of(INTEGERS, REALS))
def test_number_to_text_is_text_affinity(sqlite: apsw.Connection, number: int | float) -> None:
    assert [number_to_text(number)] == stored(sqlite, "TEXT", [number])


@given(AFFINITIES, COLLATIONS, CELLS, CELLS)
@example(Affinity.TEXT, Collation.BINARY, "5.0", 5)
@example(Affinity.TEXT, Collation.NOCASE, "ab\0c", "AB\0d")
@example(Affinity.INTEGER, Collation.BINARY, 2**53 + 1, float(2**53))
def test_equality_is_that_of_parent_and_plus_child(
    sqlite: apsw.Connection, affinity: Affinity, collation: Collation, parent: Scalar, child: Scalar
) -> None:
    (kept,) = stored(sqlite, declaration(affinity, collation), [parent])
    ((equal,),) = sqlite.execute("SELECT v = +? FROM stored", (child,))
    left = equality_key(kept, collation)
    right = equality_key(comparison_operand(child, affinity), collation)

    assert (None if left is None or right is None else int(left == right)) == equal


@given(AFFINITIES, AFFINITIES, COLLATIONS, CELLS, CELLS)
def test_the_plus_drops_the_childs_affinity_and_collation(
    sqlite: apsw.Connection, own: Affinity, childs: Affinity, collation: Collation, parent: Scalar, child: Scalar
) -> None:
    (kept_child,) = stored(sqlite, declaration(childs, Collation.NOCASE), [child])
    sqlite.execute("DROP TABLE IF EXISTS parent")
    sqlite.execute(f"CREATE TABLE parent (k {declaration(own, collation)})")
    sqlite.execute("INSERT INTO parent VALUES (?)", (parent,))
    ((kept, equal),) = sqlite.execute("SELECT k, k = +v FROM parent, stored")
    left = equality_key(kept, collation)
    right = equality_key(comparison_operand(kept_child, own), collation)

    assert (None if left is None or right is None else int(left == right)) == equal


@given(st.lists(CELLS, max_size=8), COLLATIONS)
def test_order_is_that_of_order_by(sqlite: apsw.Connection, values: list[Scalar], collation: Collation) -> None:
    stored(sqlite, f"COLLATE {collation}", values)
    ordered = [value for (value,) in sqlite.execute("SELECT v FROM stored ORDER BY v, rowid")]
    mine = sorted(values, key=lambda value: order_key(value, collation))

    assert repr(mine) == repr(ordered)


@given(TEXTS, TEXTS)
def test_fold_identifier_is_how_sqlite_compares_names(sqlite: apsw.Connection, left: str, right: str) -> None:
    if "\0" in left + right:
        return
    sqlite.execute("DROP TABLE IF EXISTS named")
    quoted = ['"' + name.replace('"', '""') + '"' for name in (left, right)]
    if fold_identifier(left) == fold_identifier(right):
        with pytest.raises(apsw.SQLError, match="duplicate column name"):
            sqlite.execute(f"CREATE TABLE named ({', '.join(quoted)})")
    else:
        sqlite.execute(f"CREATE TABLE named ({', '.join(quoted)})")


@pytest.mark.parametrize("value", [None, True, 0, -(2**63), 2**63 - 1, 1.5, -0.0, "", "é", "\0"])
def test_finite_scalars(value: object) -> None:
    assert is_finite_scalar(value)


@pytest.mark.parametrize(
    "value", [2**63, -(2**63) - 1, math.inf, -math.inf, math.nan, b"", [], {}, "\ud800", "a\udfff"]
)
def test_everything_else_is_no_cell(value: object) -> None:
    assert not is_finite_scalar(value)


def test_canonical_json_sorts_keys_keeps_characters_and_refuses_nan() -> None:
    assert canonical_json({"b": [1, 1.0, None, True], "a": "é\n"}) == '{"a":"é\\n","b":[1,1.0,null,true]}'
    with pytest.raises(ValueError, match="Out of range float"):
        canonical_json(math.nan)


@given(st.lists(CELLS, min_size=1, max_size=3))
def test_row_ids_cover_every_key_part(keys: list[Scalar]) -> None:
    row_id = keyed_row_id("t", keys)

    assert row_id.startswith("row_")
    assert len(row_id) == 44
    assert row_id == keyed_row_id("t", json.loads(canonical_json(keys)))
    assert row_id != keyed_row_id("t", [*keys, None])
    assert row_id != keyed_row_id("T", keys)


def test_row_ids_are_the_documented_digests() -> None:
    assert keyed_row_id("loan", [11, "é"]) == "row_7a0da00ea47d0b5cf3fe331e8a69a372923669a4"
    assert positional_row_id("loan", 0) == "row_1dab392442815fd5433f1d01b0313e85c85abfdd"
