"""The main job on the sample that ships, through the real command and the real embedded Neo4j."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.service.demo.sample import write_sample
from app.settings import Settings
from tests.api.conftest import serving
from tests.cli.conftest import PROGRAM, Ran
from tests.store.conftest import cache_dir

Run = Callable[..., Ran]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("main job")


@pytest.fixture(scope="module")
def run(folder: Path) -> Iterator[Run]:
    """Runs commands in a folder and data directory of their own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "GRAPHWRIGHT_"))}
    environment |= {"GRAPHWRIGHT_DATA_DIR": str(folder / "data"), "GRAPHWRIGHT_CACHE_DIR": str(cache_dir())}

    def command(*arguments: str) -> Ran:
        done = subprocess.run([*PROGRAM, *arguments], capture_output=True, env=environment, cwd=folder, check=False)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    yield command
    command("neo4j", "stop")


@pytest.fixture(scope="module")
def demo(run: Run) -> Ran:
    ran = run("demo")
    assert ran.status == 0, ran.err
    return ran


def test_the_demo_shows_the_whole_way(demo: Ran, folder: Path) -> None:
    assert "15 of 15 answered as SQL answers them" in demo.out
    assert "Published: bookshop" in demo.out
    assert re.search(r"address +bolt://127\.0\.0\.1:\d+", demo.out)
    assert "purchase_line (n=" in demo.out
    assert "cypher bookshop" in demo.out
    assert "neo4j stop" in demo.out
    assert {path.name for path in (folder / "out" / "demo").iterdir()} == {
        "bookshop.sqlite",
        "graph.json",
        "evolution-report.json",
    }


def test_the_question_that_the_demo_suggests_has_an_answer(run: Run, demo: Ran) -> None:
    question = re.search(r'cypher bookshop "(.+)"', demo.out)
    assert question is not None
    ran = run("cypher", "bookshop", question.group(1))
    lines = ran.out.splitlines()
    assert (ran.status, lines[0], len(lines)) == (0, "b.title\tsold", 6)


def test_status_names_the_graph_its_size_and_no_password(run: Run, demo: Ran, folder: Path) -> None:
    shown = run("neo4j", "status").out
    nodes = re.search(r"nodes +([\d,]+)\n", demo.out.split("Published")[1])
    assert nodes is not None
    address = re.search(r"open (bolt://127\.0\.0\.1:\d+) in Neo4j Browser", demo.out)
    assert address is not None
    assert re.search(rf"bookshop +{address.group(1)} +{nodes.group(1)} nodes", shown)
    password = (folder / "data" / "neo4j" / "password").read_text().strip()
    assert password not in shown + demo.out + demo.err


@pytest.mark.usefixtures("demo")
def test_writing_cypher_is_refused(run: Run) -> None:
    ran = run("cypher", "bookshop", "MATCH (n) DETACH DELETE n", "--json")
    assert (ran.status, json.loads(ran.out)["error"]["code"]) == (1, "cypher_refused")
    counted = run("cypher", "bookshop", "MATCH (n:author) RETURN count(n) AS n", "--json")
    assert json.loads(counted.out)["rows"] == [[400]]


@pytest.mark.usefixtures("demo")
def test_build_and_publish_in_one_go(run: Run, folder: Path) -> None:
    write_sample(folder / "small.sqlite", purchases=1_500)
    ran = run("build", "small.sqlite", "--output", "again", "--no-evolve", "--publish", "first graph", "--json")
    result = json.loads(ran.out)
    assert ran.status == 0, ran.err
    assert result["published"]["name"] == "first graph"
    assert result["published"]["uri"].startswith("bolt://127.0.0.1:")
    assert (result["published"]["nodes"], result["published"]["edges"]) == (result["nodes"], result["edges"])
    published = run("publish", "again", "--name", "first graph", "--json")
    assert json.loads(published.out)["published"]["nodes"] == result["nodes"]


@pytest.mark.usefixtures("demo")
def test_skeletons_take_their_limits(run: Run) -> None:
    ran = run("skeleton", "bookshop", "--min-count", "700", "--top-n", "1", "--refresh")
    assert ran.status == 0, ran.err
    counts = [int(count) for count in re.findall(r"\((\d+) edges\)", ran.out)]
    assert counts
    assert min(counts) >= 700
    assert run("skeleton", "nothing").status == 1


@pytest.mark.usefixtures("demo", "run")
def test_the_server_keeps_the_skeleton_of_its_graph(folder: Path) -> None:
    settings = Settings(data_dir=folder / "data", cache_dir=cache_dir(), graph="bookshop", construction={})
    with serving(settings) as client:
        document = client.get("/api/skeleton").json()
    assert document["graph"] == "bookshop"
    assert "purchase_line (n=" in document["skeleton"]


@pytest.mark.usefixtures("demo")
def test_the_server_stops_and_starts_with_its_graphs_open(run: Run) -> None:
    stopped = run("neo4j", "stop")
    assert (stopped.status, stopped.out) == (0, "Neo4j is stopped.\n")
    assert run("neo4j", "stop").out == "Neo4j was not running.\n"
    status = run("neo4j", "status").out
    assert "embedded, stopped" in status
    assert re.search(r"bookshop +closed", status)
    started = run("neo4j", "start")
    assert started.status == 0, started.err
    assert re.search(r"bookshop +bolt://127\.0\.0\.1:\d+", started.out)
    assert run("neo4j", "status").out == started.out
