"""Generated tables as columns, and how they become a SQLite file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

_WRITTEN_AT_ONCE = 100_000


@dataclass(frozen=True)
class GeneratedColumn:
    """A name, its declaration, and its cells; `nulls` says where they are NULL."""

    name: str
    declaration: str
    values: npt.NDArray[Any]
    nulls: npt.NDArray[np.bool_] | None = None

    def cells(self, start: int, end: int) -> list[Any]:
        cells = self.values[start:end].astype(object)
        if self.nulls is not None:
            cells[self.nulls[start:end]] = None
        return list(cells)


@dataclass(frozen=True)
class GeneratedTable:
    """Columns of equal length; the first is the primary key unless `constraints` say otherwise."""

    name: str
    columns: Sequence[GeneratedColumn]
    constraints: Sequence[str] = ()
    indexes: Sequence[str] = field(default=())

    @property
    def rows(self) -> int:
        return len(self.columns[0].values)

    def write(self, connection: apsw.Connection) -> None:
        parts = [f"{column.name} {column.declaration}" for column in self.columns] + list(self.constraints)
        connection.execute(f"CREATE TABLE {self.name} ({', '.join(parts)})")
        places = ", ".join("?" * len(self.columns))
        for start in range(0, self.rows, _WRITTEN_AT_ONCE):
            cells = [column.cells(start, start + _WRITTEN_AT_ONCE) for column in self.columns]
            connection.executemany(f"INSERT INTO {self.name} VALUES ({places})", zip(*cells, strict=True))


def write_image(tables: Sequence[GeneratedTable], path: Path) -> None:
    """Write tables as a SQLite file; nothing but the declared keys is indexed."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    with connection:
        for table in tables:
            table.write(connection)
    connection.close()


class Values:
    """Random columns with a fixed seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def key(self, rows: int, name: str = "id") -> GeneratedColumn:
        return GeneratedColumn(name, "INTEGER PRIMARY KEY", np.arange(1, rows + 1))

    def reference(
        self, name: str, target: str, parents: int, rows: int, *, skew: float = 1.0, missing: float = 0.0
    ) -> GeneratedColumn:
        """A foreign key; with `skew` over 1 low keys are referenced more often."""
        drawn = (self._random.random(rows) ** skew * parents).astype(np.int64) + 1
        return GeneratedColumn(name, f"INTEGER REFERENCES {target}(id)", drawn, self._missing(rows, missing))

    def clustered(self, name: str, target: str, parents: int, rows: int) -> GeneratedColumn:
        """A foreign key whose rows stand in order of their parents, as lines of orders do."""
        drawn = np.sort(self._random.integers(1, parents + 1, rows))
        return GeneratedColumn(name, f"INTEGER NOT NULL REFERENCES {target}(id)", drawn)

    def category(self, name: str, choices: Sequence[str], rows: int, missing: float = 0.0) -> GeneratedColumn:
        """Text of a few values, the first more often than the last."""
        drawn = (self._random.random(rows) ** 1.5 * len(choices)).astype(np.int64)
        return GeneratedColumn(name, "TEXT", np.array(choices, object)[drawn], self._missing(rows, missing))

    def amount(self, name: str, high: float, rows: int, missing: float = 0.0) -> GeneratedColumn:
        drawn = np.round(self._random.gamma(2.0, high / 8, rows), 2)
        return GeneratedColumn(name, "REAL", drawn, self._missing(rows, missing))

    def integer(self, name: str, low: int, high: int, rows: int, missing: float = 0.0) -> GeneratedColumn:
        return GeneratedColumn(
            name, "INTEGER", self._random.integers(low, high + 1, rows), self._missing(rows, missing)
        )

    def name(self, name: str, stem: str, rows: int) -> GeneratedColumn:
        """A different text for each row."""
        numbers = self._random.permutation(rows)
        return GeneratedColumn(name, "TEXT", np.array([f"{stem} {number:07d}" for number in numbers.tolist()], object))

    def words(self, name: str, words: Sequence[str], length: int, rows: int) -> GeneratedColumn:
        """Short sentences; many are alike in large tables."""
        drawn = self._random.integers(0, len(words), (rows, length)).tolist()
        texts = [" ".join(words[part] for part in row) for row in drawn]
        return GeneratedColumn(name, "TEXT", np.array(texts, object))

    def day(self, name: str, rows: int) -> GeneratedColumn:
        first = np.datetime64("2019-01-01")
        days = np.datetime_as_string(first + np.arange(2_000)).astype(object)
        return GeneratedColumn(name, "DATE", days[self._random.integers(0, 2_000, rows)])

    def _missing(self, rows: int, share: float) -> npt.NDArray[np.bool_] | None:
        return self._random.random(rows) < share if share else None
