"""Engines that may be missing: DuckDB and ladybug, both with one thread."""

import re
from collections.abc import Callable
from typing import Any

from app.oracle.compile_sql import compile_sql, quoted
from app.workload.bound import BoundPlan
from scripts.benchmarks.cypher import cypher_of, edge_type
from scripts.benchmarks.engines import Data, Engine, Query, arrow_tables

_COLLATE = re.compile(r" COLLATE [A-Z]+")


class DuckDb:
    """DuckDB in memory; each plan is a prepared statement.

    Keys are not indexed: with a primary key even lookups by it took twice as long.
    """

    name = "duckdb"

    def __init__(self, data: Data) -> None:
        import duckdb

        self._connection = duckdb.connect(":memory:")
        self._connection.execute("SET threads = 1")
        self._connection.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")
        names = [schema.name for schema in data.graph.row_tables]
        for name, rows in arrow_tables(data.graph, names).items():
            self._connection.register("loaded", rows)
            self._connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM loaded")
            self._connection.unregister("loaded")
        self._prepared = 0

    def prepare(self, plan: BoundPlan) -> Query:
        sql, parameters = compile_sql(plan)
        self._prepared += 1
        name = f"plan_{self._prepared}"
        self._connection.execute(f"PREPARE {name} AS {_COLLATE.sub('', sql)}")
        call = f"EXECUTE {name}" + (f"({', '.join(map(_literal, parameters))})" if parameters else "")
        execute = self._connection.execute
        return lambda: execute(call).fetchall()


def _literal(value: int | float | str) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


class Ladybug:
    """Ladybug in memory: tables are nodes, foreign keys are edges; each plan is a prepared statement."""

    name = "ladybug"

    def __init__(self, data: Data) -> None:
        import ladybug

        self._database = ladybug.Database(":memory:")
        self._connection = ladybug.Connection(self._database, num_threads=1)
        self._graph = data.graph
        for schema in data.graph.row_tables:
            self._load_nodes(schema.name)
        for schema in data.graph.row_tables:
            for number, key in enumerate(schema.foreign_keys):
                self._load_edges(edge_type(schema, number), key)

    def _load_nodes(self, name: str) -> None:
        loaded = arrow_tables(self._graph, [name])[name]
        schema = self._graph.rows_of(name).schema
        assert schema is not None
        key = schema.primary_key[0]
        types = {"int64": "INT64", "double": "DOUBLE", "string": "STRING"}
        columns = ", ".join(f"`{field.name}` {types[str(field.type)]}" for field in loaded.schema)
        self._connection.execute(f"CREATE NODE TABLE `{name}` ({columns}, PRIMARY KEY (`{key}`))")
        self._connection.execute(f"COPY `{name}` FROM loaded")

    def _load_edges(self, name: str, key: Any) -> None:
        import pyarrow as pa

        edges = self._graph.foreign_key_edges(key)
        ends = (key.table, key.ref_table)
        keys = [self._graph.rows_of(table) for table in ends]
        columns = [node.columns[node.schema.primary_key[0]].values for node in keys if node.schema]
        loaded = pa.table({"from": columns[0][edges.sources], "to": columns[1][edges.targets]})
        self._connection.execute(f"CREATE REL TABLE `{name}` (FROM `{ends[0]}` TO `{ends[1]}`)")
        self._connection.execute(f"COPY `{name}` FROM loaded")
        del loaded

    def prepare(self, plan: BoundPlan) -> Query:
        text, parameters = cypher_of(plan, self._graph)
        statement = self._connection.prepare(text)
        execute = self._connection.execute

        def run() -> list[tuple[Any, ...]]:
            result = execute(statement, parameters)
            rows = list(map(tuple, result.get_all()))
            result.close()
            return rows

        return run


PEERS: dict[str, Callable[[Data], Engine]] = {"duckdb": DuckDb, "ladybug": Ladybug}
