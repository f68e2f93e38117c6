"""Publishing a graph: checked before the first write, written, counted in the database, and only then visible."""

from collections import Counter

from app.errors import PublishError
from app.graph.model.property_graph import PropertyGraph
from app.store.publish.checks import check_publishable
from app.store.publish.writer import write_graph
from app.store.servers.cypher_text import filled, quoted
from app.store.servers.server import Counts, Neo4jServer, Receipt, Replacement, Run


def publish(server: Neo4jServer, graph: PropertyGraph, name: str, *, evict: bool = False) -> Receipt:
    """Let `graph` take the place of whatever is published as `name`; at any failure the old graph stays.

    `GraphInvalidError` before the first write if the graph contradicts itself or cannot be said in Neo4j.
    """
    check_publishable(graph)
    expected = expected_counts(graph)

    def write(run: Run) -> Counts:
        write_graph(graph, run)
        found = counts_in(run, expected)
        check_counts(name, expected, found)
        return found

    elements = expected.nodes + expected.edges
    return server.replace(Replacement(name, graph.digest, elements, write), evict=evict)


def expected_counts(graph: PropertyGraph) -> Counts:
    """What a database with exactly this graph must hold."""
    by_type: Counter[str] = Counter()
    for edges in graph.edge_tables:
        by_type[edges.type] += len(edges)
    by_label = {label: table.count for label, table in graph.node_tables.items()}
    return Counts(graph.node_count, graph.edge_count, by_label, dict(by_type))


def counts_in(run: Run, expected: Counts) -> Counts:
    """What the database says it holds, in all and for each expected label and type."""
    labels = [filled("count_label", LABEL=quoted(label)) for label in expected.nodes_by_label]
    types = [filled("count_type", TYPE=quoted(name)) for name in expected.edges_by_type]
    nodes = int(run(filled("count_nodes"), {})[0][0])  # by itself: a runner may leave a node of its own out of it
    rows = run.each((statement, {}) for statement in [filled("count_edges"), *labels, *types])
    edges, *others = (int(row[0][0]) for row in rows)
    by_label = dict(zip(expected.nodes_by_label, others[: len(labels)], strict=True))
    by_type = dict(zip(expected.edges_by_type, others[len(labels) :], strict=True))
    return Counts(nodes, edges, by_label, by_type)


def check_counts(name: str, expected: Counts, found: Counts) -> None:
    """Raise `PublishError` if the database holds something else than was written."""
    if found != expected:
        raise PublishError(
            f"After writing {name} the database holds {found.nodes:,} nodes and {found.edges:,} edges instead of "
            f"{expected.nodes:,} and {expected.edges:,}.",
            hint="Something else is writing to this database; the graph published before is unchanged.",
            graph=name,
        )
