"""How long-running work reports its progress: one small record a step, handed to a callback."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Progress:
    """A step: `phase` is its stable name, `message` is for people; `done` of `total` if they are known."""

    phase: str
    message: str
    done: int | None = None
    total: int | None = None

    @property
    def fraction(self) -> float | None:
        """The share done, from 0 to 1; None if it is unknown."""
        if self.done is None or not self.total:
            return None
        return min(1.0, self.done / self.total)


ProgressCallback: TypeAlias = Callable[[Progress], None]


def no_progress(_step: Progress) -> None:
    """Progress that nobody watches."""
