"""What happens between rows: blocks of rows in order, and changes of what numbers are drawn next."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from app.sources.sql.definitions.model import Sequence, SqlColumn, SqlTable
from app.sources.sql.script import Script
from app.sources.sql.statements import Statement


@dataclass(frozen=True, slots=True)
class RowBlock:
    """A statement with rows, its table, and the columns of the table as they are then.

    `after_name` is the offset after the table's name.
    """

    statement: Statement
    table: SqlTable
    columns: tuple[SqlColumn, ...]
    after_name: int


@dataclass(frozen=True, slots=True)
class NumberChange:
    """AUTO_INCREMENT of a table counts from `least`, or from its greatest number; zeros in it may be renumbered."""

    table: SqlTable
    least: int
    script: Script
    at: int


@dataclass(frozen=True, slots=True)
class SequenceChange:
    """A sequence gets other numbers; what is None stays. Without a `sequence` that holds for all of them.

    `is_known` is false if only the server can tell what is drawn next.
    """

    sequence: Sequence | None
    next: int | None = None
    step: int | None = None
    greatest: int | None = None
    is_known: bool = True

    def apply(self, sequences: Iterable[Sequence]) -> None:
        """Carry it out; `sequences` are all that there are."""
        for sequence in sequences if self.sequence is None else [self.sequence]:
            sequence.step = sequence.step if self.step is None else self.step
            sequence.greatest = sequence.greatest if self.greatest is None else self.greatest
            if self.next is not None:
                sequence.next = self.next
            sequence.is_known = self.is_known and (sequence.is_known or self.next is not None)


Change: TypeAlias = NumberChange | SequenceChange
Event: TypeAlias = RowBlock | Change
