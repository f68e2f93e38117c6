"""Whole cases: SQL text in, G0, Neo4j, and the questions that a user asks of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import CypherRefusedError, PublishError
from app.graph.g0 import build_initial_graph, match_references
from app.graph.model.property_graph import PropertyGraph
from app.sources.load import load_source
from app.store.embedded.server import EmbeddedServer
from app.store.publish.publish import publish
from app.store.publish.writer import write_graph
from app.store.read.read import read_cypher
from app.store.servers.server import Counts, Neo4jServer, Replacement, Run, Slot
from app.store.skeleton.skeleton import build_skeleton
from tests.support.music_shop import MusicShop

CASES = Path(__file__).parent.parent / "cases"


def initial_graph(path: Path) -> PropertyGraph:
    source = load_source(path)
    return build_initial_graph(source.schema, source.tables, match_references(source.schema, source.tables))


@pytest.fixture(scope="module")
def odd(embedded: EmbeddedServer) -> Iterator[Slot]:
    publish(embedded, initial_graph(CASES / "24-neo4j-names" / "input.sql"), "odd names")
    with embedded.slot("odd names") as slot:
        yield slot


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("MATCH (n) RETURN count(n)", (10,)),
        ("MATCH ()-[r]->() RETURN count(r)", (4,)),
        ("MATCH (n:`medical condition`) RETURN count(n)", (2,)),
        ("MATCH (n:`x``) DETACH DELETE (y`) RETURN sum(n.n)", (30,)),
        (
            "MATCH (p:person {id: 1}) RETURN p.`full name`, p.`located-at`, p.`a.b`, p.`tick``mark`",
            ("Person A", "Town A", 7, "t1"),
        ),
        ("MATCH (p:person {id: 3}) UNWIND keys(p) AS k WITH k ORDER BY k RETURN collect(k)", (["full name", "id"],)),
        ("MATCH (n:`table/with/slash.csv` {`1st`: 5}) RETURN n.`名前`", ("甲",)),
        ("MATCH (p:person)-[]->(:`medical condition` {name: 'asthma'}) RETURN count(p)", (2,)),
        ("MATCH (o:order)-->(p:person) WHERE NOT (p)-->(:`medical condition`) RETURN collect(o.id)", ([2],)),
        ("MATCH (o:order {id: 1}) RETURN o.match", ("MATCH (n) RETURN n",)),
    ],
)
def test_odd_names_are_kept_as_they_are(odd: Slot, query: str, row: tuple[object, ...]) -> None:
    assert read_cypher(odd, query).rows == (row,)


def test_an_arrow_turned_round_is_not_passed_on_as_the_answer(odd: Slot) -> None:
    ((kind,),) = read_cypher(odd, "MATCH (:person)-[r]->(:`medical condition`) RETURN DISTINCT type(r)").rows
    turned = f"MATCH (:`medical condition` {{name: 'asthma'}})-[:`{kind}`]->(p:person) RETURN count(p)"
    result = read_cypher(odd, turned)
    assert result.rows == ((0,),)
    assert "turn the arrow round" in result.hints[0]


AIRPORTS = {"airport": 3, "airline": 3, "flight": 4, "remark": 5}


def counts_of(server: Neo4jServer, name: str) -> tuple[object, object]:
    with server.slot(name) as slot:
        nodes = dict(slot.rows("MATCH (n) RETURN labels(n)[0], count(n)"))
        return nodes, slot.rows("MATCH ()-[r]->() RETURN count(r)")[0][0]


def test_publishing_again_and_after_a_break_gives_the_same_graph(server: Neo4jServer, name: str) -> None:
    graph = initial_graph(CASES / "26-neo4j-republish" / "input.sql")
    for _ in range(2):
        receipt = publish(server, graph, name)
        assert (receipt.nodes, receipt.edges) == (15, 14)
        assert counts_of(server, name) == (AIRPORTS, 14)

    def broken(run: Run) -> Counts:
        write_graph(graph, run)
        raise PublishError("broken off")

    with pytest.raises(PublishError, match="broken off"):
        server.replace(Replacement(name, "sha", 29, broken))
    assert counts_of(server, name) == (AIRPORTS, 14)
    publish(server, graph, name)
    assert counts_of(server, name) == (AIRPORTS, 14)
    with server.slot(name) as slot:
        kinds = slot.rows("MATCH (:flight {id: 3})-[r]->(:airport {id: 2}) RETURN type(r) AS type ORDER BY type")
        assert len(kinds) == len({kind for (kind,) in kinds}) == 2
        for query in (
            "MATCH (f:flight) DETACH DELETE f",
            "CALL { CREATE (:X) } RETURN 1",
            "FOREACH (i IN [1] | CREATE (:X))",
            "LOAD CSV FROM 'file:///x' AS line CREATE (:X)",
        ):
            with pytest.raises(CypherRefusedError):
                read_cypher(slot, query)
    assert counts_of(server, name) == (AIRPORTS, 14)


def test_a_music_shop(embedded: EmbeddedServer, music_shop: MusicShop) -> None:
    receipt = publish(embedded, initial_graph(music_shop.image), "music")
    assert (receipt.nodes, receipt.edges, 0) == music_shop.counts
    with embedded.slot("music") as slot:
        text = build_skeleton(slot)
    table, rows = max(music_shop.rows.items(), key=lambda item: item[1])
    assert f"{table} (n={rows})\n" in text
    assert all(f"({music_shop.references[key]} edges)\n" in text for key in music_shop.references if key[0] == table)
