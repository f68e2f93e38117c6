"""A column that grows block by block while its table is read."""

from collections.abc import Sequence

import pyarrow as pa

from app.tables.column import Column, Kind, concatenated, null_column, text_column
from app.tables.dictionary import ArrowText
from app.tables.schema import ColumnSchema
from app.values import Affinity

_KIND_OF_AFFINITY = {Affinity.TEXT: Kind.TEXT, Affinity.REAL: Kind.FLOAT64}


class ColumnBuilder:
    """Blocks of one column in order; Arrow texts become a dictionary once all of them are there."""

    def __init__(self, schema: ColumnSchema) -> None:
        self.schema = schema
        self._blocks: list[Column | ArrowText] = []

    def add(self, block: Column | ArrowText) -> None:
        """Append a block."""
        self._blocks.append(block)

    def take(self) -> list[Column | ArrowText]:
        """The blocks so far, which the builder then holds no longer."""
        blocks, self._blocks = self._blocks, []
        return blocks


def finished(builders: Sequence[ColumnBuilder]) -> Column:
    """The whole column that several builders hold in order; without any value it has the kind of its affinity."""
    column = _joined([block for builder in builders for block in builder.take()])
    if column.null_count() == len(column):
        return null_column(len(column), _KIND_OF_AFFINITY.get(builders[0].schema.affinity, Kind.INT64))
    return column


def _joined(blocks: list[Column | ArrowText]) -> Column:
    if blocks and all(isinstance(block, pa.Array) for block in blocks):
        return text_column(pa.chunked_array(blocks, pa.large_string()))
    return concatenated([block if isinstance(block, Column) else text_column(block) for block in blocks])
