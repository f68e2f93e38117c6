"""Adds to errors about the tables of a script where in its text they come from."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import apsw

from app.errors import CellInvalidError, ForeignKeyInvalidError, SqlUnsupportedError
from app.sources.insert_rows import key_at, line_of_row, position_of
from app.sources.options import SourceOptions, Unsupported
from app.sources.sql_refusals import line_of
from app.sources.sql_statements import StatementKind, StatementSplitter
from app.sources.sqlite.schema import TableLayout, read_catalogue
from app.values import fold_identifier


@dataclass(frozen=True, slots=True)
class ScriptPlaces:
    """A script that SQLite took, and the database that it made."""

    text: str
    options: SourceOptions
    made: apsw.Connection

    @contextmanager
    def naming_lines(self, read: apsw.Connection) -> Iterator[None]:
        """Let errors name the line of their row or definition; `read` has the tables of `made`, with equal rows."""
        try:
            yield
        except CellInvalidError as error:
            error.add_where(line=self._line_of_cell(read, error.where))
            raise
        except (ForeignKeyInvalidError, SqlUnsupportedError) as error:
            error.add_where(line=self._line_of_definition(str(error.where.get("table"))))
            raise

    def _line_of_cell(self, read: apsw.Connection, where: Mapping[str, object]) -> int | None:
        table, column, row = str(where["table"]), str(where["column"]), int(str(where["row"]))
        position = position_of(read, _layout(read, table), row)
        key = key_at(self.made, _layout(self.made, table), position, column)
        return line_of_row(self.text, self.options.unsupported, table, key) if key else None

    def _line_of_definition(self, table: str) -> int | None:
        wanted = fold_identifier(table)
        for statement in StatementSplitter(self.text, self.options.unsupported).statements():
            if statement.kind is StatementKind.TABLE and fold_identifier(statement.name) == wanted:
                return line_of(self.text, statement.start)
        return None


def _layout(connection: apsw.Connection, table: str) -> TableLayout:
    layouts = read_catalogue(connection, Unsupported.SKIP).layouts
    return next(layout for layout in layouts if layout.schema.name == table)
