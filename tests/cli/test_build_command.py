"""`graphwright build` and its streams: JSON last on standard output, progress on standard error, live or in lines."""

import hashlib
import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from app.service.demo.sample import write_sample
from tests.cli.conftest import PROGRAM, Cli, child_environment

KEYS = {
    "state",
    "initial_nodes",
    "initial_edges",
    "nodes",
    "edges",
    "warnings",
    "initial_queries_passed",
    "queries_total",
    "queries_passed",
    "candidates_evaluated",
    "accepted_candidates",
    "baseline_cost",
    "final_cost",
    "workload_sha256",
    "source_sha256",
    "final_graph_sha256",
    "output",
}

DANGLING = """
CREATE TABLE "[red]shop[/red]" (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, shop INTEGER REFERENCES "[red]shop[/red]" (id), day TEXT);
INSERT INTO "[red]shop[/red]" VALUES (1, 'a'), (2, 'b');
INSERT INTO visit VALUES (1, 1, 'monday'), (2, 9, 'monday'), (3, 2, NULL);
"""
PLAN = {
    "id": "visits",
    "question": "How many visits were there?",
    "root": {"table": "visit", "alias": "t0"},
    "joins": [],
    "filters": [],
    "projection": [],
    "group_by": [],
    "aggregations": [{"function": "count", "column": "*", "as": "n"}],
    "order_by": [],
    "limit": None,
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    write_sample(path, purchases=1_500)
    return path


def test_json_is_the_only_output(cli: Cli, shop: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    ran = cli("build", str(shop), "--output", str(output), "--no-evolve", "--query-count", "4", "--json")
    result = json.loads(ran.out)
    assert (ran.status, ran.out.count("\n")) == (0, 1)
    assert set(result) == KEYS
    assert (result["state"], result["queries_passed"], result["queries_total"]) == ("ready", 4, 4)
    assert (result["nodes"], result["edges"]) == (result["initial_nodes"], result["initial_edges"])
    assert result["source_sha256"] == hashlib.sha256(shop.read_bytes()).hexdigest()
    assert result["final_graph_sha256"] == hashlib.sha256((output / "graph.json").read_bytes()).hexdigest()
    assert sorted(path.name for path in output.iterdir()) == ["evolution-report.json", "graph.json"]
    assert re.match(r"\[ +0\.\d s\] Reading shop\.sqlite\n", ran.err)


def test_a_workload_of_one_s_own(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "shop.sql").write_text(DANGLING)
    (tmp_path / "plans.json").write_text(json.dumps([PLAN]))
    arguments = ["build", str(tmp_path / "shop.sql"), "--output", str(tmp_path / "out")]
    queries = ["--option", f"queries=@{tmp_path / 'plans.json'}"]
    ran = cli(*arguments, *queries, "--query-count", "1", "--json")
    assert json.loads(ran.out)["queries_total"] == 1, ran.err
    wrong = cli(*arguments, *queries, "--query-count", "2", "--json")
    assert (wrong.status, json.loads(wrong.out)["error"]["code"]) == (1, "workload_invalid")


def test_several_csv_files_are_one_source(cli: Cli, tmp_path: Path) -> None:
    tables = [
        {"file_name": "p.csv", "name": "p", "columns": ["k", "v"], "primary_key": ["k"]},
        {
            "file_name": "c.txt",
            "name": "c",
            "columns": ["k", "w"],
            "foreign_keys": [{"columns": ["k"], "ref_table": "p"}],
        },
    ]
    (tmp_path / "p.csv").write_text("k,v\na,1\n")
    (tmp_path / "c.txt").write_text("k,w\na,1\n,2\n")
    (tmp_path / "schema.json").write_text(json.dumps({"version": "csv_bundle.v1", "tables": tables}))
    files = [str(tmp_path / name) for name in ("c.txt", "p.csv")]
    arguments = ["--output", str(tmp_path / "out"), "--no-evolve", "--query-count", "4", "--json"]
    ran = cli("build", *files, "--option", f"csv_schema=@{tmp_path / 'schema.json'}", *arguments)
    result = json.loads(ran.out)
    assert (ran.status, result["nodes"], result["edges"], result["queries_passed"]) == (0, 3, 1, 4)
    without = cli("build", *files, *arguments)
    assert (without.status, json.loads(without.out)["error"]["code"]) == (1, "csv_schema_invalid")


def test_notes_are_short_on_a_terminal_and_whole_in_the_report(cli: Cli, tmp_path: Path) -> None:
    sequences = "".join(f"CREATE SEQUENCE sequence_{number};\n" for number in range(40))
    tables = "CREATE TABLE t (id int PRIMARY KEY, a text);\nINSERT INTO t VALUES (1, 'x'), (2, 'y');\n"
    (tmp_path / "dump.sql").write_text(f"-- PostgreSQL database dump\n{sequences}{tables}GRANT ALL ON t TO x;\n")
    arguments = ["--output", str(tmp_path / "out"), "--no-evolve", "--query-count", "2"]
    ran = cli("build", str(tmp_path / "dump.sql"), *arguments)
    [header, long, short, last] = [line for line in ran.out.splitlines() if re.match("note: |The report has", line)]
    notes = json.loads((tmp_path / "out" / "evolution-report.json").read_text())["notes"]
    assert header == f"note: {notes[0]}"
    assert re.fullmatch(r"note: Skipped 40 sequences: sequence_0, sequence_1, .* …", long)
    assert len(long) <= len("note: ") + 160
    assert short == "note: Skipped statements of the dump: 1 GRANT."
    assert last == "The report has all notes in full."
    assert notes[1].endswith(", sequence_38, sequence_39.")


def test_the_summary_shows_names_and_warnings_as_they_are(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "shop.sql").write_text(DANGLING)
    ran = cli("build", str(tmp_path / "shop.sql"), "--output", str(tmp_path / "out"), "--query-count", "2")
    assert ran.status == 0, ran.err
    assert "2 of 2 answered as SQL answers them" in ran.out
    assert "warning: " in ran.out
    assert "[red]shop[/red]" in ran.out


def test_a_failure_keeps_what_the_directory_had(cli: Cli, shop: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    arguments = ("--output", str(output), "--no-evolve", "--query-count", "2", "--json")
    assert cli("build", str(shop), *arguments).status == 0
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    shop.write_bytes(shop.read_bytes()[:50_000])
    ran = cli("build", str(shop), *arguments)
    assert (ran.status, json.loads(ran.out)["error"]["code"]) == (1, "source_damaged")
    assert {path.name: path.read_bytes() for path in output.iterdir()} == before


def in_a_terminal(tmp_path: Path, *arguments: str, **environment: str) -> str:
    """What a terminal that is both output streams of a command receives."""
    here, there = pty.openpty()
    variables = child_environment(tmp_path, {"TERM": "xterm-256color", "COLUMNS": "100", **environment})
    variables.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
    command = subprocess.Popen([*PROGRAM, *arguments], stdout=there, stderr=there, env=variables)
    os.close(there)
    received = b""
    while True:
        try:
            chunk = os.read(here, 65_536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not chunk:
            break
        received += chunk
    os.close(here)
    assert command.wait() == 0, received.decode()
    return received.decode().replace("\r\n", "\n")


def test_on_a_terminal_progress_moves_and_the_result_stands_after_it(shop: Path, tmp_path: Path) -> None:
    shown = in_a_terminal(tmp_path, "build", str(shop), "--output", str(tmp_path / "out"), "--no-evolve")
    assert "\x1b[?25l" in shown, "a live display hides the cursor"
    live, result = shown.rsplit("\x1b[?25h", 1)
    assert "Measuring the initial graph" in live
    assert "Built and proven" not in live
    assert result.count("Built and proven") == result.count("queries") - result.count("all queries") == 1


def test_json_on_a_terminal_is_the_last_line(shop: Path, tmp_path: Path) -> None:
    shown = in_a_terminal(tmp_path, "build", str(shop), "--output", str(tmp_path / "out"), "--no-evolve", "--json")
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "\n").strip().splitlines()[-1]
    assert set(json.loads(last)) == KEYS


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_where_none_are_wanted(shop: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    arguments = ("build", str(shop), "--output", str(tmp_path / "out"), "--no-evolve")
    shown = in_a_terminal(tmp_path, *arguments, **environment)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m|\x1b\[[0-9;]*9[0-9]m", shown)
    if environment.get("TERM") == "dumb":
        assert "\x1b" not in shown
