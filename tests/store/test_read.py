"""The guarded read: what it refuses, what it lets through, and how answers look."""

import json
from collections.abc import Iterator

import pytest

from app.errors import CypherInvalidError, CypherRefusedError, CypherTimeoutError
from app.store.embedded.server import EmbeddedServer
from app.store.publish.publish import publish
from app.store.read.read import read_cypher
from app.store.servers.server import Slot
from tests.store.graphs import edge_table, graph_of, named_node_table, node_table


@pytest.fixture(scope="module")
def slot(embedded: EmbeddedServer) -> Iterator[Slot]:
    graph = graph_of(
        named_node_table("medical condition", 2, {"id": [1, 2], "name": ["asthma", "migraine"]}),
        named_node_table("person", 3, {"id": [1, 2, 3], "full name": ["Person A", "Person B", "Person C"]}),
        named_node_table("order", 2, {"id": [1, 2], "match": ["MATCH (n) RETURN n", "CREATE (n)"]}),
        node_table("Big", 3000, v=list(range(3000))),
        edge_table("diagnosed:with", "person", "medical condition", [(0, 0), (1, 0)]),
        edge_table("PERSON", "order", "person", [(0, 0), (1, 2)]),
    )
    publish(embedded, graph, "guarded")
    with embedded.slot("guarded") as slot:
        yield slot


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("MATCH (n:person) DETACH DELETE n", "writes"),
        ("CREATE (n) RETURN n", "writes"),
        ("MERGE (n:person {id: 1}) RETURN n", "writes"),
        ("MATCH (n) SET n.x = 1", "writes"),
        ("MATCH (n) REMOVE n.id RETURN n", "writes"),
        ("CALL { CREATE (:X) } RETURN 1", "writes"),
        ("CALL () { CREATE (:X) RETURN 1 AS x } RETURN x", "writes"),
        ("MATCH (n) FOREACH (i IN [1] | CREATE (:X))", "writes"),
        ("MATCH (n) CALL (n) { DELETE n } IN TRANSACTIONS", "own_transactions"),
        ("MATCH (n) CALL (n) { RETURN n.id AS x } IN TRANSACTIONS RETURN x", "own_transactions"),
        ("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", "load_csv"),
        ("CALL () { LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line } RETURN line", "load_csv"),
        ("SHOW SETTINGS", "administration"),
        ("SHOW TRANSACTIONS", "administration"),
        ("TERMINATE TRANSACTIONS 'x'", "administration"),
        ("SHOW DATABASES", "administration"),
        ("SHOW USERS", "administration"),
        ("CREATE USER mallory SET PASSWORD 'password'", "administration"),
        ("ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'", "administration"),
        ("DROP DATABASE neo4j", "administration"),
        ("CREATE INDEX FOR (n:person) ON (n.id)", "administration"),
        ("CREATE CONSTRAINT FOR (n:person) REQUIRE n.id IS UNIQUE", "administration"),
        ("CALL dbms.listConfig()", "procedure"),
        ("CALL db.clearQueryCaches()", "procedure"),
        ("CALL db.createLabel('x')", "procedure"),
        ("CALL dbms.killConnection('x')", "procedure"),
        ("CALL tx.setMetaData({a: 1})", "procedure"),
        ("SHOW PROCEDURES", "unknown_operator"),
    ],
)
def test_what_does_not_only_read_is_refused_with_the_reason(slot: Slot, query: str, reason: str) -> None:
    with pytest.raises(CypherRefusedError, match="The statement was not run") as caught:
        read_cypher(slot, query)
    assert caught.value.where["reason"] == reason
    assert slot.rows("MATCH (n) RETURN count(n)") == [[3007]]


def test_every_write_refused_by_plan_would_be_refused_by_the_server_too(slot: Slot) -> None:
    from neo4j.exceptions import ClientError

    with slot.session() as session, pytest.raises(ClientError, match="read access"):
        session.run("CREATE (n)").consume()


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("RETURN 'CREATE (n) DETACH DELETE n' AS text", [("CREATE (n) DETACH DELETE n",)]),
        ("MATCH (o:order) RETURN o.match ORDER BY o.id", [("MATCH (n) RETURN n",), ("CREATE (n)",)]),
        ("MATCH (n:person) WHERE n.`full name` CONTAINS 'B' RETURN n.id // DELETE n", [(2,)]),
        (
            "MATCH (p:person) OPTIONAL MATCH (p)<-[:PERSON]-(o) RETURN p.id, o.id ORDER BY p.id",
            [(1, 1), (2, None), (3, 2)],
        ),
        ("UNWIND [3, 1, 2] AS x WITH DISTINCT x ORDER BY x SKIP 1 LIMIT 1 RETURN x", [(2,)]),
        ("MATCH (p:person) WHERE NOT (p)-[:`diagnosed:with`]->() RETURN p.id", [(3,)]),
        (
            "MATCH (p:person) RETURN p.id, [(p)-[:`diagnosed:with`]->(m) | m.name] AS names ORDER BY p.id LIMIT 1",
            [(1, ["asthma"])],
        ),
        ("MATCH (a:person), (b:person) WHERE a.id < b.id RETURN count(*) AS pairs", [(3,)]),
        ("MATCH p = shortestPath((a:order {id: 1})-[*..4]-(b:person {id: 2})) RETURN length(p)", [(3,)]),
        ("MATCH (o:order) ((a)-[:PERSON]->(b)){1,2} (p:person) RETURN count(*)", [(2,)]),
        ("MATCH (o:order)-[*1..2]->(x) RETURN count(DISTINCT x)", [(3,)]),
        ("RETURN 1 AS x UNION RETURN 2 AS x", [(1,), (2,)]),
        ("MATCH (n:order) CALL (n) { RETURN n.id * 2 AS double } RETURN double ORDER BY double", [(2,), (4,)]),
        ("MATCH ()-[r]->() RETURN type(r) AS type, count(*) ORDER BY type", [("PERSON", 2), ("diagnosed:with", 2)]),
        ("CALL db.labels() YIELD label RETURN count(label)", [(4,)]),
        ("MATCH (n:person) WHERE EXISTS { (n)<-[:PERSON]-() } OR n.id = 2 RETURN count(n)", [(3,)]),
        ("MATCH (n:person|order) RETURN count(n)", [(5,)]),
        ("SHOW INDEXES YIELD type RETURN DISTINCT type", [("LOOKUP",)]),
        ("EXPLAIN MATCH (n) RETURN n", []),
    ],
)
def test_what_only_reads_is_run(slot: Slot, query: str, answer: list[tuple[object, ...]]) -> None:
    assert list(read_cypher(slot, query).rows) == answer


def test_parameters_are_values(slot: Slot) -> None:
    result = read_cypher(
        slot, "MATCH (n:person {id: $id}) RETURN n.id AS id, $text AS text", {"id": 2, "text": "') DELETE"}
    )
    assert (result.columns, result.rows) == (("id", "text"), ((2, "') DELETE"),))
    with pytest.raises(CypherInvalidError, match="parameter"):
        read_cypher(slot, "RETURN $x", {"x": 2**64})
    with pytest.raises(CypherInvalidError, match="parameter"):
        read_cypher(slot, "RETURN $x", {"x": object()})
    with pytest.raises(CypherInvalidError, match=r"[Pp]arameter"):
        read_cypher(slot, "RETURN $missing")


def test_a_statement_that_does_not_parse_says_why(slot: Slot) -> None:
    with pytest.raises(CypherInvalidError, match="Invalid input 'MTCH'"):
        read_cypher(slot, "MTCH (n) RETURN n")
    with pytest.raises(CypherInvalidError):
        read_cypher(slot, "")
    with pytest.raises(CypherInvalidError, match="one statement"):
        read_cypher(slot, "RETURN 1; RETURN 2")
    with pytest.raises(CypherInvalidError, match="by zero"):
        read_cypher(slot, "UNWIND [1, 0] AS x RETURN 1 / x")


def test_rows_are_cut_and_the_cut_is_told(slot: Slot) -> None:
    whole = read_cypher(slot, "MATCH (n:Big) RETURN n.v ORDER BY n.v", max_rows=3000)
    assert (len(whole.rows), whole.truncated) == (3000, False)
    cut = read_cypher(slot, "MATCH (n:Big) RETURN n.v ORDER BY n.v", max_rows=2)
    assert (cut.rows, cut.truncated) == (((0,), (1,)), True)
    small = read_cypher(slot, "MATCH (n:Big) RETURN n.v ORDER BY n.v", max_bytes=30)
    assert 0 < len(small.rows) < 30
    assert small.truncated


def test_a_cut_answer_is_not_fetched_whole(slot: Slot) -> None:
    endless = "UNWIND range(1, 1000000000) AS a RETURN a"
    cut = read_cypher(slot, endless, max_rows=10, timeout=20)
    assert (len(cut.rows), cut.truncated) == (10, True)


def test_the_server_ends_what_takes_too_long(slot: Slot) -> None:
    with pytest.raises(CypherTimeoutError, match="time limit"):
        read_cypher(slot, "UNWIND range(1, 100000000000) AS a RETURN count(a)", timeout=0.5)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("9223372036854775807", 9223372036854775807),
        ("9007199254740993", 9007199254740993),
        ("-0.0", -0.0),
        ("0.0 / 0.0", {"$type": "float", "value": "NaN"}),
        (
            "[1.0 / 0.0, -1.0 / 0.0]",
            [{"$type": "float", "value": "Infinity"}, {"$type": "float", "value": "-Infinity"}],
        ),
        ("null", None),
        ("{a: 1, b: [true, 'x']}", {"a": 1, "b": [True, "x"]}),
        ("{`$type`: 'node'}", {"$type": "map", "value": {"$type": "node"}}),
        ("date('2024-02-29')", {"$type": "date", "value": "2024-02-29"}),
        ("time('10:11:12.123456789+02:00')", {"$type": "time", "value": "10:11:12.123456789+02:00"}),
        ("localtime('10:11:12')", {"$type": "time", "value": "10:11:12.000000000"}),
        (
            "localdatetime('2024-01-01T00:00:00.000000001')",
            {"$type": "datetime", "value": "2024-01-01T00:00:00.000000001"},
        ),
        (
            "datetime('2024-07-01T12:00:00[Europe/Berlin]')",
            {"$type": "datetime", "value": "2024-07-01T12:00:00.000000000+02:00", "zone": "Europe/Berlin"},
        ),
        ("duration('P1Y2M3DT4H5M6.789S')", {"$type": "duration", "value": "P1Y2M3DT4H5M6.789S"}),
        ("point({x: 1, y: 2})", {"$type": "point", "srid": 7203, "coordinates": [1.0, 2.0]}),
        (
            "point({longitude: 1, latitude: 2, height: 3})",
            {"$type": "point", "srid": 4979, "coordinates": [1.0, 2.0, 3.0]},
        ),
    ],
)
def test_every_value_becomes_json_that_loses_nothing(slot: Slot, expression: str, expected: object) -> None:
    (value,) = read_cypher(slot, f"RETURN {expression}").rows[0]
    assert repr(value) == repr(expected)
    json.dumps(value, allow_nan=False)


def test_nodes_relationships_and_paths(slot: Slot) -> None:
    query = "MATCH p = (o:order {id: 1})-[r]->(q) RETURN o, r, p"
    node, edge, path = read_cypher(slot, query).rows[0]
    assert (node["$type"], node["labels"]) == ("node", ["order"])
    assert node["properties"] == {"id": 1, "match": "MATCH (n) RETURN n"}
    assert (edge["type"], edge["source"], edge["properties"]) == ("PERSON", node["id"], {})
    assert path["nodes"][0] == node
    assert path["relationships"] == [edge]
    assert path["nodes"][1]["id"] == edge["target"]


def test_names_that_do_not_exist_are_told(slot: Slot) -> None:
    result = read_cypher(slot, "MATCH (n:Persn)-[:NEVER]->() RETURN n.agee")
    assert result.rows == ()
    told = " ".join(notification["message"] for notification in result.notifications)
    assert "`Persn`" in told
    assert "`NEVER`" in told
    assert "`agee`" in told
    assert json.loads(json.dumps(result.to_dict()))["truncated"] is False


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (m:`medical condition` {name: 'asthma'})-[:`diagnosed:with`]->(p:person) RETURN count(p)",
        "MATCH (p:person)<-[:`diagnosed:with`]-(m:`medical condition`) RETURN p",
        "MATCH (:`medical condition`)-[r:`diagnosed:with`]->() RETURN count(r)",
        "MATCH (m:`medical condition`)-[:`diagnosed:with`*1..2]->(p:person) RETURN count(p)",
        "MATCH (m:`medical condition`) OPTIONAL MATCH (m)-[:`diagnosed:with`]->(p:person) RETURN count(p)",
    ],
)
def test_an_arrow_turned_round_gets_a_hint(slot: Slot, query: str) -> None:
    (hint,) = read_cypher(slot, query).hints
    assert "turn the arrow round" in hint
    assert "-[:`diagnosed:with`]->" in hint


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (p:person)-[:`diagnosed:with`]->(m:`medical condition`) RETURN count(p)",
        "MATCH (p:person)-[:`diagnosed:with`]-(m:`medical condition`) RETURN count(p)",
        "MATCH (m:`medical condition`)-[:NEVER]->(p:person) RETURN count(p)",
        "MATCH (n:person) RETURN '(a:order)<-[:PERSON]-(b:person)' AS text",
        "MATCH (a)-[:PERSON]->(b) RETURN count(*)",
    ],
)
def test_a_pattern_as_it_is_gets_no_hint(slot: Slot, query: str) -> None:
    assert read_cypher(slot, query).hints == ()
