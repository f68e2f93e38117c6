"""Errors of dumps say where: file, line, table and column."""

from pathlib import Path

import pytest

from app.errors import SourceEncodingError, SourceError, SourceFormatError
from tests.sources.dumps.support import Reader, mysql, postgres

BOTH = (mysql, postgres)
PLACES: dict[str, tuple[tuple[Reader, ...], dict[str, object]]] = {
    "COPY t FROM stdin;\n1\t2\n1\n\\.\n": ((postgres,), {"line": 4}),
    "COPY t FROM stdin;\n1\t2\t3\n\\.\n": ((postgres,), {"line": 3}),
    "COPY t FROM stdin WITH (FORMAT csv);\n1,2\n\\.\n": ((postgres,), {"line": 2}),
    "INSERT INTO t VALUES (1, 2),\n(3);": (BOTH, {"line": 3}),
    "INSERT INTO t VALUES (1, 2),\n(3, 4, 5);": (BOTH, {"line": 3}),
    "INSERT INTO t VALUES\n(now(), 2);": (BOTH, {"line": 3, "column": "a"}),
    "INSERT INTO t (b, a) VALUES (1,\n f(2));": (BOTH, {"line": 3, "column": "a"}),
    "INSERT INTO t VALUES (1, 2) RETURNING a;": (BOTH, {"line": 2}),
    "INSERT INTO t SELECT 1;": (BOTH, {"line": 2}),
    "INSERT INTO t (c) VALUES (1);": (BOTH, {"line": 2, "column": "c"}),
}
CASES = [(reader, rows) for rows, (readers, _) in PLACES.items() for reader in readers]


@pytest.mark.parametrize(("reader", "rows"), CASES)
def test_rows_that_cannot_be_read_are_those_of_a_table(tmp_path: Path, reader: Reader, rows: str) -> None:
    with pytest.raises(SourceError) as caught:
        reader(tmp_path, f"CREATE TABLE t (a int, b int);\n{rows}\n")

    assert caught.value.where == {"file": "dump.sql", "table": "t", **PLACES[rows][1]}


@pytest.mark.parametrize("reader", BOTH)
@pytest.mark.parametrize(
    "text", [b"CREATE TABLE t (a text);\nINSERT INTO t VALUES ('a\0b');", "\ufeffx".encode("utf-16-le")]
)
def test_a_nul_is_no_text_of_a_dump(tmp_path: Path, reader: Reader, text: bytes) -> None:
    with pytest.raises(SourceEncodingError, match=r"dump\.sql, line \d: the byte at offset \d+ is a NUL") as caught:
        reader(tmp_path, text)

    assert caught.value.where["file"] == "dump.sql"
    assert "SQLite" not in caught.value.hint


@pytest.mark.parametrize("reader", BOTH)
def test_an_archive_is_no_dump(tmp_path: Path, reader: Reader) -> None:
    with pytest.raises(SourceFormatError, match="ZIP archive"):
        reader(tmp_path, b"PK\x03\x04\0\0")
