"""Three ways to write a graph into an open, empty database: ours, a hand-written MERGE loop, and neo4j-graphrag's."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

import neo4j

from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.store.publish.publish import publish
from app.store.servers.cypher_text import quoted
from app.store.servers.runners import BatchRunner
from app.store.servers.server import Receipt, Replacement
from scripts.benchmarks.neo4j_store import DATABASE

GRAPHRAG = "neo4j-graphrag"
BATCH = 1_000
KEY = "id"
"""The primary key of every table."""

Write = Callable[[neo4j.Driver], None]
Engine = Callable[[PropertyGraph], Write]
"""Makes everything ready that needs no server."""


def installed_engines(*, has_apoc: bool) -> dict[str, Engine]:
    """The engines by name, ours first; a line on standard error for what is missing."""
    engines: dict[str, Engine] = {"graphwright": _graphwright, "MERGE loop": _merge_loop}
    if find_spec("neo4j_graphrag") is None:
        print(f"{GRAPHRAG} is not installed and left out.", file=sys.stderr)
        return engines
    if not has_apoc:
        print(f"Without APOC {GRAPHRAG}'s writer leaves all edges out.", file=sys.stderr)
    return {**engines, GRAPHRAG: _graphrag}


class _OpenStore:
    """The one thing that `publish` asks of a server, done to a database that is open and empty."""

    def __init__(self, driver: neo4j.Driver) -> None:
        self._driver = driver

    def replace(self, replacement: Replacement, *, evict: bool = False) -> Receipt:  # noqa: ARG002
        counts = replacement.write(BatchRunner(self._driver, DATABASE))
        return Receipt(replacement.name, "", DATABASE, "", replacement.graph_sha256, **asdict(counts))


def _graphwright(graph: PropertyGraph) -> Write:
    def write(driver: neo4j.Driver) -> None:
        publish(_OpenStore(driver), graph, "bench")

    return write


def _merge_loop(graph: PropertyGraph) -> Write:
    """What a user would write: keys made unique, nodes merged by key, relationships merged between matched nodes."""
    labels = list(graph.node_tables)
    constraints = [f"CREATE CONSTRAINT FOR (n:{quoted(label)}) REQUIRE n.{KEY} IS UNIQUE" for label in labels]
    work = [(_node_statement(label), list(_node_rows(graph, label))) for label in labels]
    work += [(_edge_statement(edges), _edge_rows(graph, edges)) for edges in graph.edge_tables]

    def write(driver: neo4j.Driver) -> None:
        with driver.session(database=DATABASE) as session:
            for statement in constraints:
                session.run(statement).consume()
            for statement, rows in work:
                for start in range(0, len(rows), BATCH):
                    session.execute_write(_consume, statement, rows[start : start + BATCH])

    return write


def _consume(transaction: neo4j.ManagedTransaction, statement: str, rows: list[dict[str, Any]]) -> None:
    transaction.run(statement, rows=rows).consume()


def _node_statement(label: str) -> str:
    return f"UNWIND $rows AS row MERGE (n:{quoted(label)} {{{KEY}: row.{KEY}}}) SET n += row"


def _edge_statement(edges: EdgeTable) -> str:
    ends = ((edges.source_label, "source"), (edges.target_label, "target"))
    matches = [f"MATCH ({end}:{quoted(label)} {{{KEY}: row.{end}}})" for label, end in ends]
    return f"UNWIND $rows AS row {' '.join(matches)} MERGE (source)-[:{quoted(edges.type)}]->(target)"


def _node_rows(graph: PropertyGraph, label: str) -> Iterator[dict[str, Any]]:
    """The nodes of a table as dicts, without what is NULL."""
    columns = graph.node_tables[label].columns
    for cells in zip(*(column.to_list() for column in columns.values()), strict=True):
        yield {name: cell for name, cell in zip(columns, cells, strict=True) if cell is not None}


def _edge_rows(graph: PropertyGraph, edges: EdgeTable) -> list[dict[str, int]]:
    sources = _keys(graph, edges.source_label)[edges.sources].tolist()
    targets = _keys(graph, edges.target_label)[edges.targets].tolist()
    return [{"source": source, "target": target} for source, target in zip(sources, targets, strict=True)]


def _keys(graph: PropertyGraph, label: str) -> Any:
    return graph.node_tables[label].columns[KEY].values


def _graphrag(graph: PropertyGraph) -> Write:
    """The writer of neo4j-graphrag with its own batch size; it merges relationships with APOC."""
    from neo4j_graphrag.components.kg_writer import Neo4jWriter
    from neo4j_graphrag.components.types import Neo4jGraph, Neo4jNode, Neo4jRelationship

    nodes = [
        Neo4jNode(id=f"{label} {row[KEY]}", label=label, properties=row)
        for label in graph.node_tables
        for row in _node_rows(graph, label)
    ]
    edges = [
        Neo4jRelationship(
            type=table.type,
            start_node_id=f"{table.source_label} {row['source']}",
            end_node_id=f"{table.target_label} {row['target']}",
        )
        for table in graph.edge_tables
        for row in _edge_rows(graph, table)
    ]
    ready = Neo4jGraph(nodes=nodes, relationships=edges)

    def write(driver: neo4j.Driver) -> None:
        asyncio.run(Neo4jWriter(driver, DATABASE).run(ready))

    return write
