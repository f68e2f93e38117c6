"""Random rows, written by each dialect's own rules, come back as they were."""

from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import GraphwrightError
from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import SqlType, Storage
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.syntax import Syntax
from app.sources.sql.rows.batches import Signs
from app.sources.sql.rows.inserted import inserted_rows
from app.sources.sql.values.literals import cells_of
from app.values import Scalar
from tests.sources.dumps.support import (
    copy_block,
    mysql,
    mysql_literal,
    postgres,
    postgres_escaped_literal,
    postgres_literal,
    rows,
)

TRAPS = st.sampled_from(
    ["'", '"', "\\", "\\N", "\\.", ";", "--", "/*", "*/", "\n", "\t", "$$", "::", "(", ",", "NULL", "#", "\r"]
)
TEXTS = st.lists(TRAPS | st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=8).map("".join)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
REALS = st.floats(allow_nan=False, allow_infinity=False)
RECORDS = st.lists(st.tuples(INTEGERS, TEXTS | st.none(), REALS | st.none(), TEXTS), max_size=12)
TABLE = "CREATE TABLE t (a bigint NOT NULL, b text, c double precision, d varchar(99));\n"

Write = Callable[[Scalar], str]


def written(records: Sequence[Sequence[Scalar]], write: Write, rows_at_once: int) -> str:
    groups = [records[at : at + rows_at_once] for at in range(0, len(records), rows_at_once)]
    lines = [", ".join(f"({','.join(map(write, record))})" for record in group) for group in groups]
    return "".join(f"INSERT INTO t VALUES {line};\n" for line in lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> object:
    return tmp_path_factory.mktemp("dumps")


@given(records=RECORDS, rows_at_once=st.integers(1, 4))
def test_inserts_of_mysql(folder, records, rows_at_once) -> None:
    assert rows(mysql(folder, TABLE + written(records, mysql_literal, rows_at_once)), "t") == records


@pytest.mark.parametrize("write", [postgres_literal, postgres_escaped_literal])
@given(records=RECORDS, rows_at_once=st.integers(1, 4))
def test_inserts_of_postgres(folder, write, records, rows_at_once) -> None:
    assert rows(postgres(folder, TABLE + written(records, write, rows_at_once)), "t") == records


@given(records=RECORDS)
def test_lines_of_copy(folder, records) -> None:
    assert rows(postgres(folder, TABLE + copy_block("t", "abcd", records)), "t") == records


@given(records=RECORDS, names=st.permutations(list("abcd")))
def test_columns_in_any_order(folder, records, names) -> None:
    shuffled = [[record["abcd".index(name)] for name in names] for record in records]

    assert rows(postgres(folder, TABLE + copy_block("t", names, shuffled)), "t") == records


MYSQL, POSTGRES = Syntax(Dialect.MYSQL, escapes=True), Syntax(Dialect.POSTGRES)
POSTGRES_WITH_ESCAPES = Syntax(Dialect.POSTGRES, escapes=True)


@pytest.mark.parametrize("syntax", [MYSQL, POSTGRES, POSTGRES_WITH_ESCAPES], ids=["mysql", "postgres", "escapes"])
@given(
    literals=st.lists(
        st.sampled_from(["'a'", "''", "'''x'", "1", "-2.5", "NULL", "true", r"'\\'", "'x y'"]), min_size=1
    )
)
def test_looking_for_less_reads_the_same(syntax: Syntax, literals: list[str]) -> None:
    declared = SqlType("text", Storage.TEXT)
    signs = Signs.of(",".join(literals), syntax)

    assert cells_of(literals, declared, syntax, signs) == cells_of(literals, declared, syntax)


@given(width=st.sampled_from([1, 2, 63, 64, 65, 200]), count=st.integers(1, 5))
def test_tables_of_any_width(width: int, count: int) -> None:
    text = ",".join(f"({','.join(str(row * width + place) for place in range(width))})" for row in range(count))

    [batch] = inserted_rows(Script("x", text), POSTGRES, 0, len(text), [f"c{place}" for place in range(width)])
    assert [list(row) for row in zip(*batch.columns, strict=True)] == [
        [str(row * width + place) for place in range(width)] for row in range(count)
    ]
    assert [text[start] for start in batch.starts] == ["("] * count


@given(text=st.text(alphabet="'\"\\;$`-/*#()abI1, \nNTOCOPYVALUES", max_size=80))
def test_any_text_is_read_or_refused_by_name(folder, text: str) -> None:
    for read in (mysql, postgres):
        with suppress(GraphwrightError):
            assert read(folder, TABLE + text).row_count >= 0
