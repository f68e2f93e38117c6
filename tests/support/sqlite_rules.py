"""What SQLite itself says about a value: stored in a column, compared with one, ordered."""

from collections.abc import Sequence

import apsw
from hypothesis import strategies as st

from app.values import Affinity, Collation, Scalar

TYPE_OF_AFFINITY = {
    Affinity.INTEGER: "INTEGER",
    Affinity.TEXT: "TEXT",
    Affinity.BLOB: "",
    Affinity.REAL: "REAL",
    Affinity.NUMERIC: "NUMERIC",
}

NUMBER_LIKE = st.from_regex(
    r"[ \t\n\v\f\r]?[+-]?[0-9]{0,20}(\.[0-9]{0,6})?([eE][+-]?[0-9]{0,3})?[ \t\n\x0b\x0c\r]?", fullmatch=True
)
TEXTS = st.one_of(
    st.sampled_from(
        ["", "a", "A", "a ", "A  ", "aB", "ä", "Ä", "a\t", "ab\0c", "AB\0d", "ab\0cd", "0x1F", "١", "1_0", "Inf"]
    ),
    st.text(st.sampled_from("aAbB \0äÄ\t"), max_size=4),
    NUMBER_LIKE,
    st.text(st.characters(codec="utf-8"), max_size=5),
)
INTEGERS = st.one_of(
    st.integers(-5, 5), st.integers(-(2**63), 2**63 - 1), st.sampled_from([2**53, 2**53 + 1, -(2**53) - 1])
)
REALS = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.0**53, 2.0**63, -(2.0**63), 1e15, 123456789012345680.0, 0.1]),
    st.floats(allow_nan=False, allow_infinity=False),
)
CELLS: st.SearchStrategy[Scalar] = st.one_of(st.none(), INTEGERS, REALS, TEXTS)


def stored(connection: apsw.Connection, declared: str, values: Sequence[Scalar]) -> list[Scalar]:
    """The values as a column of this declaration keeps them."""
    connection.execute("DROP TABLE IF EXISTS stored")
    connection.execute(f"CREATE TABLE stored (v {declared})")
    connection.executemany("INSERT INTO stored VALUES (?)", [(value,) for value in values])
    return [value for (value,) in connection.execute("SELECT v FROM stored ORDER BY rowid")]


def declaration(affinity: Affinity, collation: Collation) -> str:
    return f"{TYPE_OF_AFFINITY[affinity]} COLLATE {collation}"
