"""One class for each engine: it answers bound plans with full answers as Python rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import apsw

from app.budget import RowLimit
from app.executor.plan.limits import QueryLimits
from app.executor.run.executor import GraphExecutor
from app.graph.model.property_graph import PropertyGraph
from app.oracle.compile_sql import compile_sql, quoted
from app.workload.bound import BoundPlan

Rows = list[tuple[Any, ...]]
Query = Callable[[], Rows]


@dataclass(frozen=True)
class Data:
    """A source as a SQLite file and as its G0."""

    image: Path
    graph: PropertyGraph


class Engine(Protocol):
    """Prepares a plan once; the query that comes back may run any number of times."""

    name: str

    def prepare(self, plan: BoundPlan) -> Query:
        """The plan, prepared."""


class Graphwright:
    """GraphExecutor over G0."""

    name = "graphwright"

    def __init__(self, data: Data) -> None:
        self._executor = GraphExecutor(data.graph, QueryLimits(RowLimit(50_000_000), 600.0))
        self.preparation_seconds = 0.0

    def prepare(self, plan: BoundPlan) -> Query:
        workload = self._executor.prepare([plan])
        self.preparation_seconds += workload.preparation_seconds
        compiled = workload.plans[0]
        return lambda: compiled.run().rows()


class Sqlite:
    """SQLite in memory, with keys and foreign keys indexed, analysed; statements come from apsw's cache."""

    name = "sqlite"

    def __init__(self, data: Data) -> None:
        self._connection = apsw.Connection(":memory:")
        self._connection.deserialize("main", data.image.read_bytes())
        for schema in data.graph.row_tables:
            for number, key in enumerate(schema.foreign_keys):
                columns = ", ".join(map(quoted, key.columns))
                name = quoted(f"bench_{schema.name}_{number}")
                self._connection.execute(f"CREATE INDEX {name} ON {quoted(schema.name)} ({columns})")
        self._connection.execute("ANALYZE")

    def prepare(self, plan: BoundPlan) -> Query:
        sql, parameters = compile_sql(plan)
        execute = self._connection.execute
        return lambda: execute(sql, parameters).fetchall()


def engines(data: Data) -> tuple[list[Engine], list[str]]:
    """The engines that are installed, Graphwright first, and the names of those that are not."""
    from scripts.benchmarks.peers import PEERS

    found: list[Engine] = [Graphwright(data), Sqlite(data)]
    missing: list[str] = []
    for name, make in PEERS.items():
        try:
            found.append(make(data))
        except ImportError:
            missing.append(name)
    return found, missing


def arrow_tables(graph: PropertyGraph, names: Sequence[str]) -> dict[str, Any]:
    """The rows of these tables as pyarrow tables, for engines that load those."""
    import pyarrow as pa

    return {
        name: pa.table({key: _arrow(column) for key, column in graph.rows_of(name).columns.items()}) for name in names
    }


def _arrow(column: Any) -> Any:
    import pyarrow as pa

    if column.dictionary is None:
        return pa.array(column.values, mask=column.nulls)
    codes = pa.array(column.values, mask=column.nulls)
    return column.texts.entries.take(codes).cast(pa.string())
