"""Some consecutive rows of a script, as columns of cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.sources.sql.lexing.syntax import Syntax

Cell: TypeAlias = str | bytes | None
"""A value before its column's affinity makes a number of it: text, bytes, or None for NULL."""


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Rows as columns, and where each begins in the script.

    The cells are literals as written, in the words of `syntax`; of COPY, which has none (None), texts and NULLs.
    `begins` says of each row whether a statement begins with it.
    """

    columns: Sequence[Sequence[str | None]]
    starts: Sequence[int]
    begins: Sequence[bool]
    text: str
    syntax: Syntax | None = None

    def __len__(self) -> int:
        return len(self.starts)
