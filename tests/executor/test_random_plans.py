"""The executor answers random plans over random sources exactly as SQLite does, on G0 and on transformed graphs."""

from hypothesis import given
from hypothesis import strategies as st

from app.graph.derivation.paths import PathStep
from app.graph.model.property_graph import PropertyGraph
from app.tables.schema import RelationalSchema
from tests.executor.support import Source, check_plan, finite, with_entities, with_path
from tests.support.random_plans import random_plans
from tests.support.random_source import random_sources
from tests.support.sql_tables import sql_tables

PLANS_PER_SOURCE = 4


@given(st.data())
def test_g0_answers_as_the_oracle(data: st.DataObject) -> None:
    source = Source(finite(sql_tables(data.draw(random_sources()).script)))
    for _ in range(PLANS_PER_SOURCE):
        plan = data.draw(random_plans(source.tables.schema, source.tables.tables))
        check_plan(source, plan, [source.graph])


@given(st.data())
def test_transformed_graphs_answer_as_the_oracle(data: st.DataObject) -> None:
    source = Source(finite(sql_tables(data.draw(random_sources(max_tables=3)).script)))
    schema = source.tables.schema
    graph = data.draw(_transformed(source.graph, schema))
    for _ in range(PLANS_PER_SOURCE):
        check_plan(source, data.draw(random_plans(schema, source.tables.tables)), [graph])


@st.composite
def _transformed(draw: st.DrawFn, graph: PropertyGraph, schema: RelationalSchema) -> PropertyGraph:
    """The graph with attribute entities for some columns and all paths of two hops, or of three."""
    for table in schema:
        for column in table.columns:
            if draw(st.booleans()):
                graph = with_entities(graph, table.name, column.name)
    steps = [PathStep(key, forward) for key in schema.foreign_keys for forward in (True, False)]
    for first in steps:
        for second in steps:
            if first.target_table != second.source_table:
                continue
            for third in [None, *(step for step in steps if step.source_table == second.target_table)]:
                if draw(st.booleans()):
                    graph = with_path(graph, (first, second) if third is None else (first, second, third))
    return graph
