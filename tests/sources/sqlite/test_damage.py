"""Whatever bytes arrive: a source, or one of the named errors; nothing else ever leaves the reader."""

from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import SourceEncodingError, SourceError
from app.sources.load import load_source
from app.sources.options import SourceOptions
from tests.support.random_source import RandomSource, random_sources

SCHEMAS = [
    "CREATE TABLE tab___ (id INTEGER PRIMARY KEY)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, col___)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, v ty___)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY REFERENCES p___)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, v COLLATE n___)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE UNIQUE INDEX i___ ON t (id)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE VIEW v___ AS SELECT 1",
]
MUTATIONS = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=6)
FULL_SCALE = SourceOptions.from_options({"resource_profile": "full_scale"})


def mutated(content: bytes, mutations: list[tuple[float, int]]) -> bytes:
    changed = bytearray(content)
    for place, value in mutations:
        changed[int(place * len(changed))] = value
    return bytes(changed)


def loads_or_says_why(path: Path, options: SourceOptions | None = None) -> None:
    try:
        source = load_source(path, options)
    except SourceError:
        return
    for table in source.tables.values():
        assert {len(column) for column in table.columns.values()} == {table.row_count}


@given(random_sources(max_tables=2, max_rows=6), MUTATIONS, st.booleans())
def test_damaged_images(
    tmp_path_factory: pytest.TempPathFactory, source: RandomSource, mutations: list[tuple[float, int]], header: bool
) -> None:
    path = tmp_path_factory.mktemp("damage") / "x.db"
    near = [(place * 100 / len(source.image), value) if header else (place, value) for place, value in mutations]
    path.write_bytes(mutated(source.image, near))

    loads_or_says_why(path)
    loads_or_says_why(path, FULL_SCALE)


@given(random_sources(max_tables=2, max_rows=6), MUTATIONS, st.floats(0, 1))
def test_damaged_scripts(
    tmp_path_factory: pytest.TempPathFactory, source: RandomSource, mutations: list[tuple[float, int]], kept: float
) -> None:
    path = tmp_path_factory.mktemp("damage") / "x.sql"
    script = source.script.encode()
    path.write_bytes(mutated(script[: max(1, int(kept * len(script)))], mutations))

    loads_or_says_why(path)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_names_that_are_not_utf_8(tmp_path: Path, schema: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.create_collation("n___", lambda left, right: (left > right) - (left < right))
    connection.execute(schema)
    path = tmp_path / "x.db"
    path.write_bytes(connection.serialize("main").replace(b"___", b"\xff\xfe\xe9"))

    for options in (None, FULL_SCALE):
        with pytest.raises(SourceEncodingError, match="A name in the schema"):
            load_source(path, options)


TOKENS = st.sampled_from(
    [
        "CREATE TABLE t",
        "(",
        ")",
        ",",
        ";",
        "INSERT INTO t",
        "VALUES",
        "1",
        "'a'",
        "NULL",
        "x",
        "REFERENCES",
        "PRIMARY KEY",
        "--\n",
        "/*",
        "*/",
        '"',
        "'",
        "[",
        "]",
        "`",
        "AS",
        "SELECT",
        "BEGIN",
        "COMMIT",
        "CREATE INDEX i ON t",
        "a",
        "UNIQUE",
        "-",
    ]
)


@given(st.lists(TOKENS, max_size=25))
def test_scripts_of_random_words(tmp_path_factory: pytest.TempPathFactory, tokens: list[str]) -> None:
    path = tmp_path_factory.mktemp("words") / "x.sql"
    path.write_text(" ".join(["CREATE TABLE t (a, b);", *tokens]))

    loads_or_says_why(path)
