"""The SQL oracle: answers plans from the source with SQLite; it never sees a graph."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import inf
from types import TracebackType
from typing import TypeAlias

import apsw

from app.budget import RowLimit, check_deadline
from app.errors import GraphwrightError, IntegerOverflowError, OracleError
from app.oracle.compile_sql import compile_sql
from app.oracle.connection import copy_of_image, read_only_file
from app.oracle.key_indexes import KeyIndexes
from app.oracle.table_database import database_of_tables
from app.sources.files.input_file import InputFile
from app.tables.table import TableSet
from app.values import Scalar
from app.workload.bound import BoundPlan
from app.workload.plan import Function

Row: TypeAlias = tuple[Scalar, ...]

_CHUNK_ROWS = 8_192


@dataclass(frozen=True, slots=True)
class OracleAnswer:
    """A plan's answer: output aliases and rows, in order if the plan orders them, duplicates kept."""

    columns: tuple[str, ...]
    rows: list[Row]


class SqliteOracle:
    """Answers bound plans over one SQLite database that is its own; close it, or use it in `with`.

    Work ends with `TimeBudgetExhaustedError` when the current deadline passes. Not for several threads at a time.
    """

    def __init__(self, connection: apsw.Connection, *, may_index: bool, row_limit: RowLimit | None = None) -> None:
        """Take over `connection`; `may_index` says that it is a private copy; `row_limit` bounds each answer."""
        self._connection = connection
        self._indexes = KeyIndexes(connection) if may_index else None
        self._row_limit = row_limit

    @classmethod
    def over_image(cls, image: bytes | InputFile | TableSet, row_limit: RowLimit | None = None) -> "SqliteOracle":
        """An oracle over its own in-memory copy of an image or of tables, or over a file opened read-only.

        Raises `SourceChangedError` if the file is no longer the one that was read.
        """
        if isinstance(image, TableSet):
            return cls(database_of_tables(image), may_index=True, row_limit=row_limit)
        if isinstance(image, InputFile):
            return cls(read_only_file(image), may_index=False, row_limit=row_limit)
        return cls(copy_of_image(image), may_index=True, row_limit=row_limit)

    def __enter__(self) -> "SqliteOracle":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the database."""
        self._connection.close()

    def answers(self, plan: BoundPlan) -> OracleAnswer:
        """The source's answer to a plan.

        Raises `IntegerOverflowError`, `OracleError` (SQLite refuses, or a real sum is infinite), `QueryLimitError` and
        `TimeBudgetExhaustedError`.
        """
        check_deadline()
        try:
            if self._indexes is not None:
                self._indexes.prepare(plan)
            rows = self._rows(plan)
        except apsw.Error as error:
            check_deadline()
            raise _translated(error, plan) from error
        _check_finite(plan, rows)
        return OracleAnswer(tuple(output.name for output in plan.outputs), rows)

    def _rows(self, plan: BoundPlan) -> list[Row]:
        rows: list[Row] = []
        for chunk in _chunks(self._connection.execute(*compile_sql(plan))):
            rows.extend(chunk)
            check_deadline()
            if self._row_limit is not None:
                self._row_limit.check(len(rows))
        return rows


def _chunks(cursor: apsw.Cursor) -> Iterator[list[Row]]:
    while chunk := list(islice(cursor, _CHUNK_ROWS)):
        yield chunk


def _translated(error: apsw.Error, plan: BoundPlan) -> GraphwrightError:
    if "integer overflow" in str(error):
        return IntegerOverflowError(
            f"Plan {plan.id}: an integer sum leaves 64 bits.",
            hint="Sum a smaller group, or store the column as REAL.",
            plan=plan.id,
        )
    return OracleError(f"Plan {plan.id}: SQLite could not answer it: {error}.", plan=plan.id)


def _check_finite(plan: BoundPlan, rows: list[Row]) -> None:
    """A sum of finite reals can overflow to infinity, which JSON cannot say and no graph could confirm."""
    for offset, output in enumerate(plan.outputs):
        if output.function not in (Function.SUM, Function.AVG):
            continue
        if any(row[offset] in (inf, -inf) for row in rows):
            raise OracleError(
                f"Plan {plan.id}: {output.function} overflows REAL.",
                hint="Aggregate a smaller group, or scale the column.",
                plan=plan.id,
                column=output.name,
            )
