"""Some consecutive rows of a script, as columns of cells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from app.sources.dialect import Dialect
from app.sources.sql.lexing.syntax import Syntax

Cell: TypeAlias = str | bytes | None
"""A value before its column's affinity makes a number of it: text, bytes, or None for NULL."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What the literals of some rows may hold, since looking for less takes less time.

    `quotes`: doubled quotes, or escapes if they mean something; `casts` of PostgreSQL; `bases`: numbers of MySQL in
    another base; `defaults`: the word DEFAULT.
    """

    quotes: bool = True
    casts: bool = True
    bases: bool = True
    defaults: bool = True

    @classmethod
    def of(cls, text: str, syntax: Syntax) -> "Signs":
        """What the text of the rows calls for."""
        mysql = syntax.dialect is Dialect.MYSQL
        return cls(
            quotes="''" in text or (syntax.escapes and "\\" in text),
            casts=not mysql and "::" in text,
            bases=mysql and ("0x" in text or "0b" in text),
            defaults="default" in text.lower(),
        )


ALL_SIGNS = Signs()


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Rows as columns, and where each begins in the script.

    The cells are literals as written, in the words of `syntax`; of COPY, which has none (None), texts and NULLs.
    `begins` says of each row whether a statement begins with it; `signs` are those of all cells.
    """

    columns: Sequence[Sequence[str | None]]
    starts: Sequence[int]
    begins: Sequence[bool]
    signs: Signs
    syntax: Syntax | None = None

    def row(self, place: int) -> "RowBatch":
        """One of the rows as a batch of its own."""
        one = slice(place, place + 1)
        columns = [column[one] for column in self.columns]
        return replace(self, columns=columns, starts=self.starts[one], begins=self.begins[one])

    def __len__(self) -> int:
        return len(self.starts)
