"""Where the command line writes: results to standard output, everything else to standard error, never mixed.

No markup in data is ever interpreted, and no control character in it reaches a terminal.
"""

import io
import json
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.values import Scalar, canonical_json


class Terminal:
    """The two streams of a command, with what they can show."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        for stream in (out, err):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        self._stdout = out
        self.out = _console(out)
        self.err = _console(err)

    @property
    def is_live(self) -> bool:
        """Whether a moving display may be drawn on standard error."""
        return self.err.is_terminal and not self.err.is_dumb_terminal

    def print(self, text: str = "", style: str = "") -> None:
        """Write lines of a result to standard output."""
        self.out.print(Text(printable(text), style=style), soft_wrap=True)

    def note(self, text: str, style: str = "") -> None:
        """Write lines about the work to standard error."""
        self.err.print(Text(printable(text), style=style), soft_wrap=True)

    def print_json(self, document: object) -> None:
        """Write one JSON object on one line to standard output."""
        self._stdout.write(json.dumps(document, ensure_ascii=True, allow_nan=False, default=str) + "\n")
        self._stdout.flush()

    def print_pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Write names and values in two columns."""
        rows = [(name, printable(value)) for name, value in pairs]
        width = max((len(name) for name, _ in rows), default=0)
        for name, value in rows:
            self.out.print(Text.assemble((f"  {name.ljust(width)}  ", "dim"), value), soft_wrap=True)

    def print_rows(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Write a table: drawn on a terminal, separated by tabs elsewhere."""
        if not self.out.is_terminal:
            for row in ([*columns], *rows):
                self._stdout.write("\t".join(_cell(value) for value in row) + "\n")
            return
        table = Table(header_style="bold")
        for column in columns:
            table.add_column(Text(printable(column)), overflow="fold")
        for row in rows:
            table.add_row(*(Text(_cell(value)) for value in row))
        self.out.print(table)


def standard_terminal() -> Terminal:
    """The streams of this process."""
    return Terminal(sys.stdout, sys.stderr)


def printable(text: str) -> str:
    r"""`text` with its control and formatting characters spelled out; line breaks stay.

    >>> printable("a\x1b[31mb\nc")
    'a\\x1b[31mb\nc'
    """
    if text.isprintable():
        return text
    return "".join(_spelled(character) for character in text)


def _spelled(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    return character.encode("unicode_escape").decode("ascii")


def _console(stream: TextIO) -> Console:
    return Console(file=stream, markup=False, highlight=False, emoji=False)


def _cell(value: Scalar | object) -> str:
    text = value if isinstance(value, str) else canonical_json(value)
    return printable(text).replace("\n", "\\n")
