"""Running a plan on both sides."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from hypothesis import assume

from app.budget import RowLimit
from app.errors import IntegerOverflowError, OracleError
from app.executor.plan.limits import QueryLimits
from app.executor.run.comparison import AnswerComparison, compare_rows
from app.executor.run.executor import CompiledPlan, GraphExecutor
from app.graph.derivation.paths import PathStep, enumerate_paths
from app.graph.g0 import build_initial_graph, match_references
from app.graph.marks.attribute import ExtractedAttributeMark
from app.graph.marks.materialized_path import MaterializedPathMark
from app.graph.model.node_table import ENTITY_VALUE, NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.oracle.sqlite_oracle import OracleAnswer, SqliteOracle
from app.transform.strategies.generate_entity_table import distinct_values
from app.workload.binding.bind import bind_plan
from app.workload.binding.cell_types import cell_types
from app.workload.binding.parsing import parse_plan
from app.workload.bound import BoundPlan
from app.workload.plan import Plan
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
        return bind_plan(parsed, self.tables.schema, cell_types(self.tables.tables))

    def compile(self, plan: Plan | dict[str, Any], graph: PropertyGraph | None = None) -> CompiledPlan:
        return GraphExecutor(graph or self.graph, WIDE).compile(self.bind(plan))

    def rows(self, plan: dict[str, Any], graph: PropertyGraph | None = None) -> list[tuple[Any, ...]]:
        """The executor's rows, after they were found equal to the oracle's."""
        compiled = self.compile(plan, graph)
        expected = self.oracle.answers(compiled.plan).rows
        comparison = compare_rows(compiled.plan, expected, compiled.run().rows())
        assert comparison.passed, (comparison, compiled.physical_plan)
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
            comparison: AnswerComparison = compare_rows(bound, expected.rows, compiled.run().rows())
            assert comparison.passed, (comparison, compiled.physical_plan, plan.normalised())


def with_entities(graph: PropertyGraph, table: str, column: str) -> PropertyGraph:
    """The graph with attribute entities of a column, as long as it has a value."""
    cells = graph.rows_of(table).columns[column]
    if cells.null_count() == len(cells):
        return graph
    values, sources, targets = distinct_values(cells)
    label = f"{table}.{column} value"
    nodes = NodeTable(label, len(values), {ENTITY_VALUE: values})
    mark = ExtractedAttributeMark(table, column)
    edges = EdgeTable(f"HAS {label}", graph.rows_of(table).label, label, sources, targets, mark)
    return graph.with_tables([nodes], [edges])


def with_path(graph: PropertyGraph, steps: tuple[PathStep, ...], keep: int | None = None) -> PropertyGraph:
    """The graph with a materialized path, or only with its first `keep` edges."""
    stops = enumerate_paths(graph, steps, RowLimit(5_000_000))
    sources, *inner, targets = (stop[:keep] for stop in stops)
    ends = (graph.rows_of(steps[0].source_table).label, graph.rows_of(steps[-1].target_table).label)
    edges = EdgeTable(
        f"PATH {len(graph.edge_tables)}", *ends, sources, targets, MaterializedPathMark(steps, tuple(inner))
    )
    return graph.with_tables(edges=[edges])


def medium_source(rows: int = 3_000) -> Source:
    """A source that is large enough for indexes, folding, hashing and partial selection; the same each time."""
    random = Random(7)

    def literal(value: object) -> str:
        return "NULL" if value is None else repr(value)

    def rarely(value: object) -> object:
        return None if random.random() < 0.05 else value

    parents, middles = rows // 20, rows // 5
    tables = {
        "parent": [
            (i, random.choice(["a", "A", "b", "B ", "ä"]), rarely(random.randint(-5, 5)), rarely(random.random() - 0.5))
            for i in range(1, parents + 1)
        ],
        "middle": [
            (f"m{i}", rarely(random.randint(1, parents + 2)), random.choice(["x", "X", "y ", "y"]), rarely(i % 7))
            for i in range(middles)
        ],
        "leaf": [
            (
                i * 3,
                rarely(f"m{random.randint(0, middles + 2)}"),
                rarely(random.choice([1, 1.0, 2, "two", "2"])),
                rarely(random.randint(-(10**6), 10**6)),
                random.choice([1e15, -1e15, 0.25, 3.5]),
                f"text {random.randint(0, rows)}",
            )
            for i in range(rows)
        ],
    }
    statements = [
        "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, n INTEGER, r REAL)",
        "CREATE TABLE middle (code TEXT PRIMARY KEY NOT NULL, p INTEGER REFERENCES parent(id),"
        " t TEXT COLLATE RTRIM, k INT)",
        "CREATE TABLE leaf (id INTEGER PRIMARY KEY, m TEXT REFERENCES middle(code), x, big INTEGER, r REAL, t TEXT)",
    ]
    for name, cells in tables.items():
        statements += [f"INSERT INTO {name} VALUES ({', '.join(map(literal, row))})" for row in cells]
    return Source.of(";\n".join(statements))
