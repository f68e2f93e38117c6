"""The preview of SQL text: definitions and rows are taken as data, and nothing is executed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from app.budget import check_deadline, deadline
from app.errors import TimeBudgetExhaustedError
from app.sources.dialect import Dialect
from app.sources.preview.definitions import Reader, constraint, items, table_definition, with_keys
from app.sources.preview.limits import COLUMNS, ROWS, SQL_SECONDS, STATEMENT_CHARACTERS, TABLES
from app.sources.preview.literals import DEFAULT, Value, cell_value
from app.sources.preview.model import Cell, PreviewColumn, PreviewTable, PreviewWarning, Reference, shown_text
from app.sources.preview.rows import Rows, RowsHead, copied_rows, copy_head, insert_head, inserted_rows
from app.sources.preview.statements import Statement, Unclosed, statements
from app.sources.preview.stored import stored_cell
from app.sources.preview.tokens import Token, TokenBudget, TokenKind, TokensExhaustedError
from app.values import fold_identifier

_HEAD = 8
_QUIET = frozenset(
    {"SET", "RESET", "BEGIN", "START", "COMMIT", "END", "SAVEPOINT", "RELEASE", "PRAGMA", "DROP", "LOCK", "UNLOCK"}
    | {"USE", "ANALYZE", "VACUUM", "GRANT", "REVOKE", "CREATE INDEX", "CREATE UNIQUE", "CREATE SEQUENCE", "ALTER"}
    | {"CREATE DATABASE", "CREATE SCHEMA", "CREATE EXTENSION", "COMMENT"}
)
"""Statements that say nothing about tables, columns or rows that a preview would show."""

_MOST_KINDS = 20
_MOST_TABLES = 8 * TABLES


@dataclass
class _Draft:
    """A table that is being put together; no `count`: it is not known."""

    table: PreviewTable
    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    count: int | None = 0
    comments: dict[str, str] = field(default_factory=dict)

    def add(self, names: tuple[str, ...], rows: Rows) -> None:
        """Take in the rows of one statement; `names` are the columns that it names."""
        self.rows += [_in_order(row, names, self.table) for row in rows.first]
        self.count = None if self.count is None else self.count + rows.count

    def add_keys(self, key: tuple[str, ...], references: tuple[Reference, ...]) -> None:
        """Take in the keys of a constraint."""
        self.table = with_keys(self.table, key, references)

    def finished(self) -> PreviewTable:
        """The table as it is shown."""
        columns = tuple(
            replace(column, comment=self.comments.get(fold_identifier(column.name), column.comment))
            for column in self.table.columns
        )
        return replace(
            self.table, columns=columns, rows=tuple(self.rows), row_count=self.count, column_count=len(columns)
        )


class SqlPreview:
    """Collects tables and warnings from the scripts of one source, in order."""

    def __init__(self, budget: TokenBudget | None = None) -> None:
        self._drafts: dict[str, _Draft] = {}
        self._budget = TokenBudget() if budget is None else budget
        self._hidden: Counter[str] = Counter()
        self._warnings: list[PreviewWarning] = []
        self._head: RowsHead | None = None
        self._is_partial = False

    def add(self, name: str, text: str, dialect: Dialect) -> None:
        """Take in one script; what cannot be shown becomes a warning."""
        try:
            with deadline(SQL_SECONDS, "looking at statements"):
                self._add_all(name, text, dialect)
        except TokensExhaustedError:
            self._stop(name, "has more words than a preview looks at")
        except TimeBudgetExhaustedError:
            check_deadline()
            self._stop(name, "takes longer to look at than a preview may")

    def _add_all(self, name: str, text: str, dialect: Dialect) -> None:
        for statement in statements(text, dialect):
            if isinstance(statement, Unclosed):
                line = text.count("\n", 0, statement.start) + 1
                self._stop(name, f"has a quote in line {line} that is never closed", "quote_not_closed", line=line)
            else:
                self._add(text, statement)

    def _stop(self, name: str, reason: str, code: str = "preview_limit", **where: object) -> None:
        """The rest of a script stays unseen, and so no number of rows is known."""
        self._is_partial = True
        message = f"{name} {reason}; what follows is not shown."
        self._warnings.append(PreviewWarning(code, message, {"file": name, **where}))

    @property
    def tables(self) -> tuple[PreviewTable, ...]:
        """All tables in order of appearance."""
        tables = (draft.finished() for draft in self._drafts.values())
        return tuple(replace(table, row_count=None) if self._is_partial else table for table in tables)

    @property
    def warnings(self) -> tuple[PreviewWarning, ...]:
        """What is not shown, statements grouped by their kind."""
        hidden = [
            PreviewWarning(
                "statement_not_shown", f"{count:,} × {kind}: not shown.", {"statement": kind, "count": count}
            )
            for kind, count in self._hidden.most_common(_MOST_KINDS)
        ]
        return (*self._warnings, *hidden)

    def _add(self, text: str, statement: Statement) -> None:
        if self._head is not None and text.startswith(self._head.text, statement.start):
            self._insert(text, statement, self._head)
            return
        tokens = statement.lexis.tokens(text, statement.start, statement.end, self._budget)
        head = list(islice((token for token in tokens if token.kind is not TokenKind.COMMENT), _HEAD))
        words = [token.text.upper() for token in head if token.kind is TokenKind.WORD]
        if words[:1] in (["INSERT"], ["REPLACE"]):
            self._begin_inserts(text, statement, words[0])
        elif words[:1] == ["COPY"] and statement.lines is not None:
            self._copy(text, statement, statement.lines)
        elif statement.end - statement.start > STATEMENT_CHARACTERS:
            self._hidden[f"{_kind(words)} (longer than {STATEMENT_CHARACTERS:,} characters)"] += 1
        else:
            self._add_definition(text, statement, words)

    def _begin_inserts(self, text: str, statement: Statement, kind: str) -> None:
        """An INSERT; the ones that follow mostly begin with the same words, which are then understood already."""
        head = insert_head(text, statement, self._budget)
        if head is None:
            self._hidden[kind] += 1
        elif head.has_values:
            self._head = head
            self._insert(text, statement, head)
        else:
            self._hidden[f"{kind} … SELECT"] += 1
            draft = self._draft_of(head, ())
            if draft is not None:
                draft.count = None

    def _insert(self, text: str, statement: Statement, head: RowsHead) -> None:
        known = self._drafts.get(fold_identifier(head.table))
        wanted = ROWS - len(known.rows) if known else ROWS
        rows = inserted_rows(text, statement, head, self._budget, wanted)
        draft = known or self._draft_of(head, rows.first)
        if draft is not None:
            draft.add(head.columns, rows)

    def _copy(self, text: str, statement: Statement, lines: tuple[int, int]) -> None:
        head = copy_head(list(statement.lexis.tokens(text, statement.start, statement.end, self._budget)))
        if head is None:
            self._hidden["COPY"] += 1
            return
        known = self._drafts.get(fold_identifier(head.table))
        rows = copied_rows(text, lines, ROWS - len(known.rows) if known else ROWS)
        draft = known or self._draft_of(head, rows.first)
        if draft is not None:
            draft.add(head.columns, rows)

    def _add_definition(self, text: str, statement: Statement, words: Sequence[str]) -> None:
        kind = _kind(words)
        tokens = statement.lexis.tokens(text, statement.start, statement.end, self._budget)
        if kind == "CREATE TABLE":
            self._define(text, statement, list(tokens))
        elif words[:2] == ["ALTER", "TABLE"]:
            self._alter(list(tokens))
        elif words[:3] == ["COMMENT", "ON", "COLUMN"]:
            self._comment(list(tokens), statement)
        elif words and kind not in _QUIET and words[0] not in _QUIET:
            self._hidden[kind] += 1

    def _define(self, text: str, statement: Statement, tokens: list[Token]) -> None:
        definition = table_definition(text, tokens, statement.lexis)
        if definition is None:
            self._hidden["CREATE TABLE without columns"] += 1
            return
        table = definition.table
        parent = self._drafts.get(fold_identifier(definition.parent))
        if parent is not None:
            table = replace(table, columns=(*parent.table.columns, *table.columns))
        self._drafts[fold_identifier(table.name)] = _Draft(table)
        for column in definition.generated[:_MOST_KINDS]:
            self._warnings.append(
                PreviewWarning(
                    "generated_column",
                    f"{table.name}.{column} is computed; a build takes stored columns only.",
                    {"table": table.name, "column": column},
                )
            )

    def _alter(self, tokens: list[Token]) -> None:
        reader = Reader(tokens)
        reader.skip_words("ALTER", "TABLE", "ONLY", "IF", "EXISTS")
        draft = self._drafts.get(fold_identifier(reader.qualified_name()))
        if draft is None:
            return
        for action in items(reader.tokens[reader.place :]):
            rest = Reader(action)
            if rest.skip_words("ADD"):
                draft.add_keys(*constraint(rest.tokens[rest.place :]))

    def _comment(self, tokens: list[Token], statement: Statement) -> None:
        reader = Reader(tokens)
        reader.skip_words("COMMENT", "ON", "COLUMN")
        parts = [token.name for token in reader.tokens[reader.place :] if token.is_name and not token.is_word("IS")]
        texts = [token for token in reader.tokens if token.kind in (TokenKind.TEXT, TokenKind.ESCAPED)]
        draft = self._drafts.get(fold_identifier(parts[-2])) if len(parts) > 1 else None
        if draft is not None and texts:
            draft.comments[fold_identifier(parts[-1])] = shown_text(str(cell_value(texts[-1:], statement.lexis)))

    def _draft_of(self, head: RowsHead, first: Sequence[tuple[Value, ...]]) -> _Draft | None:
        """The table that rows belong to; one that the source does not define has the columns of its first row."""
        key = fold_identifier(head.table)
        if key.startswith("sqlite_"):
            return None
        if key not in self._drafts and len(self._drafts) < _MOST_TABLES:
            names = head.columns or tuple(f"column {place + 1}" for place in range(len(first[0]) if first else 0))
            self._drafts[key] = _Draft(PreviewTable(head.table, tuple(map(PreviewColumn, names[: 2 * COLUMNS]))))
            self._warnings.append(
                PreviewWarning(
                    "table_not_defined",
                    f"The source holds rows of {head.table} and no definition of it.",
                    {"table": head.table},
                )
            )
        return self._drafts.get(key)


def _kind(words: Sequence[str]) -> str:
    """What a statement is, in its first words."""
    if words[:1] != ["CREATE"]:
        return " ".join(words[:1]) or "statement"
    objects = ("TABLE", "VIEW", "TRIGGER", "FUNCTION", "PROCEDURE", "TYPE", "DOMAIN", "INDEX", "EVENT", "AGGREGATE")
    found = next((word for word in words[1:] if word in objects), None)
    if found == "TABLE" and "VIRTUAL" in words[:3]:
        return "CREATE VIRTUAL TABLE"
    return f"CREATE {found}" if found else " ".join(words[:2])


def _in_order(row: tuple[Value, ...], names: tuple[str, ...], table: PreviewTable) -> tuple[Cell, ...]:
    """The cells of a row in the order of the table's columns."""
    given = names or tuple(column.name for column in table.columns)
    values = dict(zip(map(fold_identifier, given), row, strict=False))
    return tuple(
        stored_cell(values.get(fold_identifier(column.name), DEFAULT), column.storage) for column in table.columns
    )
