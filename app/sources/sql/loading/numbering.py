"""Draws the numbers that rows leave to their database: from sequences of PostgreSQL, or as AUTO_INCREMENT counts."""

from collections.abc import Sequence as Cells
from dataclasses import dataclass

from app.sources.sql.definitions.model import Sequence
from app.sources.sql.rows.batches import Cell
from app.sources.sql.values.bad_value import BadValueError

_FREE = "0"


def drawn(sequence: Sequence, cells: Cells[Cell], places: Cells[int]) -> list[Cell]:
    """The cells with the next numbers of a sequence at `places`, in order."""
    numbered = list(cells)
    for place in places:
        number = sequence.draw()
        if number is None:
            known = "has no number left" if sequence.is_known else "has a next number that only its database knows"
            raise BadValueError(place, f"takes a number of the sequence {sequence.name.label}, which {known}")
        numbered[place] = str(number)
    return numbered


@dataclass(slots=True)
class Counter:
    """What AUTO_INCREMENT of one table counts on from.

    InnoDB reserves a number for each row of a statement before it knows how many rows bring their own, so that after a
    statement that mixes both only the server knows which number is next (MySQL's manual, 17.6.1.6).
    """

    next: int = 1
    greatest: int = 0
    is_known: bool = True

    def numbered(self, cells: Cells[Cell], begins: Cells[bool], *, zero_draws: bool) -> list[Cell]:
        """The cells with the next number for NULL, and for 0 if that draws one; `begins` marks new statements."""
        free = (None, _FREE) if zero_draws else (None,)
        numbered: list[Cell] = []
        draws = gives = False
        for place, (cell, is_first) in enumerate(zip(cells, begins, strict=True)):
            if is_first:
                self.is_known = self.is_known and not (draws and gives)
                draws = gives = False
            is_free = cell in free or (zero_draws and _is_zero(cell))
            draws, gives = draws or is_free, gives or not is_free
            numbered.append(self._drawn(place) if is_free else self._given(cell))
        self.is_known = self.is_known and not (draws and gives)
        return numbered

    def _drawn(self, place: int) -> str:
        if not self.is_known:
            raise BadValueError(
                place, "takes a number that only its database knows after rows with numbers of their own"
            )
        number = self.next
        self.greatest, self.next = max(self.greatest, number), number + 1
        return str(number)

    def _given(self, cell: Cell) -> Cell:
        number = int(cell) if isinstance(cell, str) and cell.lstrip("+-").isdecimal() else 0
        self.greatest = max(self.greatest, number)
        self.next = max(self.next, number + 1)
        return cell

    def count_from(self, least: int) -> None:
        """ALTER TABLE … AUTO_INCREMENT = n, which never goes below what is there."""
        self.next = max(least, self.greatest + 1)
        self.is_known = True


def _is_zero(cell: Cell) -> bool:
    return isinstance(cell, str) and cell.strip("+-0. ") == "" and "0" in cell
