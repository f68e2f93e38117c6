"""Graphwright's answer against the server's: every table, column, key, cell and edge."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from tests.campaigns.dumps.answer import Answer, Cell, ColumnAnswer, Key, Kind, Row, TableAnswer

SHOWN = 3
"""Rows and edges of a difference that are shown."""


class _Unholdable:
    """A value that no cell can hold: it must be refused."""

    def __repr__(self) -> str:
        return "<to be refused>"


UNHOLDABLE = _Unholdable()


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the two answers say differently."""

    kind: str
    place: str
    server: str
    ours: str

    def __str__(self) -> str:
        return f"{self.kind} of {self.place}\n  server: {self.server}\n  ours:   {self.ours}"


def differences(server: Answer, ours: Answer, *, in_order: bool = True) -> list[Difference]:
    """All differences; none where Graphwright says what the server says.

    `in_order`: columns stand in the server's order. pg_dump itself moves those of tables that inherit or were altered.
    """
    if set(server.tables) != set(ours.tables):
        return [Difference("tables", "the dump", str(sorted(server.tables)), str(sorted(ours.tables)))]
    found = [
        each for name, table in server.tables.items() for each in _of_table(table, ours.tables[name], ours, in_order)
    ]
    return found or list(_of_keys(server, ours))


def _of_table(server: TableAnswer, ours: TableAnswer, answer: Answer, in_order: bool) -> Iterator[Difference]:
    names = [
        column.name
        for column in server.columns
        if not (column.computed and (server.name, column.name) in answer.skipped_cells)
    ]
    if names != list(ours.column_names) if in_order else sorted(names) != sorted(ours.column_names):
        yield Difference("columns", server.name, str(server.column_names), str(ours.column_names))
        return
    if server.primary_key != ours.primary_key and not _is_unreliable(server, answer):
        yield Difference("primary key", server.name, str(server.primary_key), str(ours.primary_key))
    kept = _kept(server, ours)
    wanted = Counter(_projected(row, server, kept) for row in server.rows)
    got = Counter(_plain_row(row, kept) for row in ours.rows)
    if wanted != got:
        yield Difference(
            "cells", f"{server.name}({', '.join(ours.column_names)})", _shown(wanted - got), _shown(got - wanted)
        )
    yield from _of_skipped(server, kept, answer)


def _of_skipped(server: TableAnswer, kept: list[ColumnAnswer], answer: Answer) -> Iterator[Difference]:
    """Cells with bytes are read as NULL, and all of them are counted in a warning."""
    for column in kept:
        place = server.column_names.index(column.name)
        bytes_held = sum(row[place] is not None for row in server.rows) if column.kind is Kind.BYTES else 0
        told = answer.skipped_cells.get((server.name, column.name), 0)
        if bytes_held != told:
            yield Difference("cells with bytes", f"{server.name}.{column.name}", str(bytes_held), str(told))


def _is_unreliable(server: TableAnswer, answer: Answer) -> bool:
    """Whether a warning says that the key is not relied on."""
    return any(server.name in text and text.startswith("unreliable_primary_key") for text in answer.warnings)


def _of_keys(server: Answer, ours: Answer) -> Iterator[Difference]:
    for key, edges in server.edges.items():
        if key not in ours.edges:
            if not _is_named(key, ours):
                yield Difference("foreign key", str(key), f"{edges.total()} edges", "no such key")
            continue
        child, parent = server.tables[key.table], server.tables[key.ref_table]
        left, right = _kept(child, ours.tables[key.table]), _kept(parent, ours.tables[key.ref_table])
        wanted = Counter((_projected(a, child, left), _projected(b, parent, right)) for a, b in edges.elements())
        got = Counter((_plain_row(a, left), _plain_row(b, right)) for a, b in ours.edges[key].elements())
        if wanted != got:
            yield Difference("edges", str(key), _shown(wanted - got), _shown(got - wanted))
    for key in ours.edges.keys() - server.edges.keys():
        yield Difference("foreign key", str(key), "no such key", f"{ours.edges[key].total()} edges")


def _is_named(key: Key, ours: Answer) -> bool:
    """Whether a warning names a key that was left out."""
    return any(all(name in text for name in (key.table, *key.columns)) for text in ours.warnings)


def _kept(server: TableAnswer, ours: TableAnswer) -> list[ColumnAnswer]:
    """The server's columns that Graphwright has, in Graphwright's order."""
    columns = {column.name: column for column in server.columns}
    return [columns[name] for name in ours.column_names]


def _projected(row: Row, server: TableAnswer, kept: list[ColumnAnswer]) -> Row:
    """A row of the server as Graphwright should hold it."""
    texts = dict(zip(server.column_names, row, strict=True))
    return tuple(plain(expected(texts[column.name], column.kind), column.kind) for column in kept)


def _plain_row(row: Row, columns: list[ColumnAnswer]) -> Row:
    return tuple(plain(cell, column.kind) for cell, column in zip(row, columns, strict=True))


def expected(text: Cell, kind: Kind) -> Cell | _Unholdable:
    """What a cell should be whose value the server prints so (docs/sources.md)."""
    if text is None or kind is Kind.BYTES:
        return None
    if kind is Kind.BOOLEAN:
        return int(text == "t")
    return str(text) if kind is Kind.TEXT else _number(str(text), kind)


def _number(text: str, kind: Kind) -> Cell | _Unholdable:
    number = Decimal(text)
    if not number.is_finite():
        return UNHOLDABLE
    if kind is Kind.REAL or number != number.to_integral_value():
        return float(text)
    return _whole(int(number), kind)


def _whole(number: int, kind: Kind) -> Cell | _Unholdable:
    if -(2**63) <= number < 2**63:
        return number
    return float(number) if kind is Kind.NUMERIC and int(float(number)) == number else UNHOLDABLE


def plain(cell: object, kind: Kind) -> tuple[str, object]:
    """A cell with its type's name; fractions of NUMERIC to 15 digits, which may be rounded beyond them."""
    if isinstance(cell, float) and kind is Kind.NUMERIC:
        if cell.is_integer() and abs(cell) < 2**63:
            return "int", int(cell)
        return "float", f"{cell:.14e}"
    return type(cell).__name__, cell + 0.0 if isinstance(cell, float) else cell


def _shown(counted: Counter[Row]) -> str:
    """The first few of many, without the names of types that are plain to see."""
    rows = [_readable(row) for row in islice(counted.elements(), SHOWN)]
    more = counted.total() - len(rows)
    return ", ".join(rows) + (f" and {more} more" if more else "") or "nothing else"


def _readable(row: object) -> str:
    if isinstance(row, tuple) and len(row) == 2 and isinstance(row[0], str):
        return repr(row[1])
    return f"({', '.join(map(_readable, row))})" if isinstance(row, tuple) else repr(row)
