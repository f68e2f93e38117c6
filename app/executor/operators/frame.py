"""What operators hand on: for each alias the row offsets that are joined so far."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from app.errors import QueryLimitError
from app.executor.columns.runs import Runs
from app.executor.columns.vector import Array, Vector
from app.executor.columns.views.column_view import ColumnView
from app.tables.dictionary import IntArray

Alias = int
"""An alias by its offset in the join tree."""

_MOST_ROWS = float(2**62)


@dataclass(slots=True)
class Partial:
    """An aggregate's state by parent row: the sum (integers, or reals of one sign), and how many values it has."""

    sums: Array | None
    counts: IntArray


@dataclass(slots=True)
class Message:
    """What a folded branch says about each row of `alias`: how many joined rows it adds, and its aggregates' state.

    `partials` is by offset of the aggregate in the plan.
    """

    alias: Alias
    counts: IntArray
    partials: dict[int, Partial]


class Result(Protocol):
    """One output of grouped rows."""

    @property
    def vector(self) -> Vector:
        """The output's values."""

    def order(self, positions: Array | None = None) -> Array:
        """Numbers in the output's order, NULL least (at these positions)."""

    def take(self, positions: Array) -> "Result":
        """The same output for the groups at these positions."""


@dataclass(slots=True)
class Computed:
    """An output that was computed for each group; `ordered` gives its order if that is not the values' own."""

    vector: Vector
    ordered: Callable[[], Array] | None = None

    def order(self, positions: Array | None = None) -> Array:
        """Numbers in the output's order."""
        order = self.vector.values if self.ordered is None else self.ordered()
        return order if positions is None else order.take(positions)

    def take(self, positions: Array) -> "Computed":
        """The groups at these positions."""
        ordered = self.ordered
        return Computed(self.vector.take(positions), None if ordered is None else lambda: ordered().take(positions))


@dataclass(slots=True)
class Key:
    """An output that is a part of the groups' key, read at the very end from a row of each group.

    If it is `optional` that row may be -1, for NULL.
    """

    view: ColumnView
    rows: Array
    optional: bool

    @property
    def vector(self) -> Vector:
        """The values, read from the rows."""
        return self.view.take_optional(self.rows) if self.optional else self.view.take(self.rows)

    def order(self, positions: Array | None = None) -> Array:
        """Numbers in the column's order."""
        rows = self.rows if positions is None else self.rows.take(positions)
        return self.view.order_at_optional(rows) if self.optional else self.view.order_at(rows)

    def take(self, positions: Array) -> "Key":
        """The groups at these positions."""
        return Key(self.view, self.rows.take(positions), self.optional)


@dataclass(slots=True)
class Frame:
    """Joined rows in progress.

        rows[0]     [ 0  0  1  2 ]    row offsets in the table of alias 0, int64, shape (length,)
        rows[1]     [ 3  5  4 -1 ]    joined row 1 is row 0 of alias 0 with row 5 of alias 1; row 2 has none

    `rows[alias]` holds `length` row offsets, -1 for a row of NULLs; None means all rows of the table in order.
    Folded branches multiply rows without listing them; their messages are read at the end. Once rows are grouped,
    `codes` is the group of each of them (None: one group), `key_codes` the codes of each key if they were hashed;
    `in_order` says that groups ascend by their keys. `window` are the rows of a clustering that are joined instead
    (None: all), in its order. `results` are the outputs; at the end `vectors` is the answer.
    """

    rows: dict[Alias, Array | None] = field(default_factory=dict)
    length: int = 0
    window: slice | IntArray | None = None
    messages: tuple[Message, ...] = ()
    codes: IntArray | Runs | None = None
    size: int = 1
    in_order: bool = False
    key_codes: Sequence[IntArray] = ()
    results: Sequence[Result] = ()
    vectors: Sequence[Vector] = ()

    def keep(self, positions: Array) -> None:
        """Keep the joined rows, or the groups, at these positions, in this order."""
        for alias, rows in self.rows.items():
            self.rows[alias] = positions if rows is None else rows.take(positions)
        self.results = [result.take(positions) for result in self.results]
        self.length = len(positions)

    def listed(self, alias: Alias) -> Array:
        """The row offsets of an alias, even if these are all rows in order."""
        rows = self.rows[alias]
        return np.arange(self.length) if rows is None else rows

    def at(self, alias: Alias, values: Array) -> Array:
        """Values by row of an alias' table, for each joined row; the alias may not be optional."""
        rows = self.rows[alias]
        return values if rows is None else values.take(rows)

    def weights(self, without: Message | None = None) -> IntArray | None:
        """How often each joined row counts, by all messages but one; None if each counts once."""
        if not self.messages:
            return None
        factors = [self.at(message.alias, message.counts) for message in self.messages if message is not without]
        if len(factors) > 1:
            _check_product(factors, self.length)
        return math.prod(factors[1:], start=factors[0]) if factors else None


def _check_product(factors: Sequence[IntArray], rows: int) -> None:
    bound = math.prod((max(float(factor.max(initial=0)), 1.0) for factor in factors), start=float(rows))
    if bound > _MOST_ROWS:
        raise QueryLimitError("The query joins more than 2**62 rows.", hint="Filter earlier, or join less.")
