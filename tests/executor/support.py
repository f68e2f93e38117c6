"""Running a plan on both sides."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import assume

from app.budget import RowLimit
from app.errors import IntegerOverflowError, OracleError
from app.executor.comparison import Comparison, compare_rows
from app.executor.executor import CompiledPlan, GraphExecutor
from app.executor.limits import QueryLimits
from app.graph.g0 import build_initial_graph, match_references
from app.graph.property_graph import PropertyGraph
from app.oracle.sqlite_oracle import OracleAnswer, SqliteOracle
from app.workload.binding import bind_plan
from app.workload.bound import BoundPlan
from app.workload.parsing import parse_plan
from app.workload.plan import Plan
from app.workload.stored_types import stored_types
from tests.support.sql_tables import SqlTables, sql_tables

WIDE = QueryLimits(RowLimit(5_000_000))


@dataclass(frozen=True)
class Source:
    """A source read back from SQL, with its G0 and an oracle."""

    tables: SqlTables

    @classmethod
    def of(cls, sql: str) -> "Source":
        return cls(sql_tables(sql))

    @cached_property
    def graph(self) -> PropertyGraph:
        tables = self.tables
        return build_initial_graph(tables.schema, tables.tables, match_references(tables.schema, tables.tables))

    @cached_property
    def oracle(self) -> SqliteOracle:
        return SqliteOracle.over_image(self.tables.image)

    def bind(self, plan: Plan | dict[str, Any]) -> BoundPlan:
        parsed = plan if isinstance(plan, Plan) else parse_plan({"id": "q", "question": "?", **plan})
        return bind_plan(parsed, self.tables.schema, stored_types(self.tables.tables))

    def compile(self, plan: Plan | dict[str, Any], graph: PropertyGraph | None = None) -> CompiledPlan:
        return GraphExecutor(graph or self.graph, WIDE).compile(self.bind(plan))

    def rows(self, plan: dict[str, Any], graph: PropertyGraph | None = None) -> list[tuple[Any, ...]]:
        """The executor's rows, after they were found equal to the oracle's."""
        compiled = self.compile(plan, graph)
        expected = self.oracle.answers(compiled.plan).rows
        comparison = compare_rows(compiled.plan, expected, compiled.run().rows())
        assert comparison.passed, (comparison, compiled.explain())
        return compiled.run().rows()


def finite(tables: SqlTables) -> SqlTables:
    """A source that stores an infinity is none."""
    cells = (cell for table in tables.tables.values() for column in table.columns.values() for cell in column.to_list())
    assume(all(not isinstance(cell, float) or math.isfinite(cell) for cell in cells))
    return tables


def oracle_answer(source: Source, bound: BoundPlan) -> OracleAnswer | None:
    """The oracle's answer; None for sums that SQLite refuses, or that overflow to infinity."""
    try:
        return source.oracle.answers(bound)
    except (IntegerOverflowError, OracleError):
        return None


def check_plan(source: Source, plan: Plan, graphs: Sequence[PropertyGraph]) -> None:
    """Each graph answers the plan as the oracle does, twice from one compilation."""
    bound = source.bind(plan)
    expected = oracle_answer(source, bound)
    if expected is None:
        return
    for graph in graphs:
        compiled = GraphExecutor(graph, WIDE).compile(bound)
        for _ in range(2):
            comparison: Comparison = compare_rows(bound, expected.rows, compiled.run().rows())
            assert comparison.passed, (comparison, compiled.explain(), plan.normalised())
