"""The answer of a query: columns inside, rows when somebody asks for rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.executor.columns.vector import Vector
from app.tables.column import Column
from app.values import Scalar


@dataclass(slots=True)
class Answer:
    """Named columns of equal length, in the order of the plan's outputs."""

    names: tuple[str, ...]
    vectors: Sequence[Vector]

    def __len__(self) -> int:
        return len(self.vectors[0])

    def columns(self) -> tuple[Column, ...]:
        """The columns, in order."""
        return tuple(vector.column() for vector in self.vectors)

    def rows(self) -> list[tuple[Scalar, ...]]:
        """The rows as tuples of Python scalars."""
        return list(zip(*[vector.to_list() for vector in self.vectors], strict=True))
