"""Random sequences of strategies on random sources: the graph always says what the source says."""

from collections.abc import Sequence
from typing import Any

from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from app.errors import TransformError
from app.graph.checks.integrity import SourceIntegrity
from app.graph.g0 import match_references
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.rows import resolve_rows
from app.tables.comparison import differing
from app.transform.registry import strategy_named
from app.transform.strategy import Strategy
from tests.evolution.test_differential import loaded, parts, round_trip
from tests.executor.support import Source, check_plan
from tests.support.bridge_source import bridge_scripts
from tests.support.random_plans import random_plans
from tests.support.random_source import random_sources
from tests.support.random_transform import random_transformations

PLANS = 2


class Transformations(RuleBasedStateMachine):
    """The graph after each step, its parent, and plans that all of them answer."""

    source: Source
    graph: PropertyGraph

    @initialize(data=st.data())
    def load(self, data: st.DataObject) -> None:
        self.source = Source(
            loaded(data.draw(st.one_of(random_sources().map(lambda made: made.script), bridge_scripts())))
        )
        self.tables = self.source.tables
        references = match_references(self.tables.schema, self.tables.tables)
        self.integrity = SourceIntegrity(self.tables.schema, self.tables.tables, references)
        self.plans = [data.draw(random_plans(self.tables.schema, self.tables.tables)) for _ in range(PLANS)]
        self.graph = self.source.graph
        self.changed = True

    @rule(data=st.data())
    def transform(self, data: st.DataObject) -> None:
        tool, arguments = data.draw(random_transformations(self.graph))
        strategy = strategy_named(tool)
        parent, before = self.graph, parts(self.graph)
        try:
            parsed = strategy.parse(arguments)
            self.graph = strategy.apply(parent, parsed)
            assert (strategy.signature(parent, parsed) is None) <= (tool in ("transform_batch", "optimize_graph"))
        except TransformError as error:
            note(f"{tool}: {error.where['reason']}: {error.message}")
            return
        finally:
            assert parts(parent) == before
        self.check_added_sizes(parent, strategy.steps(parsed))
        assert self.integrity.errors(self.graph, checked=parent) == self.integrity.errors(self.graph) == []
        self.changed = True

    def check_added_sizes(self, graph: PropertyGraph, steps: Sequence[tuple[Strategy[Any], Any]]) -> None:
        """No step adds less than it tells beforehand to what it keeps."""
        for step, arguments in steps:
            kept = graph if step.keeps_paths else graph.without_paths()
            added = step.added_size(graph, arguments)
            graph = step.apply(graph, arguments)
            assert kept.node_count + kept.edge_count + added <= graph.node_count + graph.edge_count or not added

    @invariant()
    def is_whole(self) -> None:
        if not self.changed:
            return
        self.changed = False
        for table in self.tables.schema:
            held, source = resolve_rows(self.graph, table.name), self.tables.tables[table.name]
            assert held.row_count == source.row_count
            assert not any(differing(held.columns[name], source.columns[name]).any() for name in table.column_names)
        assert parts(round_trip(self.graph)) == parts(self.graph)
        for plan in self.plans:
            check_plan(self.source, plan, [self.graph])


TestTransformations = Transformations.TestCase
TestTransformations.settings = settings(stateful_step_count=8, max_examples=settings().max_examples // 3)
