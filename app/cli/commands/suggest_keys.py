"""`graphwright suggest-keys`: candidates for keys of tables that declare none."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.console import Terminal
from app.cli.context import context_of
from app.errors import InvalidOptionError
from app.inspect.keys.model import DEFAULT_THRESHOLD
from app.service.key_suggestions import DEFAULT_SECONDS, suggest


def suggest_keys(
    command: typer.Context,
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="DIR_OR_FILES…", help="A folder of CSV or TXT files, such files, or a database."),
    ],
    threshold: Annotated[
        float, typer.Option("--threshold", metavar="X", help="The least score that is shown, from 0 to 1.")
    ] = DEFAULT_THRESHOLD,
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", metavar="CHAR", help="What separates fields of CSV; a comma.")
    ] = None,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", metavar="S", help="How long to search.")
    ] = DEFAULT_SECONDS,
    write: Annotated[
        Path | None,
        typer.Option("--write", metavar="FILE", help="Write a csv_bundle.v1 schema with the best candidates to FILE."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the candidates as one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Suggest primary and foreign keys from names and values. Nothing is applied by itself."""
    terminal = context_of(command).terminal
    document = suggest(sources, threshold=threshold, delimiter=delimiter, seconds=max_seconds)
    if write is not None:
        _write(write, document)
    if as_json:
        terminal.print_json(document)
        return
    show_suggestions(terminal, document)
    if write is not None:
        terminal.note(f"Wrote {write}. Look it over: suggestions are not facts.")


def _write(path: Path, document: Mapping[str, Any]) -> None:
    if "proposal" not in document:
        raise InvalidOptionError(
            "--write makes a schema of CSV files, and these sources are not CSV files.", option="write"
        )
    path.write_text(json.dumps(document["proposal"], indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def show_suggestions(terminal: Terminal, document: Mapping[str, Any]) -> None:
    """The candidates as two tables, best first."""
    terminal.print("Primary keys", "bold")
    terminal.print_rows(
        ["score", "table", "columns", "reason"],
        [(_score(key), key["table"], ", ".join(key["columns"]), key["reason"]) for key in document["primary_keys"]],
    )
    terminal.print("Foreign keys", "bold")
    terminal.print_rows(
        ["score", "hits", "from", "to", "reason"],
        [
            (
                _score(key),
                _hits(key["hit_rate"]),
                _end(key, "table", "columns"),
                _end(key, "ref_table", "ref_columns"),
                key["reason"],
            )
            for key in document["foreign_keys"]
        ],
    )
    if not document["complete"]:
        terminal.note("Time ran out before everything was compared; --max-seconds allows more.", "yellow")


def _score(key: Mapping[str, Any]) -> str:
    return f"{key['score']:.2f}"


def _hits(rate: float | None) -> str:
    return "no values" if rate is None else f"{rate:.1%}"


def _end(key: Mapping[str, Any], table: str, columns: str) -> str:
    return f"{key[table]}({', '.join(key[columns])})"
