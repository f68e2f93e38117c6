"""The preview of SQL text: the reader of definitions and rows that a build has, with problems collected."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cached_property

from app.budget import check_deadline, deadline
from app.errors import SourceError, TimeBudgetExhaustedError
from app.inspect.preview.limits import COLUMNS, DEFINITION_SECONDS, ROW_SECONDS, TABLES
from app.inspect.preview.model import (
    PreviewColumn,
    PreviewTable,
    PreviewWarning,
    Reference,
    placeholder,
    shown_cell,
    shown_text,
)
from app.inspect.preview.script.comments import comments_beside
from app.inspect.preview.script.problems import Problems
from app.inspect.preview.script.rows import ShownRows, SqlRows
from app.sources.dialect import Dialect
from app.sources.options import Unsupported
from app.sources.sql.definitions.model import SqlColumn, SqlTable
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.tokens import TokenBudget, TokensExhaustedError
from app.sources.sql.loading.catalogue import FinalCatalogue, FinalTable
from app.sources.sql.loading.scripts import in_encoding
from app.sources.sql.reading.definitions import Definitions
from app.sources.sql.statements.encodings import UTF8
from app.sources.sql.statements.splitter import Statement, StatementSplitter
from app.sources.sqlite.connection import open_memory
from app.values import fold_identifier

_MOST_GENERATED = 20
_COMPUTED = placeholder("computed")
_OBJECTS = ("view", "materialized view", "trigger", "rule", "function", "procedure", "aggregate", "event", "type")
"""What a database has beside tables and is worth a word; what keeps, finds or guards rows is not."""


class SqlPreview:
    """Collects tables and warnings from the scripts of one source, in order; all `add` before anything is asked."""

    def __init__(self, dialect: Dialect, budget: TokenBudget | None = None) -> None:
        self._problems = Problems()
        self._definitions = Definitions(dialect, self._problems.add, budget)
        self._warnings: list[PreviewWarning] = []
        self._commented: dict[tuple[int, int], Statement] = {}
        self._is_partial = False

    def add(self, script: Script, codec: str = UTF8) -> None:
        """Take in one script, whose text was decoded by a codec; what cannot be shown becomes a warning."""
        statements = StatementSplitter(script, self._definitions.session).statements()
        try:
            with deadline(DEFINITION_SECONDS, "looking at statements"):
                self._definitions.read(self._noted(in_encoding(statements, codec)))
        except TokensExhaustedError:
            self._stop("preview_limit", f"{script.name} has more words than a preview looks at", file=script.name)
        except TimeBudgetExhaustedError:
            check_deadline()
            self._stop("preview_limit", f"{script.name} takes longer to look at than a preview may", file=script.name)
        except SourceError as error:
            self._stop("rest_not_shown", error.message.rstrip("."), **error.where)

    def _noted(self, statements: Iterator[Statement]) -> Iterator[Statement]:
        """The statements; those that may hold comments beside columns are kept."""
        for statement in statements:
            if not statement.has_rows:
                self._commented[id(statement.script), statement.start] = statement
            yield statement

    def _stop(self, code: str, message: str, **where: object) -> None:
        """The rest of a script stays unseen, and so no number of rows is known."""
        self._is_partial = True
        self._warnings.append(PreviewWarning(code, f"{message}; what follows is not shown.", where))

    @property
    def is_empty(self) -> bool:
        """Whether everything was seen, and nothing of it was a table or something that a database has beside tables."""
        return not (self.tables or self._is_partial or len(self._problems) or self._objects())

    @property
    def warnings(self) -> tuple[PreviewWarning, ...]:
        """What is not shown: of statements one warning for each kind."""
        assert self.tables is not None, "rows have problems too"
        objects = [
            PreviewWarning("object_not_shown", f"{count:,} × {kind}: not shown.", {"object": kind, "count": count})
            for kind, count in self._objects().items()
        ]
        return (*self._warnings, *self._problems.warnings(), *objects)

    def _objects(self) -> Mapping[str, int]:
        counts = self._definitions.skipped.counts
        return {kind: counts[kind] for kind in _OBJECTS if kind in counts}

    @cached_property
    def tables(self) -> tuple[PreviewTable, ...]:
        """All tables in order of definition; beyond the limit of tables they have no columns and rows."""
        if not (self._is_partial or self._definitions.session.dialect is Dialect.SQLITE):
            self._definitions.finish()
        catalogue = FinalCatalogue(self._definitions, Unsupported.SKIP)
        self._warn_of_left_out(catalogue)
        rows = self._rows(catalogue)
        budget = TokenBudget()
        return tuple(
            self._table(table, rows[table.name], budget)
            if place < TABLES
            else PreviewTable(table.name, (), row_count=rows[table.name].count)
            for place, table in enumerate(catalogue.tables)
        )

    def _warn_of_left_out(self, catalogue: FinalCatalogue) -> None:
        """Say which columns and keys a build would leave out."""
        computed = [
            (table.name, column.name)
            for table in catalogue.tables
            for kept in [{column.name for column in table.columns}]
            for column in table.declared.columns
            if column.name not in kept
        ]
        for table, column in computed[:_MOST_GENERATED]:
            message = f"{table}.{column} is computed; a build takes stored columns only."
            self._warnings.append(PreviewWarning("generated_column", message, {"table": table, "column": column}))
        self._warnings += [PreviewWarning(each.code.value, each.message, each.where) for each in catalogue.warnings]

    def _rows(self, catalogue: FinalCatalogue) -> Mapping[str, ShownRows]:
        """The first rows of tables, and their numbers as far as time allows."""
        with closing(open_memory()) as connection:
            rows = SqlRows(self._definitions, catalogue, connection, self._problems)
            is_counted = False
            try:
                with deadline(ROW_SECONDS, "looking at rows"):
                    rows.read_first()
                    if not self._is_partial:
                        rows.count()
                        is_counted = True
            except TimeBudgetExhaustedError:
                check_deadline()
                message = "The rows take longer to look at than a preview may; they are not counted."
                self._warnings.append(PreviewWarning("preview_limit", message))
        return rows.of if is_counted else {name: replace(each, count=None) for name, each in rows.of.items()}

    def _table(self, table: FinalTable, rows: ShownRows, budget: TokenBudget) -> PreviewTable:
        declared = table.declared
        comments = self._comments(declared, budget)
        columns = tuple(_column(each, comments) for each in declared.columns[:COLUMNS])
        references = [Reference(each.columns, each.parent, each.targets) for each in table.plain.references[:COLUMNS]]
        return PreviewTable(
            table.name,
            columns,
            table.plain.primary_key,
            tuple(references),
            rows.count,
            tuple(tuple(shown_cell(row.get(column.name, _COMPUTED)) for column in columns) for row in rows.first),
            len(declared.columns),
        )

    def _comments(self, table: SqlTable, budget: TokenBudget) -> dict[str, str]:
        """Comments of columns by folded name: those of the database, else those that stand beside them."""
        statement = self._commented.get((id(table.script), table.at))
        beside = {} if statement is None else comments_beside(statement, table.columns, budget)
        own = {fold_identifier(name): comment for name, comment in table.comments.items() if name and comment}
        return beside | own


def _column(column: SqlColumn, comments: Mapping[str, str]) -> PreviewColumn:
    comment = shown_text(comments.get(fold_identifier(column.name), ""))
    return PreviewColumn(column.name, column.declared, column.not_null, comment)


def declared_comments(sql: str, budget: TokenBudget) -> dict[str, str]:
    """The comments beside columns of a CREATE TABLE of SQLite, by folded name; none of one that is not understood."""
    problems = Problems()
    definitions = Definitions(Dialect.SQLITE, problems.add, budget)
    statements = list(StatementSplitter(Script("", sql), definitions.session).statements())
    definitions.read(statements)
    return {
        name: comment
        for table in definitions.tables.values()
        for name, comment in comments_beside(statements[0], table.columns, budget).items()
    }
