"""min and max."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from app.executor.columns.runs import Runs
from app.executor.columns.vector import Array, Vector, mixed_vector, with_nulls
from app.executor.columns.views.column_view import ColumnView
from app.executor.operators.access import Access
from app.executor.operators.frame import Computed, Result
from app.executor.operators.group.aggregations import Aggregator
from app.executor.operators.group.frame_groups import Groups, Present, chosen
from app.tables.dictionary import BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class Extreme(Aggregator):
    """min or max, in the column's order."""

    smallest: bool
    view: ColumnView
    access: Access

    @override
    def result(self, groups: Groups, present: Present) -> Result:
        keys, positions = self._keys(groups)
        null = keys.dtype.type(self.view.null_order)
        if groups.codes is None:
            return self._single(keys, null)
        codes = groups.codes if positions is None else groups.codes.take(positions)
        found = chosen(self._reduced(codes, groups.size, keys, null), present)
        absent = found == null
        return Computed(self._vector(found, absent), lambda: found)

    def _keys(self, groups: Groups) -> tuple[Array, Array | None]:
        """Order keys of the joined rows that count, and their positions (None: all rows)."""
        frame, access = groups.frame, self.access
        if access.optional:
            rows = frame.rows[access.alias]
            assert rows is not None, "optional rows are always listed"
            keys = self.view.order_at_optional(rows)
        else:
            keys = access.values(frame, self.view.order)
        counted: BoolArray | None = None if groups.weights is None else groups.weights > 0
        if self.smallest and (access.optional or self.view.nulls is not None):
            present = keys != self.view.null_order
            counted = present if counted is None else counted & present
        if counted is None:
            return keys, None
        positions = counted.nonzero()[0]
        return keys.take(positions), positions

    def _single(self, keys: Array, null: Any) -> Result:
        """The output for one group of all rows."""
        if not len(keys):
            return Computed(mixed_vector([None]), lambda: np.array([null]))
        order = (np.minimum if self.smallest else np.maximum).reduce(keys, keepdims=True)
        return Computed(mixed_vector([None]) if order[0] == null else self.view.from_order(order), lambda: order)

    def _reduced(self, codes: IntArray | Runs, size: int, keys: Array, null: Any) -> Array:
        if isinstance(codes, Runs):
            return codes.reduced(np.minimum if self.smallest else np.maximum, keys, null)
        if not self.smallest:
            found = np.full(size, null)
            np.maximum.at(found, codes, keys)
            return found
        # NULL is the least of the order, so that a minimum must start elsewhere.
        found = np.full(size, null)
        found[codes] = keys
        np.minimum.at(found, codes, keys)
        return found

    def _vector(self, found: Array, absent: BoolArray) -> Vector:
        if absent.all():
            return mixed_vector([None] * len(found))
        if not absent.any():
            return self.view.from_order(found)
        known = found[~absent][0]
        return with_nulls(self.view.from_order(np.where(absent, known, found)), absent)
