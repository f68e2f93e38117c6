"""A build whose document does not read back as its graph fails, and the old result stays."""

from pathlib import Path
from typing import BinaryIO

import pytest

from app.build import phases
from app.build.options import BuildOptions
from app.errors import DocumentMismatchError
from app.graph.document.order import IdentifiedGraph
from app.graph.document.writer import write_document
from app.sources.load import load_source

SQL = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1,'one'),(2,'two'),(3,NULL);"
OPTIONS = BuildOptions(query_count=3, evolve=False)


def test_a_lost_byte_fails_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, output = tmp_path / "t.sql", tmp_path / "out"
    script.write_text(SQL)
    source = load_source(script)
    phases.build_graph(source, OPTIONS, output)
    before = (output / "graph.json").read_bytes()

    def lossy(document: IdentifiedGraph, file: BinaryIO) -> str:
        sha256 = write_document(document, file)
        file.seek(len(before) // 2)
        file.write(b"?")
        return sha256

    monkeypatch.setattr(phases, "write_document", lossy)
    with pytest.raises(DocumentMismatchError, match=f"at byte {len(before) // 2};"):
        phases.build_graph(source, OPTIONS, output)
    assert (output / "graph.json").read_bytes() == before
    assert (output / "evolution-report.failed.json").exists()
