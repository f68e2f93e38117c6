"""Publishing, on every store: what goes in comes back, whole or not at all."""

import subprocess
import sys

import numpy as np
import pytest

from app.errors import GraphInvalidError, GraphNameError, NotPublishedError, PublishError, StoreInUseError
from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.store.embedded.server import EmbeddedServer
from app.store.publish.publish import expected_counts, publish
from app.store.publish.writer import node_batches, write_graph
from app.store.servers.config import StoreSettings
from app.store.servers.pointer import pointer_folder, read_pointer
from app.store.servers.server import Counts, Neo4jServer, Replacement, Run
from app.tables.column import Column, Kind
from app.tables.schema import ForeignKey
from tests.store.graphs import edge_table, graph_of, named_node_table, node_table, people

ODD_NAMES = [
    "medical condition",
    "x`) DETACH DELETE (y",
    "`",
    "``",
    "a:b",
    "it's",
    'say "x"',
    "two\nlines",
    "back\\slash",
    "\\u0060) DETACH DELETE (n",
    "\\\\u0060",
    "table/with/slash.csv",
    "1st",
    "名前",
    "a.b",
    "$i",
    "{n}",
    "__TYPE__",
    " ",
    "//",
]


def rows(server: Neo4jServer, name: str, statement: str) -> list[list[object]]:
    with server.slot(name) as slot:
        return slot.rows(statement)


def test_values_survive_a_round_trip(server: Neo4jServer, name: str) -> None:
    values = [2**63 - 1, -(2**63), 0, 2**53 + 1, 1.5, -0.0, 1e308, 5e-324, "", "a\0b", "é\u2028😀", True, False, None]
    graph = graph_of(node_table("V", len(values), at=list(range(len(values))), v=values))
    publish(server, graph, name)
    found = [row[0] for row in rows(server, name, "MATCH (n:V) RETURN n.v ORDER BY n.at")]
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_typed_columns_keep_their_types_and_null_cells_are_absent(server: Neo4jServer, name: str) -> None:
    table = node_table(
        "T", 3, i=[1, None, 3], f=[1.0, 2.0, None], b=[None, True, False], t=["x", None, ""], n=[None] * 3
    )
    publish(server, graph_of(table), name)
    found = [row[0] for row in rows(server, name, "MATCH (n:T) RETURN properties(n) ORDER BY id(n)")]
    assert found == [{"i": 1, "f": 1.0, "t": "x"}, {"f": 2.0, "b": True}, {"i": 3, "b": False, "t": ""}]
    assert isinstance(found[0]["f"], float)


def test_odd_names_of_labels_types_and_properties_survive(server: Neo4jServer, name: str) -> None:
    tables = [named_node_table(odd, 2, {odd: ["one", "two"]}) for odd in ODD_NAMES]
    edges = [edge_table(odd, odd, odd, [(0, 1)]) for odd in ODD_NAMES]
    receipt = publish(server, graph_of(*tables, *edges), name)
    assert receipt.nodes_by_label == dict.fromkeys(ODD_NAMES, 2)
    assert receipt.edges_by_type == dict.fromkeys(ODD_NAMES, 1)
    found = rows(server, name, "MATCH (a)-[r]->(b) RETURN labels(a), type(r), properties(b)")
    assert sorted(found) == sorted([[odd], odd, {odd: "two"}] for odd in ODD_NAMES)


def test_parallel_edges_loops_and_bare_nodes_survive(server: Neo4jServer, name: str) -> None:
    graph = graph_of(node_table("A", 3), edge_table("R", "A", "A", [(0, 1), (0, 1), (1, 0), (2, 2), (2, 2)]))
    receipt = publish(server, graph, name)
    assert (receipt.nodes, receipt.edges) == (3, 5)
    assert rows(server, name, "MATCH (a)-[r:R]->(a) RETURN count(r)") == [[2]]
    assert rows(server, name, "MATCH (a)-[r:R]->(b) WHERE a <> b RETURN count(r) ORDER BY count(r)") == [[3]]
    assert rows(server, name, "MATCH (a) RETURN sum(size(keys(a)))") == [[0]]


def test_one_type_in_several_tables_and_empty_tables(server: Neo4jServer, name: str) -> None:
    graph = graph_of(
        node_table("A", 1, id=[1]),
        node_table("B", 2, id=[1, 2]),
        node_table("Nobody", 0, id=[]),
        edge_table("R", "A", "B", [(0, 1)]),
        edge_table("R", "B", "A", [(0, 0), (1, 0)]),
        edge_table("NEVER", "A", "Nobody", []),
    )
    receipt = publish(server, graph, name)
    assert receipt.edges_by_type == {"R": 3, "NEVER": 0}
    assert receipt.nodes_by_label == {"A": 1, "B": 2, "Nobody": 0}


def test_more_nodes_and_edges_than_a_batch(server: Neo4jServer, name: str) -> None:
    graph = people(50_001)
    receipt = publish(server, graph, name)
    assert (receipt.nodes, receipt.edges) == (50_001, 50_001)
    ends = "MATCH (a:Person)-[:KNOWS]->(b:Person) WHERE b.id <> (a.id + 1) % 50001 RETURN count(*)"
    assert rows(server, name, ends) == [[0]]
    assert rows(server, name, "MATCH (a:Person) RETURN count(DISTINCT a.name), max(a.id)") == [[50_001, 50_000]]


def test_publishing_again_doubles_nothing(server: Neo4jServer, name: str) -> None:
    first, second = publish(server, people(), name), publish(server, people(), name)
    assert (second.nodes, second.edges) == (3, 3)
    assert second.revision != first.revision
    assert second.graph_sha256 == first.graph_sha256 == people().digest
    assert rows(server, name, "MATCH (n) RETURN count(n)") == [[3]]


def test_the_receipt_is_kept(server: Neo4jServer, name: str) -> None:
    receipt = publish(server, people(), name)
    assert receipt in server.receipts()
    with server.slot(name) as slot:
        assert (slot.revision, slot.graph) == (receipt.revision, name)


def test_a_failure_midway_leaves_the_old_graph(server: Neo4jServer, name: str) -> None:
    receipt = publish(server, people(), name)

    def write_half(run: Run) -> Counts:
        write_graph(people(10), run)
        raise PublishError("broken off")

    with pytest.raises(PublishError, match="broken off"):
        server.replace(Replacement(name, "sha", 20, write_half))
    assert rows(server, name, "MATCH (n) RETURN count(n)") == [[3]]
    with server.slot(name) as slot:
        assert slot.revision == receipt.revision
    assert publish(server, people(4), name).nodes == 4


def test_counts_that_differ_are_a_failure(server: Neo4jServer, name: str) -> None:
    def write_more(run: Run) -> Counts:
        from app.store.publish.publish import check_counts, counts_in

        write_graph(people(4), run)
        expected = expected_counts(people(3))
        found = counts_in(run, expected)
        check_counts(name, expected, found)
        return found

    with pytest.raises(PublishError, match="holds 4 nodes and 4 edges instead of 3 and 3"):
        server.replace(Replacement(name, "sha", 8, write_more))
    with pytest.raises(NotPublishedError), server.slot(name):
        pass


def dangling() -> PropertyGraph:
    return graph_of(node_table("A", 2, id=[1, 2]), edge_table("R", "A", "A", [(0, 1), (1, 2)]))


def too_wide() -> PropertyGraph:
    values = np.empty(2, object)
    values[:] = ["text", 2**63]
    return graph_of(NodeTable("A", 2, {"v": Column(Kind.MIXED, values)}))


def uneven() -> PropertyGraph:
    return graph_of(node_table("A", 3, v=[1, 2]))


def one_ended() -> PropertyGraph:
    mark = ForeignKeyMark(ForeignKey("A", ("x",), "A", ("id",)))
    edges = EdgeTable("R", "A", "A", np.zeros(2, np.int64), np.zeros(1, np.int64), mark)
    return graph_of(node_table("A", 1), edges)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (dangling(), "1 edges R end at nodes of type A that do not exist"),
        (graph_of(node_table("A", 1), edge_table("R", "A", "B", [])), "nodes of type B that do not exist"),
        (too_wide(), "holds 9223372036854775808, which does not fit 64 bits"),
        (uneven(), "has 2 values for 3 nodes"),
        (one_ended(), "unequal numbers of endpoints"),
        (graph_of(node_table("", 1)), "cannot hold the label ''"),
        (graph_of(named_node_table("A", 1, {"": [1]})), "cannot hold the property name ''"),
        (graph_of(node_table("A", 1), edge_table("a\0b", "A", "A", [])), "cannot hold the relationship type"),
        (graph_of(node_table("x" * 16_384, 1)), "cannot hold the label"),
    ],
)
def test_what_cannot_be_published_is_refused_before_the_first_write(
    embedded: Neo4jServer, name: str, graph: PropertyGraph, message: str
) -> None:
    publish(embedded, people(), name)
    with pytest.raises(GraphInvalidError, match=message):
        publish(embedded, graph, name)
    assert rows(embedded, name, "MATCH (n) RETURN count(n)") == [[3]]


def test_the_longest_name_is_accepted(embedded: Neo4jServer, name: str) -> None:
    assert publish(embedded, graph_of(node_table("x" * 16_383, 1)), name).nodes == 1


def test_batches_are_bounded_in_nodes_and_in_bytes() -> None:
    assert list(node_batches(node_table("A", 0, v=[]))) == []
    assert list(node_batches(node_table("A", 5_000))) == [(0, 2_000), (2_000, 4_000), (4_000, 5_000)]
    wide = node_table("A", 5, v=["x" * 1_500_000] * 2 + ["y" * 9_000_000, "", None])
    assert list(node_batches(wide)) == [(0, 2), (2, 3), (3, 5)]
    mixed = node_table("A", 3, v=["x" * 3_000_000, 1, "z" * 3_000_000])
    assert list(node_batches(mixed)) == [(0, 2), (2, 3)]


def test_large_texts_do_not_exhaust_the_server(embedded: Neo4jServer, name: str) -> None:
    texts = [chr(97 + row % 26) * 1_000_000 for row in range(60)]
    publish(embedded, graph_of(node_table("Page", 60, text=texts)), name)
    assert rows(embedded, name, "MATCH (p:Page) RETURN sum(size(p.text)), count(DISTINCT p.text)") == [[60_000_000, 26]]


def test_a_reader_keeps_the_old_graph_until_it_has_read(embedded: EmbeddedServer, name: str) -> None:
    publish(embedded, people(3), name)
    with embedded.slot(name) as old:
        publish(embedded, people(4), name)
        assert old.rows("MATCH (n) RETURN count(n)") == [[3]]
        assert rows(embedded, name, "MATCH (n) RETURN count(n)") == [[4]]


def test_two_publish_the_same_graph_at_once(embedded: EmbeddedServer, name: str) -> None:
    def publish_again(run: Run) -> Counts:
        with pytest.raises(StoreInUseError, match="Another process is publishing"):
            publish(embedded, people(5), name)
        write_graph(people(4), run)
        return expected_counts(people(4))

    assert embedded.replace(Replacement(name, "sha", 8, publish_again)).nodes == 4
    assert rows(embedded, name, "MATCH (n) RETURN count(n)") == [[4]]


PUBLISHER = """
import sys, time
from pathlib import Path
from app.store.servers.config import StoreSettings
from app.store.embedded.server import EmbeddedServer
from app.store.servers.server import Replacement
from app.store.publish.writer import node_batches, write_graph
from tests.store.graphs import people

def write_and_wait(run):
    write_graph(people(10), run)
    print("written", flush=True)
    time.sleep(300)

server = EmbeddedServer.connect(StoreSettings(Path(sys.argv[1]), Path(sys.argv[2])))
server.replace(Replacement(sys.argv[3], "sha", 20, write_and_wait))
"""


def test_a_publisher_that_is_killed_leaves_the_old_graph(
    embedded: EmbeddedServer, embedded_settings: StoreSettings, name: str
) -> None:
    publish(embedded, people(3), name)
    arguments = [str(embedded_settings.data_dir), str(embedded_settings.cache_dir), name]
    process = subprocess.Popen([sys.executable, "-c", PUBLISHER, *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as output:
        assert output.readline() == b"written\n"
    process.kill()
    process.wait()
    assert rows(embedded, name, "MATCH (n) RETURN count(n)") == [[3]]
    publish(embedded, people(4), name)
    assert rows(embedded, name, "MATCH (n) RETURN count(n)") == [[4]]
    folder = pointer_folder(embedded_settings, name)
    assert [path.name for path in folder.iterdir() if path.is_dir()] == [read_pointer(folder).revision]


@pytest.mark.parametrize("bad", ["", "a\nb", "x" * 121, "\0"])
def test_a_name_that_no_graph_can_have(server: Neo4jServer, bad: str) -> None:
    with pytest.raises(GraphNameError, match="printable text"):
        publish(server, people(), bad)
