"""How results read on a terminal."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from app.build.output import read_history
from app.cli.console import Terminal

if TYPE_CHECKING:
    from app.build.result import BuildResult
    from app.sources.relational_source import SourceWarning

SHOWN_WARNINGS = 10
SHOWN_NOTES = 10
NOTE_CHARACTERS = 160


def show_build(terminal: Terminal, result: "BuildResult") -> None:
    """The outcome of a build: sizes, proof, cost, warnings and where it lies."""
    if result.initial_queries_passed < result.queries_total:
        passed = f"{result.initial_queries_passed} of {result.queries_total}"
        terminal.print(f"The first graph answered {passed} queries only; the final graph answers all.", "yellow")
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
    _show_notes(terminal, result.notes)
    _show_warnings(terminal, result.warnings)
    _show_history(terminal, read_history(result.output))


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


def _cost(baseline: float | None, final: float) -> str:
    if baseline is None:
        return f"{final * 1e3:,.3f} ms for all queries"
    if final == baseline:
        return f"{baseline * 1e3:,.3f} ms for all queries; no measured improvement"
    gain = f"({baseline / final:.2f}x cheaper)" if final < baseline else "(not cheaper when measured again)"
    return f"{baseline * 1e3:,.3f} ms -> {final * 1e3:,.3f} ms for all queries {gain}"


def _show_notes(terminal: Terminal, notes: Sequence[str]) -> None:
    """What was left out or assumed, each on a short line: the report has the names that do not fit."""
    short = [shorten(note, NOTE_CHARACTERS, placeholder=" …") for note in notes[:SHOWN_NOTES]]
    for note in short:
        terminal.print(f"note: {note}", "dim")
    if len(notes) > len(short) or any(note.endswith(" …") for note in short):
        terminal.print("The report has all notes in full.", "dim")


def _show_warnings(terminal: Terminal, warnings: "Sequence[SourceWarning]") -> None:
    for warning in warnings[:SHOWN_WARNINGS]:
        times = f" ({warning.count:,} times)" if warning.count > 1 else ""
        terminal.print(f"warning: {warning.message}{times}", "yellow")
    if len(warnings) > SHOWN_WARNINGS:
        terminal.print(f"and {len(warnings) - SHOWN_WARNINGS:,} more kinds; the report has them all.", "yellow")


def _show_history(terminal: Terminal, history: Sequence[Mapping[str, Any]]) -> None:
    """One line a candidate: what became of it, what it was, and the median of its measured gains."""
    if history:
        terminal.print("Candidates")
        terminal.print_pairs((attempt["reason"], f"{_candidate(attempt)}{_gain(attempt)}") for attempt in history)


def _candidate(attempt: Mapping[str, Any]) -> str:
    tool, arguments = attempt["tool"], attempt["arguments"]
    if tool == "transform_batch":
        return f"{tool} of {len(arguments['steps'])} steps"
    if tool == "materialize_join":
        return f"{tool} " + " - ".join(_tables(arguments["path"]))
    if tool == "optimize_graph":
        return f"{tool} " + ", ".join(operation["op"] for operation in arguments["operations"])
    columns = arguments.get("columns") or [arguments[name] for name in ("column",) if name in arguments]
    return f"{tool} {'.'.join([arguments['table'], *columns])}"


def _tables(path: Sequence[Mapping[str, Any]]) -> list[str]:
    """The tables along a path, from its start."""
    ends = [(step["table"], step["ref_table"]) for step in path]
    ends = [end if step["direction"] == "forward" else end[::-1] for end, step in zip(ends, path, strict=True)]
    return [ends[0][0], *(end[1] for end in ends)]


def _gain(attempt: Mapping[str, Any]) -> str:
    comparison = attempt["comparison"]
    return "" if comparison is None else f"   {comparison['median_gain']:+.1%}"
