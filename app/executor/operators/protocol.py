"""What every operator is."""

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

from app.executor.operators.frame import Alias, Frame

RowOrder: TypeAlias = tuple[tuple[Alias, bool], ...]
"""Joined rows are ordered by the row offsets of these aliases, the first one first; True where they descend.

Empty if nothing is known of their order.
"""


class Operator(ABC):
    """One step of a compiled plan; everything that does not depend on the run was resolved when it was made."""

    __slots__ = ()

    reads_entities: ClassVar[bool] = False
    """Whether the step finds its rows through attribute entities."""

    def prepare(self) -> None:  # noqa: B027 (most steps read nothing that is not built yet)
        """Build the indexes that the step reads, so that their cost is not that of the first run."""

    def count_only(self) -> None:  # noqa: B027 (most steps list their rows in any case)
        """Learn that nothing reads the rows that the step finds, only their number."""

    @abstractmethod
    def run(self, frame: Frame) -> None:
        """Do the step's work on the joined rows."""

    @abstractmethod
    def describe(self) -> str:
        """The step in words, on one line."""

    def order(self, before: RowOrder) -> RowOrder:
        """The order in which the step leaves rows that came in the order `before`: most keep rows where they are."""
        return before

    def examined(self) -> int:
        """Rows of the source that the last run read to begin with; 0 for steps that follow others."""
        return 0
