"""Conditions on the rows of one table: evaluated for all rows at once, or for chosen rows.

A NULL never meets a comparison. Conditions hold arrays that the index cache prepared; they never remember what
they found.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from app.executor.columns.vector import Array
from app.tables.dictionary import BoolArray

Comparator = Callable[[Any, Any], Any]

_FAILS = np.zeros(1, np.bool_)


class Condition(ABC):
    """A test of rows."""

    __slots__ = ()

    @abstractmethod
    def mask(self) -> BoolArray:
        """For each row of the table, whether it passes; the caller may change the array."""

    @abstractmethod
    def at(self, rows: Array) -> BoolArray:
        """The same for these row offsets only."""


@dataclass(slots=True)
class Constant(Condition):
    """All rows pass, or none does."""

    rows: int
    passes: bool

    @override
    def mask(self) -> BoolArray:
        return np.full(self.rows, self.passes)

    @override
    def at(self, rows: Array) -> BoolArray:
        return np.full(len(rows), self.passes)


@dataclass(slots=True)
class Flagged(Condition):
    """A prepared mask, such as which cells are NULL."""

    flags: BoolArray

    @override
    def mask(self) -> BoolArray:
        return self.flags.copy()

    @override
    def at(self, rows: Array) -> BoolArray:
        return self.flags.take(rows)


@dataclass(slots=True)
class Compare(Condition):
    """`array <comparison> constant`, and not NULL; `valid` is None if the comparison excludes NULLs already."""

    array: Array
    comparison: Comparator
    constant: Any
    valid: BoolArray | None

    @override
    def mask(self) -> BoolArray:
        found: BoolArray = self.comparison(self.array, self.constant)
        return found if self.valid is None else np.logical_and(found, self.valid, out=found)

    @override
    def at(self, rows: Array) -> BoolArray:
        found: BoolArray = self.comparison(self.array.take(rows), self.constant)
        return found if self.valid is None else found & self.valid.take(rows)


@dataclass(slots=True)
class AnyOf(Condition):
    """The value is (or, `negated`, is not) one of a few constants, and not NULL."""

    array: Array
    constants: Sequence[Any]
    negated: bool
    valid: BoolArray | None

    @override
    def mask(self) -> BoolArray:
        return self._finish(self._any(self.array), self.valid)

    @override
    def at(self, rows: Array) -> BoolArray:
        return self._finish(self._any(self.array.take(rows)), None if self.valid is None else self.valid.take(rows))

    def _any(self, values: Array) -> BoolArray:
        found: BoolArray = values == self.constants[0]
        for constant in self.constants[1:]:
            found |= values == constant
        return found

    def _finish(self, found: BoolArray, valid: BoolArray | None) -> BoolArray:
        if self.negated:
            np.logical_not(found, out=found)
        return found if valid is None else np.logical_and(found, valid, out=found)


@dataclass(slots=True)
class ByCode(Condition):
    """The text's dictionary entry passes a test, and the cell is not NULL.

    `test` runs over the whole dictionary each time and gives one flag for each code.
    """

    codes: Array
    test: Callable[[], BoolArray]
    valid: BoolArray | None

    @override
    def mask(self) -> BoolArray:
        found = self.test().take(self.codes)
        return found if self.valid is None else np.logical_and(found, self.valid, out=found)

    @override
    def at(self, rows: Array) -> BoolArray:
        found = self.test().take(self.codes.take(rows))
        return found if self.valid is None else found & self.valid.take(rows)


@dataclass(slots=True)
class ByObject(Condition):
    """A test of each cell's Python value; only for comparisons that no array operation can do."""

    objects: Array
    test: Callable[[Any], bool]

    @override
    def mask(self) -> BoolArray:
        return self._tested(self.objects)

    @override
    def at(self, rows: Array) -> BoolArray:
        return self._tested(self.objects.take(rows))

    def _tested(self, objects: Array) -> BoolArray:
        passed = (value is not None and self.test(value) for value in objects.tolist())
        return np.fromiter(passed, np.bool_, len(objects))


@dataclass(slots=True)
class ThroughPointer(Condition):
    """The referenced parent row exists and meets conditions of its own.

    `pointers` holds the parent's row offset or -1; they are tested on all parents first if that is cheaper.
    """

    pointers: Array
    total: bool
    parents: int
    conditions: Sequence[Condition]

    @override
    def mask(self) -> BoolArray:
        if not self.conditions:
            found: BoolArray = self.pointers >= 0
            return found
        return self._gathered(self.pointers)

    @override
    def at(self, rows: Array) -> BoolArray:
        pointers = self.pointers.take(rows)
        if not self.conditions:
            exists: BoolArray = pointers >= 0
            return exists
        if len(rows) >= self.parents:
            return self._gathered(pointers)
        found = self.conditions[0].at(pointers)
        for condition in self.conditions[1:]:
            found &= condition.at(pointers)
        if not self.total:
            found &= pointers >= 0
        return found

    def _gathered(self, pointers: Array) -> BoolArray:
        of_parent = all_of(self.conditions)
        if self.total:
            return of_parent.take(pointers)
        # One more flag at the end answers for pointer -1.
        return np.concatenate((of_parent, _FAILS)).take(pointers, mode="wrap")


@dataclass(slots=True)
class OrNullRow(Condition):
    """A condition on the optional side of a left join, in which row -1 stands for a row of NULLs."""

    condition: Condition
    passes: bool

    @override
    def mask(self) -> BoolArray:
        return self.condition.mask()

    @override
    def at(self, rows: Array) -> BoolArray:
        missing = rows < 0
        found = self.condition.at(np.where(missing, 0, rows)) if len(rows) else missing
        return np.where(missing, self.passes, found)


def all_of(conditions: Sequence[Condition]) -> BoolArray:
    """The mask of rows that meet each of these conditions (at least one)."""
    mask = conditions[0].mask()
    for condition in conditions[1:]:
        np.logical_and(mask, condition.mask(), out=mask)
    return mask
