"""Edges of a document as a mark reads them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.errors import GraphInvalidError
from app.graph.model.node_table import NodeTable
from app.tables.column import Column, column_of
from app.tables.dictionary import IntArray
from app.values import is_finite_scalar

_MOST_ROWS = 1 << 40
"""No table has more rows, and no cell more parts."""


@dataclass(frozen=True, eq=False, slots=True)
class EdgeDocuments:
    """Edges of one type between two node types, whose `shared` properties are the same.

    `each` has the other properties of each edge. `nodes` are the node tables by label, and `nodes_at` finds nodes by
    their ids: their type, which they have in common, and their offsets.
    """

    shared: Mapping[str, Any]
    each: Sequence[Mapping[str, Any]]
    nodes: Mapping[str, NodeTable]
    nodes_at: Callable[[Sequence[str]], tuple[str, IntArray]]

    def integers(self, name: str) -> IntArray:
        """A property of each edge that counts from 0; `ValueError` if it does not."""
        values = [each[name] for each in self.each]
        if not all(type(value) is int and 0 <= value < _MOST_ROWS for value in values):
            raise ValueError(f"{name} does not count from 0")
        return np.array(values, np.int64)


def text_of(value: Any) -> str:
    """A member that must be text; `TypeError` if it is not."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def cells_of(values: list[Any], name: str) -> Column:
    """A column of what edges hold in a field; `GraphInvalidError` if a cell is not a finite scalar."""
    if not all(map(is_finite_scalar, values)):
        raise GraphInvalidError(f"Field {name} of an edge is not a finite scalar.", column=name)
    return column_of(values)
