"""Where in a dump a cell was written: once something is wrong with one, the rows before it are read again."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.budget import check_deadline
from app.sources.dumps.blocks import placed
from app.sources.dumps.catalogue import FinalCatalogue, FinalTable
from app.sources.dumps.definitions import RowBlock
from app.sources.dumps.literals import Cell
from app.sources.dumps.script import Script


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a row begins, and its cell as the dump has it; None is NULL too, and a column that the row leaves out."""

    script: Script
    at: int
    cell: Cell


def origin_of(
    blocks: Iterable[RowBlock], catalogue: FinalCatalogue, table: FinalTable, column: str, row: int
) -> Origin:
    """The origin of a cell of a row, which is counted from 0 over all blocks of its table."""
    left = row
    for block in blocks:
        if catalogue.holder(block.table) is not table:
            continue
        rows, batches = placed(block, catalogue)
        for batch in batches:
            check_deadline()
            if left < len(batch.starts):
                cell = batch.columns[rows.columns.index(column)][left] if column in rows.columns else None
                return Origin(rows.script, batch.starts[left], cell)
            left -= len(batch.starts)
    raise AssertionError("every row of a table stands in one of its blocks")
