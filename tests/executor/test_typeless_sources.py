"""Graph and oracle agree without affinities: JSON scalars, booleans, and empty texts that reference nothing."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.graph.checks.integrity import SourceIntegrity
from app.graph.document.order import IdentifiedGraph
from app.graph.document.reader import read_document
from app.graph.document.writer import write_document
from app.graph.g0 import match_references
from tests.executor.support import Source, check_plan, with_entities
from tests.support.random_plans import random_plans
from tests.support.sql_tables import SqlTables
from tests.support.typeless_source import typeless_sources


@given(st.data(), typeless_sources())
def test_g0_answers_as_the_oracle(data: st.DataObject, tables: SqlTables) -> None:
    source = Source(tables)
    graphs = [source.graph, with_entities(source.graph, "c", "v0")]
    for _ in range(4):
        check_plan(source, data.draw(random_plans(tables.schema, tables.tables)), graphs)


@pytest.mark.parametrize("kind", ["inner", "left"])
@pytest.mark.parametrize("direction", ["forward", "reverse"])
@given(tables=typeless_sources())
def test_joins_leave_out_empty_references(direction: str, kind: str, tables: SqlTables) -> None:
    (key,) = tables.schema.table("c").foreign_keys
    start, end = ("c", "p") if direction == "forward" else ("p", "c")
    join = {"from": "t0", "table": end, "alias": "t1", "foreign_key": key.to_dict(), "direction": direction}
    Source(tables).rows(
        {
            "root": {"table": start, "alias": "t0"},
            "joins": [{**join, "type": kind}],
            "projection": ["t0.v0", f"t0.{tables.schema.table(start).column_names[0]}", "t1.v0"],
        }
    )


@given(typeless_sources())
def test_the_document_keeps_what_an_empty_reference_means(tables: SqlTables) -> None:
    source, file = Source(tables), io.BytesIO()
    write_document(IdentifiedGraph.of(source.graph), file)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "graph.json"
        path.write_bytes(file.getvalue())
        graph = read_document(path)

    references = match_references(tables.schema, tables.tables)
    if all(table.row_count for table in tables.tables.values()):
        assert SourceIntegrity(tables.schema, tables.tables, references).errors(graph) == []


@given(typeless_sources())
def test_empty_references_are_neither_edges_nor_dangling(tables: SqlTables) -> None:
    references = match_references(tables.schema, tables.tables)
    child = tables.tables["c"]
    (key,) = child.schema.foreign_keys
    dangling = {int(row) for found in references.dangling() for row in found.rows}
    for row, pointer in enumerate(references.pointers[key].tolist()):
        parts = [(child.schema.column(name), child.columns[name].cell(row)) for name in key.columns]
        missing = any(cell is None or (cell == "" and column.empty_is_missing) for column, cell in parts)
        if missing:
            assert pointer < 0
            assert row not in dangling
        else:
            assert (row in dangling) == (pointer < 0)
