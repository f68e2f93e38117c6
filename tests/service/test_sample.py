"""The sample that ships: the same everywhere, consistent, and with what relational sources have in store."""

import hashlib
from pathlib import Path

import apsw
import pytest

from app.service.demo.sample import write_sample
from app.sources.load import load_source


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "bookshop.sqlite"
    write_sample(path)
    return path


def digest(path: Path) -> str:
    connection = apsw.Connection(str(path))
    try:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [(table, connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()) for table in tables]
    finally:
        connection.close()
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def test_it_is_the_same_each_time(sample: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.sqlite"
    again.write_text("something else")
    write_sample(again)
    assert digest(again) == digest(sample)


def test_it_reads_without_warnings(sample: Path) -> None:
    source = load_source(sample)
    assert source.warnings == ()
    assert len(source.tables) == 9
    assert 80_000 < source.row_count < 90_000


def test_it_has_what_relational_sources_have(sample: Path) -> None:
    schema = load_source(sample).schema
    tables = {table.name: table for table in schema}
    keys = [key for table in schema for key in table.foreign_keys]
    assert any(key.table == key.ref_table for key in keys), "a self-reference"
    assert any(len(key.columns) == 2 for key in keys), "a composite foreign key"
    assert tables["book_author"].primary_key == ("book_id", "author_id"), "a many-to-many"
    connection = apsw.Connection(str(sample))
    try:
        for column in ("author.born", "book.price", "customer.email", "purchase.shipped_on", "refund.reason"):
            table, name = column.split(".")
            missing = connection.execute(f"SELECT count(*) FROM {table} WHERE {name} IS NULL").fetchall()[0][0]
            assert missing > 0, column
    finally:
        connection.close()
