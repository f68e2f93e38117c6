"""Random rows of a schema with bridge tables, self-references, several categories in a cell and mixed types."""

from hypothesis import strategies as st

from tests.support.random_source import literal, quoted

_TAGS = st.sampled_from(["a, b", "b,a,a", ",a,", "c", "", " ", "a, b ,c d", None, "B"])
_NUMBERS = st.sampled_from([None, 0, 1, 1.0, 2.5, -0.0, "1", "x"])
_TABLES = {
    "person": [
        "id INTEGER PRIMARY KEY",
        "name TEXT COLLATE NOCASE",
        "tags TEXT",
        "x",
        "boss INTEGER REFERENCES person(id)",
    ],
    "thing": ["code TEXT PRIMARY KEY NOT NULL", "x", "tags TEXT"],
    "bought": ["person_id INTEGER REFERENCES person(id)", "code TEXT REFERENCES thing(code)", "n REAL", "tags TEXT"],
    "knows": [
        "a INTEGER REFERENCES person(id)",
        "b INTEGER REFERENCES person(id)",
        "c INTEGER REFERENCES person(id)",
        "x",
        "PRIMARY KEY (a, b)",
    ],
}


@st.composite
def bridge_scripts(draw: st.DrawFn) -> str:
    """SQL text: a few persons and things, and rows that join two of them, some in vain."""
    people, things = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    person = st.one_of(st.integers(1, people), st.integers(1, people), st.sampled_from([None, people + 1]))
    code = st.one_of(st.integers(1, things).map(lambda n: f"t{n}"), st.sampled_from([None, "t9"]))
    rows: dict[str, list[tuple[object, ...]]] = {
        "person": [
            (n, draw(st.sampled_from(["Ann", "ANN", "Bo", None])), draw(_TAGS), draw(_NUMBERS), draw(person))
            for n in range(1, people + 1)
        ],
        "thing": [(f"t{n}", draw(_NUMBERS), draw(_TAGS)) for n in range(1, things + 1)],
        "bought": draw(st.lists(st.tuples(person, code, _NUMBERS, _TAGS), min_size=1, max_size=6)),
        "knows": draw(
            st.lists(
                st.tuples(st.integers(1, people), st.integers(1, people), person, _NUMBERS),
                max_size=4,
                unique_by=lambda row: row[:2],
            )
        ),
    }
    creates = [f"CREATE TABLE {name} ({', '.join(columns)})" for name, columns in _TABLES.items()]
    inserts = [
        f"INSERT INTO {quoted(name)} VALUES ({', '.join(map(literal, row))})"  # type: ignore[arg-type]
        for name, table in rows.items()
        for row in table
    ]
    return "".join(f"{statement};\n" for statement in creates + inserts)
