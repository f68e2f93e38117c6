"""`graphwright preview`: a source as it is, before anything is built."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from app.cli.console import Terminal
from app.cli.context import context_of
from app.service.preview import preview as preview_source


def preview(
    command: typer.Context,
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="SOURCE…", help="A database, SQL text, CSV, TXT, or a bundle's folder."),
    ],
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", metavar="CHAR", help="What separates fields of CSV; a comma.")
    ] = None,
    no_header: Annotated[bool, typer.Option("--no-header", help="The first line of CSV is a record, too.")] = False,
    dialect: Annotated[
        Literal["auto", "sqlite", "mysql", "postgres"],
        typer.Option("--dialect", help="The database that SQL text was written for."),
    ] = "auto",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the preview as one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Show tables, columns, keys and a few rows of a source. It is read, never executed."""
    terminal = context_of(command).terminal
    document = preview_source(sources, delimiter=delimiter, header=not no_header, dialect=dialect)
    if as_json:
        terminal.print_json(document)
        return
    show_preview(terminal, document)


def show_preview(terminal: Terminal, document: Mapping[str, Any]) -> None:
    """A preview as tables."""
    for table in document["tables"]:
        _show_table(terminal, table)
    if document["text"] is not None:
        terminal.print(document["text"])
        if not document["text_is_whole"]:
            terminal.note("There is more; this is the beginning.", "yellow")
    for warning in document["warnings"]:
        terminal.note(f"warning: {warning['message']}", "yellow")


def _show_table(terminal: Terminal, table: Mapping[str, Any]) -> None:
    count = table["row_count"]
    rows = "number of rows unknown" if count is None else f"{count:,} rows"
    terminal.print(f"{table['name']} ({rows}, {table['column_count']:,} columns)", "bold")
    terminal.print_rows(
        ["column", "type", "key", "meaning", "origin"],
        [
            (
                column["name"],
                column["type"],
                _key(column["name"], table),
                column["meaning"]["text"],
                column["meaning"]["origin"],
            )
            for column in table["columns"]
        ],
    )
    if table["rows"]:
        terminal.print_rows([column["name"] for column in table["columns"]], table["rows"])
    terminal.print()


def _key(column: str, table: Mapping[str, Any]) -> str:
    parts = ["PK"] if column in table["primary_key"] else []
    parts += [f"→ {key['ref_table']}" for key in table["foreign_keys"] if column in key["columns"]]
    return " ".join(parts)
