"""Every candidate that the rules propose answers random plans as SQLite does, and loses nothing of a random source."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, reject
from hypothesis import strategies as st

from app.errors import CellInvalidError
from app.evolution.rules import propose
from app.graph.checks.integrity import SourceIntegrity
from app.graph.document.order import IdentifiedGraph
from app.graph.document.read_back import check_document
from app.graph.document.reader import read_document
from app.graph.document.writer import write_document
from app.graph.g0 import match_references
from app.graph.model.property_graph import PropertyGraph
from app.sources.files.input_file import InputFile
from app.sources.load import load_source
from app.transform.registry import strategy_named
from tests.executor.support import Source, check_plan
from tests.support.random_plans import random_plans
from tests.support.random_source import random_sources
from tests.support.sql_tables import SqlTables

PLANS = 3
CANDIDATES = 3


def round_trip(graph: PropertyGraph) -> PropertyGraph:
    document = IdentifiedGraph.of(graph)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "graph.json"
        with path.open("wb") as file:
            write_document(document, file)
        check_document(document, path)
        return read_document(path)


def parts(graph: PropertyGraph) -> dict[str, str]:
    """The digest of each table, so that a failure names what differs."""
    nodes = {f"nodes {label}": table.digest for label, table in graph.node_tables.items()}
    edges = {f"edges {e.type} {e.source_label} {e.mark.properties()}": e.digest for e in graph.edge_tables}
    return {"graph": graph.digest, **nodes, **edges}


def loaded(script: str) -> SqlTables:
    """A script read by the real loader; what it refuses (an infinity) is not a source."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "source.sql"
        path.write_text(script, encoding="utf-8", newline="")
        try:
            source = load_source(path)
        except CellInvalidError:
            reject()
    assert not isinstance(source.image, InputFile)
    return SqlTables(source.schema, source.tables, source.image)


@given(st.data())
def test_candidates_are_whole_and_answer_as_the_oracle(data: st.DataObject) -> None:
    source = Source(loaded(data.draw(random_sources()).script))
    tables = source.tables
    integrity = SourceIntegrity(tables.schema, tables.tables, match_references(tables.schema, tables.tables))
    plans = [data.draw(random_plans(tables.schema, tables.tables)) for _ in range(PLANS)]
    bound = [source.bind(plan) for plan in plans]
    before = source.graph.digest
    candidates = [source.graph]
    for proposal in propose(source.graph, bound, {plan.id: 1.0 for plan in bound}, min_speedup=0.0)[:CANDIDATES]:
        strategy = strategy_named(proposal.tool)
        candidates.append(strategy.apply(source.graph, strategy.parse(proposal.arguments)))
    for candidate in candidates:
        assert integrity.errors(candidate) == []
        assert parts(round_trip(candidate)) == parts(candidate)
    for plan in plans:
        check_plan(source, plan, candidates)
    assert source.graph.digest == before
