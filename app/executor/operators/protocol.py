"""What every operator is."""

from abc import ABC, abstractmethod

from app.executor.operators.frame import Frame


class Operator(ABC):
    """One step of a compiled plan; everything that does not depend on the run was resolved when it was made."""

    __slots__ = ()

    def prepare(self) -> None:  # noqa: B027 (most steps read nothing that is not built yet)
        """Build the indexes that the step reads, so that their cost is not that of the first run."""

    @abstractmethod
    def run(self, frame: Frame) -> None:
        """Do the step's work on the joined rows."""

    @abstractmethod
    def describe(self) -> str:
        """One line for `explain()`."""

    def examined(self) -> int:
        """Rows of the source that the last run read to begin with; 0 for steps that follow others."""
        return 0
