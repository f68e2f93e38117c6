"""A build that is killed at any moment leaves the old output or the new one, and no Neo4j process."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from app.build.output import built_graph
from app.service.demo.sample import write_sample

KILLS = int(os.environ.get("GRAPHWRIGHT_KILLS", "8"))
PUBLISHED_KILLS = int(os.environ.get("GRAPHWRIGHT_PUBLISHED_KILLS", "2"))

OLD = ("--query-count", "3", "--no-evolve")
NEW = ("--query-count", "6", "--option", "max_iterations=3")


def command(source: Path, output: Path, *options: str) -> list[str]:
    return [str(Path(sys.executable).with_name("graphwright")), "build", str(source), "--output", str(output), *options]


def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NEO4J_")}
    return {**kept, "GRAPHWRIGHT_DATA_DIR": str(tmp_path / "data")}


def fingerprint(output: Path) -> str:
    """The frozen workload of the pair, after checking that the report and the graph belong together."""
    graph = built_graph(output)
    report = json.loads((output / "evolution-report.json").read_text())
    assert hashlib.sha256(graph.read_bytes()).hexdigest() == report["final_graph_sha256"]
    assert report["state"] == "ready"
    return str(report["workload_sha256"])


def processes_of(folder: Path) -> list[psutil.Process]:
    """Processes that name the folder in their command line or have a file of it open."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if any(str(folder) in part for part in process.info["cmdline"] or []):
            found.append(process)
    return found


def gone(folder: Path, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while processes_of(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "shop.sqlite"
    write_sample(path, purchases=1_500)
    return path


def kill_at_random_moments(source: Path, tmp_path: Path, options: tuple[str, ...], kills: int) -> list[str]:
    """Build once for the duration, then kill that many builds at moments spread over it; the pairs found after each."""
    output, env = tmp_path / "out", environment(tmp_path)
    subprocess.run(command(source, output, *OLD), env=env, check=True, capture_output=True)
    old = fingerprint(output)
    started = time.monotonic()
    subprocess.run(command(source, tmp_path / "whole", *options), env=env, check=True, capture_output=True)
    duration = time.monotonic() - started
    new = fingerprint(tmp_path / "whole")
    moments = random.Random(0)
    found = []
    for number in range(kills):
        build = subprocess.Popen(
            command(source, output, *options), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(duration * 1.1 * (number + moments.random()) / kills)
        build.send_signal(signal.SIGKILL)
        build.wait()
        assert gone(tmp_path, seconds=20), [process.cmdline() for process in processes_of(tmp_path)]
        found.append(fingerprint(output))
        assert found[-1] in (old, new)
    return ["old" if pair == old else "new" for pair in found]


def test_a_killed_build_leaves_the_old_output_or_the_new_one(source: Path, tmp_path: Path) -> None:
    found = kill_at_random_moments(source, tmp_path, NEW, KILLS)
    assert found[0] == "old"


def test_a_killed_build_with_publish_leaves_no_neo4j(source: Path, tmp_path: Path) -> None:
    kill_at_random_moments(source, tmp_path, (*NEW, "--publish", "shop"), PUBLISHED_KILLS)


def test_the_next_build_cleans_up_after_a_killed_one(source: Path, tmp_path: Path) -> None:
    output, env = tmp_path / "out", environment(tmp_path)
    build = subprocess.Popen(
        command(source, output, *NEW), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while build.poll() is None and not (output / ".graphwright-build" / "evolution-report.json").exists():
        time.sleep(0.01)
    build.kill()
    build.wait()
    subprocess.run(command(source, output, *OLD), env=env, check=True, capture_output=True)
    assert {entry.name for entry in output.iterdir()} == {"graph.json", "evolution-report.json"}
