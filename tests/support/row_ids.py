"""Identities of rows, a row at a time, as the document format states them."""

from collections.abc import Sequence

from app.values import Scalar, canonical_sha256


def keyed_row_id(table: str, keys: Sequence[Scalar]) -> str:
    """The stable identity of a row with a reliable primary key."""
    return "row_" + canonical_sha256([table, "pk", list(keys)])[:40]


def positional_row_id(table: str, row_index: int) -> str:
    """The identity of a row without one: its table and position, counted from 0."""
    return "row_" + canonical_sha256([table, "position", row_index])[:40]
