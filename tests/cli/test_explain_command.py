"""`graphwright explain`: the operators of a workload, over the first graph and over a built one."""

import json
from pathlib import Path

from tests.cli.conftest import Cli

SCRIPT = """
CREATE TABLE shop (id INTEGER PRIMARY KEY, town TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, shop INTEGER REFERENCES shop (id), day TEXT);
INSERT INTO shop VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f');
INSERT INTO visit VALUES (1, 1, 'monday'), (2, 2, 'monday'), (3, 2, 'sunday');
"""
COUNT = {"function": "count", "column": "*", "as": "n"}
PLANS = [
    {"id": "all", "question": "How many visits?", "root": {"table": "visit", "alias": "t0"}, "aggregations": [COUNT]},
    {
        "id": "one",
        "question": "Which shop has key 2?",
        "root": {"table": "shop", "alias": "t0"},
        "filters": [{"column": "t0.id", "op": "eq", "value": 2}],
        "projection": ["t0.town"],
    },
]


def source(folder: Path) -> tuple[str, list[str]]:
    script, plans = folder / "shop.sql", folder / "plans.json"
    script.write_text(SCRIPT, encoding="utf-8")
    plans.write_text(json.dumps(PLANS), encoding="utf-8")
    return str(script), ["--option", f"queries=@{plans}", "--query-count", "2"]


def test_the_operators_of_given_plans(cli: Cli, tmp_path: Path) -> None:
    script, workload = source(tmp_path)
    ran = cli("explain", script, *workload)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "all: How many visits?",
        "  Scan visit t0 [3 rows]",
        "  Aggregate count(*)",
        "  Project count(*)",
        "one: Which shop has key 2?",
        "  KeyLookup shop t0 by id [1 keys]",
        "  Project t0.town",
    ]


def test_as_json_over_a_built_graph(cli: Cli, tmp_path: Path) -> None:
    script, workload = source(tmp_path)
    out = str(tmp_path / "out")
    assert cli("build", script, "--output", out, "--no-evolve", *workload).status == 0
    ran = cli("explain", script, "--graph", out, *workload, "--json")
    plans = json.loads(ran.out)["plans"]
    assert [(plan["id"], plan["operators"][0]) for plan in plans] == [
        ("all", "Scan visit t0 [3 rows]"),
        ("one", "KeyLookup shop t0 by id [1 keys]"),
    ]


def test_without_plans_those_that_a_build_would_freeze(cli: Cli, tmp_path: Path) -> None:
    script, _ = source(tmp_path)
    out = tmp_path / "out"
    assert cli("build", script, "--output", str(out), "--no-evolve", "--query-count", "3").status == 0
    report = json.loads((out / "evolution-report.json").read_text(encoding="utf-8"))
    plans = json.loads(cli("explain", script, "--query-count", "3", "--json").out)["plans"]
    assert [plan["id"] for plan in plans] == [plan["id"] for plan in report["queries"]]
    assert [plan["operators"] for plan in plans] == [
        result["metrics"]["physical_plan"] for result in report["baseline"]["results"]
    ]


def test_the_graph_of_another_source_is_refused(cli: Cli, tmp_path: Path) -> None:
    script, workload = source(tmp_path)
    other = tmp_path / "other.sql"
    other.write_text(SCRIPT.replace("town", "city"), encoding="utf-8")
    out = str(tmp_path / "out")
    assert cli("build", str(other), "--output", out, "--no-evolve", "--query-count", "3").status == 0
    ran = cli("explain", script, "--graph", out, *workload)
    assert (ran.status, ran.out) == (1, "")
    assert "graph_invalid" in ran.err
    assert "the graph of another source" in " ".join(ran.err.split())
