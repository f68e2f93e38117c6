"""How results read on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.cli.console import Terminal
from app.evolution.build import BuildResult
from app.sources.relational_source import SourceWarning

SHOWN_WARNINGS = 10


def show_build(terminal: Terminal, result: BuildResult) -> None:
    """The outcome of a build: sizes, proof, cost, warnings and where it lies."""
    terminal.print(f"Built and proven: {result.output}", "bold green")
    terminal.print_pairs(
        [
            ("nodes", _size(result.initial_nodes, result.graph.node_count)),
            ("edges", _size(result.initial_edges, result.graph.edge_count)),
            ("queries", f"{result.queries_passed} of {result.queries_total} answered as SQL answers them"),
            ("candidates", f"{result.accepted_candidates} of {result.candidates_evaluated} evaluated ones accepted"),
            ("cost", _cost(result.baseline_cost, result.final_cost)),
            ("workload", result.workload_sha256),
            ("graph", result.final_graph_sha256),
        ]
    )
    _show_warnings(terminal, result.warnings)


def show_published(terminal: Terminal, published: Mapping[str, Any]) -> None:
    """What was read back from Neo4j after a publish."""
    terminal.print(f"Published: {published['name']}", "bold green")
    terminal.print_pairs(
        [
            ("address", str(published["uri"])),
            ("database", str(published["database"])),
            ("nodes", f"{published['nodes']:,}"),
            ("edges", f"{published['edges']:,}"),
        ]
    )


def _size(initial: int, final: int) -> str:
    return f"{final:,}" if final == initial else f"{final:,} (first graph: {initial:,})"


def _cost(baseline: float, final: float) -> str:
    ratio = f" ({baseline / final:.2f}x cheaper)" if final and final != baseline else ""
    return f"{baseline * 1e3:,.3f} ms -> {final * 1e3:,.3f} ms for all queries{ratio}"


def _show_warnings(terminal: Terminal, warnings: Sequence[SourceWarning]) -> None:
    for warning in warnings[:SHOWN_WARNINGS]:
        times = f" ({warning.count:,} times)" if warning.count > 1 else ""
        terminal.print(f"warning: {warning.message}{times}", "yellow")
    if len(warnings) > SHOWN_WARNINGS:
        terminal.print(f"and {len(warnings) - SHOWN_WARNINGS:,} more kinds; the report has them all.", "yellow")
