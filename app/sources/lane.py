"""Reads consecutive rows of a table through SQLite, some ten thousand at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import apsw

from app.budget import check_deadline
from app.sources.cells import RowRange
from app.sources.chunk import Chunk, add_cells
from app.sources.column_reader import ColumnReader
from app.sources.sqlite_schema import quoted


@dataclass(frozen=True, slots=True)
class Lane:
    """A connection, and the consecutive rows of a table that it reads."""

    connection: apsw.Connection
    rows: RowRange
    readers: Sequence[ColumnReader]

    def read(self, chunk_rows: int) -> int:
        """Read all rows of the lane and return how many there were."""
        if self.rows.bounds is None:
            return self._read_in_order(chunk_rows)
        return self._read_by_rowid(*self.rows.bounds, chunk_rows)

    def _read_in_order(self, chunk_rows: int) -> int:
        """Read cell by cell in one pass; a BLOB comes empty, since it is refused whatever it holds."""
        cells = (f"CASE typeof({name}) WHEN 'blob' THEN x'' ELSE {name} END" for name in self._names())
        cursor = self.connection.execute(f"SELECT {', '.join(cells)} {self.rows.clause}")
        rows = 0
        while added := add_cells(self.connection, self.rows, self.readers, lambda: list(islice(cursor, chunk_rows))):
            rows += added
            check_deadline()
        return rows

    def _names(self) -> list[str]:
        return [reader.name for reader in self.readers]

    def _read_by_rowid(self, low: int, high: int, chunk_rows: int) -> int:
        read = 0
        while chunk := self._next_chunk(low, high, chunk_rows):
            check_deadline()
            try:
                chunk.read()
            except apsw.TooBigError:
                if chunk.count == 1:
                    raise
                chunk_rows = max(1, chunk.count // 4)
                continue
            read += chunk.count
            if chunk.last == high:
                break
            low = chunk.last + 1
        return read

    def _next_chunk(self, low: int, high: int, limit: int) -> Chunk | None:
        """The next `limit` rows from row id `low` to `high`, or None if there are none."""
        row_id, table = self.rows.rowid, quoted(self.rows.table)
        ids = f"SELECT {row_id} AS id FROM {table} NOT INDEXED WHERE {row_id} BETWEEN ? AND ? ORDER BY 1 LIMIT ?"  # noqa: S608
        last, count = one_row(self.connection, f"SELECT max(id), count(*) FROM ({ids})", (low, high, limit))  # noqa: S608
        return Chunk(self.connection, replace(self.rows, bounds=(low, last)), self.readers, count) if count else None


def one_row(connection: apsw.Connection, query: str, bindings: tuple[int | str, ...] = ()) -> Any:
    """The only row of a query."""
    return connection.execute(query, bindings).fetchall()[0]
