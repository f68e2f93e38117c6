"""The rows of SQL text: the first few of each table are shown, all are counted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import apsw

from app.budget import check_deadline
from app.errors import SourceError
from app.inspect.preview.limits import ROWS, TABLES
from app.inspect.preview.script.cells import Affinities, DumpCells, Kept, SqliteCells, TableCells, keeper
from app.inspect.preview.script.problems import Problems
from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import Drawn, NumberChange, RowBlock
from app.sources.sql.loading.catalogue import FinalCatalogue, FinalTable
from app.sources.sql.reading.definitions import Definitions
from app.sources.sql.rows.blocks import placed, row_count


@dataclass(slots=True)
class ShownRows:
    """The first rows of a table by column name, and how many it has; None if that is not known."""

    first: list[Mapping[str, Kept]] = field(default_factory=list)
    count: int | None = 0


class SqlRows:
    """Follows what happens to the rows of all tables; a block that cannot be read leaves their number unknown."""

    def __init__(
        self, definitions: Definitions, catalogue: FinalCatalogue, connection: apsw.Connection, problems: Problems
    ) -> None:
        self._definitions = definitions
        self._catalogue = catalogue
        self._problems = problems
        self.of: dict[str, ShownRows] = {
            table.name: ShownRows(count=None if table.declared.name.label in problems.tables else 0)
            for table in catalogue.tables
        }
        self._loaders = {table.name: keeper(connection, table) for table in catalogue.tables[:TABLES]}
        affinities, shared = Affinities(connection), _shared_sequences(catalogue)
        is_sqlite = definitions.session.dialect is Dialect.SQLITE
        self._cells: dict[str, TableCells] = {
            table.name: SqliteCells(table, affinities, problems)
            if is_sqlite
            else DumpCells(self._loaders[table.name], affinities, problems, shared)
            for table in catalogue.tables[:TABLES]
        }

    def read_first(self) -> None:
        """Read the first rows of the tables that are shown."""
        for event in self._definitions.events:
            check_deadline()
            if isinstance(event, RowBlock):
                self._read_block(event, self._catalogue.holder(event.table))
            elif isinstance(event, NumberChange):
                self._change_numbers(event)
            else:
                event.apply(self._definitions.namespace.sequences.values())

    def _read_block(self, block: RowBlock, table: FinalTable) -> None:
        shown, cells = self.of[table.name], self._cells.get(table.name)
        if cells is None or len(shown.first) == ROWS:
            return
        try:
            rows, batches = placed(block, table.name)
            for batch in batches:
                for place in range(min(len(batch), ROWS - len(shown.first))):
                    shown.first.append(cells.row(rows, batch.row(place)))
                if len(shown.first) == ROWS:
                    return
        except SourceError as error:
            self._problems.add(block.statement, error)
            shown.count = None

    def _change_numbers(self, change: NumberChange) -> None:
        loader = self._loaders.get(self._catalogue.holder(change.table).name)
        if loader is not None:
            loader.change_numbers(change)

    def count(self) -> None:
        """Count the rows of all tables whose blocks could be read so far."""
        for block in self._definitions.events:
            check_deadline()
            if not isinstance(block, RowBlock):
                continue
            table = self._catalogue.holder(block.table).name
            shown = self.of[table]
            if shown.count is None:
                continue
            try:
                shown.count += row_count(block, table)
            except SourceError as error:
                self._problems.add(block.statement, error)
                shown.count = None


def _shared_sequences(catalogue: FinalCatalogue) -> frozenset[int]:
    """The sequences, by their identity, from which several columns draw."""
    columns = (column for table in catalogue.tables for column in table.columns)
    drawn = Counter(id(column.default.sequence) for column in columns if isinstance(column.default, Drawn))
    return frozenset(sequence for sequence, count in drawn.items() if count > 1)
