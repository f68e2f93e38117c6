"""How many queries a build freezes, and what it says if these are fewer than usual or the first graph fails some."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.build.options import BuildOptions
from app.build.phases import build_graph
from app.build.report import performance_document
from app.build.result import BuildResult
from app.cli.console import Terminal
from app.cli.results import show_build
from app.errors import WorkloadGenerationError
from app.evolution.evaluation import Evaluation, PlanResult
from app.sources.load import load_source

SMALL = "CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT); INSERT INTO t VALUES (1, 'a');"


def built(folder: Path, sql: str, options: BuildOptions) -> BuildResult:
    source = folder / "source.sql"
    source.write_text(sql)
    return build_graph(load_source(source), options, folder / "out")


def test_a_small_source_builds_with_the_queries_that_there_are(tmp_path: Path) -> None:
    result = built(tmp_path, SMALL, BuildOptions())
    note = "Only 9 different queries can be asked of this source, not 15."
    assert (result.queries_passed, result.queries_total, result.notes) == (9, 9, (note,))
    report = json.loads((tmp_path / "out" / "evolution-report.json").read_text())
    assert (len(report["queries"]), report["notes"], report["config"]["query_count"]) == (9, [note], 15)


def test_a_number_of_queries_that_was_asked_for_is_met(tmp_path: Path) -> None:
    with pytest.raises(WorkloadGenerationError, match="Only 9 different plans"):
        built(tmp_path, SMALL, BuildOptions(query_count=10))
    assert built(tmp_path, SMALL, BuildOptions(query_count=9)).notes == ()


def test_groups_of_single_rows_beside_folded_branches_are_answered(tmp_path: Path) -> None:
    statements = [
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT UNIQUE, credit REAL)",
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), total REAL)",
        "CREATE TABLE item (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), kind TEXT)",
    ]
    for table, count, row in (
        ("customer", 60, lambda n: f"({n}, 'customer {n}', {'NULL' if n % 3 else n / 4})"),
        ("orders", 2_000, lambda n: f"({n}, {1 + n * 7 % 60}, {n % 90 / 8})"),
        ("item", 20_000, lambda n: f"({n}, {1 + n * 11 % 2_000}, '{'sold' if n % 9 else 'lent'}')"),
    ):
        statements.append(f"INSERT INTO {table} VALUES {', '.join(map(row, range(1, count + 1)))}")
    result = built(tmp_path, ";\n".join(statements), BuildOptions(query_count=60, evolve=False))
    assert result.initial_queries_passed == result.queries_passed == 60


def test_a_first_graph_that_fails_queries_has_no_cost_and_is_told_of_first(tmp_path: Path) -> None:
    passed = Evaluation((PlanResult("a", True, seconds=0.002), PlanResult("b", True, seconds=0.002)), 0.0, 100)
    failed = replace(passed, results=(passed.results[0], PlanResult("b", False, difference="row 0 differs")))
    performance = performance_document(failed, passed, None)
    assert performance == {"baseline_cost": None, "final_cost": 0.004, "gain": None, "outcome": "more_plans_pass"}
    result = built(tmp_path, SMALL, BuildOptions(evolve=False))
    shown = io.StringIO()
    show_build(Terminal(shown, io.StringIO()), replace(result, initial_queries_passed=8, baseline_cost=None))
    lines = shown.getvalue().splitlines()
    assert lines[0] == "The first graph answered 8 of 9 queries only; the final graph answers all."
    assert lines[1].startswith("Built and proven")
    assert "cheaper" not in shown.getvalue()
