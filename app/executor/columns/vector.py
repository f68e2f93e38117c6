"""Values with NULLs as operators hand them on: a column of an answer before anybody asks for rows."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from app.tables.column import Column, Kind
from app.tables.dictionary import BoolArray, CodeArray, TextDictionary
from app.values import Scalar

Array = npt.NDArray[Any]


class Texts(Protocol):
    """Turns dictionary codes into texts."""

    @property
    def dictionary(self) -> TextDictionary:
        """The texts by code."""

    def decode(self, codes: CodeArray) -> list[Scalar]:
        """The text of each code."""


@dataclass(slots=True)
class Vector:
    """Values of one kind, shape (rows,); `nulls` is True where a value is NULL, None without NULLs.

    Values are as in `Column`; `texts` is set for TEXT.
    """

    kind: Kind
    values: Array
    nulls: BoolArray | None = None
    texts: Texts | None = None

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Array) -> "Vector":
        """The values at these offsets."""
        nulls = None if self.nulls is None else self.nulls.take(rows)
        return Vector(self.kind, self.values.take(rows), nulls, self.texts)

    def to_list(self) -> list[Scalar]:
        """The values as Python scalars, None for NULL."""
        scalars: list[Scalar] = self.values.tolist() if self.texts is None else self.texts.decode(self.values)
        if self.nulls is not None:
            for row in self.nulls.nonzero()[0].tolist():
                scalars[row] = None
        return scalars

    def column(self) -> Column:
        """The values as a column; it shares the dictionary of the column that they come from."""
        nulls = self.nulls if self.nulls is not None and self.nulls.any() else None
        dictionary = None if self.texts is None else self.texts.dictionary
        values = self.values
        if nulls is not None or values.flags.writeable:
            values = values.copy()
        if nulls is not None:
            values[nulls] = None if self.kind is Kind.MIXED else 0
        return Column(self.kind, values, nulls, dictionary)


def with_nulls(vector: Vector, nulls: BoolArray) -> Vector:
    """The vector with more NULLs."""
    merged = nulls if vector.nulls is None else vector.nulls | nulls
    return Vector(vector.kind, vector.values, merged, vector.texts)


def mixed_vector(scalars: list[Scalar]) -> Vector:
    """A vector of Python scalars of any types."""
    objects = np.empty(len(scalars), object)
    objects[:] = scalars
    nulls = np.fromiter((scalar is None for scalar in scalars), np.bool_, len(scalars))
    return Vector(Kind.MIXED, objects, nulls if nulls.any() else None)
