"""Where in a dump a cell was written: once something is wrong with one, the rows before it are read again."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.budget import check_deadline
from app.sources.sql.definitions.model import Event, RowBlock
from app.sources.sql.lexing.script import Script
from app.sources.sql.loading.catalogue import FinalCatalogue, FinalTable
from app.sources.sql.rows.batches import Cell
from app.sources.sql.rows.blocks import placed
from app.sources.sql.values.literals import literal_cells


@dataclass(frozen=True, slots=True)
class CellOrigin:
    """Where a row begins, and its cell as the dump has it; None is NULL too, and a column that the row leaves out."""

    script: Script
    at: int
    cell: Cell


def origin_of(
    events: Iterable[Event], catalogue: FinalCatalogue, table: FinalTable, column: str, row: int
) -> CellOrigin:
    """The origin of a cell of a row, which is counted from 0 over all blocks of its table."""
    left = row
    for block in events:
        if not isinstance(block, RowBlock) or catalogue.holder(block.table) is not table:
            continue
        rows, batches = placed(block, table.name)
        names = [each.name for each in rows.columns]
        for batch in batches:
            check_deadline()
            if left < len(batch):
                number = names.index(column) if column in names else None
                cells = literal_cells(batch, number, rows.columns[number].type) if number is not None else None
                return CellOrigin(rows.script, batch.starts[left], cells[left] if cells else None)
            left -= len(batch)
    raise AssertionError("every row of a table stands in one of its blocks")
