"""The preview of SQL text: definitions and rows are taken as data, and nothing is executed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.budget import check_deadline, deadline
from app.errors import TimeBudgetExhaustedError
from app.inspect.preview.limits import ROWS, SQL_SECONDS, STATEMENT_CHARACTERS
from app.inspect.preview.model import PreviewColumn, PreviewTable, PreviewWarning, shown_text
from app.inspect.preview.script.catalogue import Catalogue, Draft
from app.inspect.preview.script.cell_storage import domain_of
from app.inspect.preview.script.definitions import Reader, constraint, domain, items, table_definition
from app.inspect.preview.script.literals import cell_value
from app.inspect.preview.script.rows import Rows, RowsHead, copied_rows, copy_head, insert_head, inserted_rows
from app.inspect.preview.script.statement_heads import first_tokens, is_amendment, is_quiet, subject_of, words_of
from app.inspect.preview.script.statements import Statement, Unclosed, statements
from app.inspect.preview.script.tokens import Token, TokenBudget, TokenKind, TokensExhaustedError
from app.sources.dumps.model import Storage
from app.sources.sql.dialect import Dialect
from app.values import fold_identifier

_MOST_KINDS = 20
_NO_SCHEMAS = frozenset({"", "pg_catalog", "$user"})


class SqlPreview:
    """Collects tables and warnings from the scripts of one source, in order."""

    def __init__(self, dialect: Dialect, budget: TokenBudget | None = None) -> None:
        self._dialect = dialect
        self._catalogue = Catalogue(dialect)
        self._domains: dict[str, Storage | None] = {}
        self._budget = TokenBudget() if budget is None else budget
        self._hidden: Counter[str] = Counter()
        self._warnings: list[PreviewWarning] = []
        self._head: RowsHead | None = None
        self._is_partial = False

    def add(self, name: str, text: str) -> None:
        """Take in one script; what cannot be shown becomes a warning."""
        try:
            with deadline(SQL_SECONDS, "looking at statements"):
                self._add_all(name, text)
        except TokensExhaustedError:
            self._stop(name, "has more words than a preview looks at")
        except TimeBudgetExhaustedError:
            check_deadline()
            self._stop(name, "takes longer to look at than a preview may")

    def _add_all(self, name: str, text: str) -> None:
        for statement in statements(text, self._dialect):
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
        tables = self._catalogue.tables()
        return tuple(replace(table, row_count=None) if self._is_partial else table for table in tables)

    @property
    def is_empty(self) -> bool:
        """Whether everything was seen, and nothing of it was a table or something that a database has beside tables."""
        has_objects = any(subject.startswith("CREATE") for subject in self._hidden)
        return self._catalogue.is_empty and not (self._is_partial or has_objects)

    @property
    def warnings(self) -> tuple[PreviewWarning, ...]:
        """What is not shown, statements grouped by their kind."""
        hidden = [
            PreviewWarning(
                "statement_not_shown", f"{count:,} × {kind}: not shown.", {"statement": kind, "count": count}
            )
            for kind, count in self._hidden.most_common(_MOST_KINDS)
        ]
        return (*self._warnings, *map(_not_defined, self._catalogue.undefined()), *hidden)

    def _add(self, text: str, statement: Statement) -> None:
        if self._head is not None and text.startswith(self._head.text, statement.start):
            self._insert(text, statement, self._head)
            return
        head = first_tokens(self._tokens(text, statement))
        words = words_of(head)
        if words[:1] in (["INSERT"], ["REPLACE"]):
            self._begin_inserts(text, statement, words[0])
        elif words[:1] == ["COPY"] and statement.lines is not None:
            self._copy(text, statement, statement.lines)
        elif statement.end - statement.start > STATEMENT_CHARACTERS:
            self._hidden[f"{subject_of(words)} (longer than {STATEMENT_CHARACTERS:,} characters)"] += 1
        elif subject_of(words) == "CREATE TABLE":
            self._define(text, statement)
        elif is_amendment(words):
            self._amend(text, statement, words[0])
        elif subject_of(words) == "CREATE DOMAIN":
            name, storage = domain(text, list(self._tokens(text, statement)), statement.lexis)
            self._domains[name] = storage
        elif head and not is_quiet(head, words, self._dialect):
            self._hidden[subject_of(words)] += 1

    def _tokens(self, text: str, statement: Statement) -> Iterator[Token]:
        return statement.lexis.tokens(text, statement.start, statement.end, self._budget)

    def _begin_inserts(self, text: str, statement: Statement, kind: str) -> None:
        """An INSERT; the ones that follow mostly begin with the same words, which are then understood already."""
        head = insert_head(text, statement, self._budget, self._catalogue.schema)
        if head is None:
            self._hidden[kind] += 1
        elif head.has_values:
            self._head = head
            self._insert(text, statement, head)
        else:
            self._hidden[f"{kind} … SELECT"] += 1
            draft = self._catalogue.of_rows(head, 0)
            if draft is not None:
                self._catalogue.holder(draft).count = None

    def _insert(self, text: str, statement: Statement, head: RowsHead) -> None:
        self._fill(head, inserted_rows(text, statement, head, self._budget, self._wanted(head)))

    def _copy(self, text: str, statement: Statement, lines: tuple[int, int]) -> None:
        head = copy_head(list(self._tokens(text, statement)), self._catalogue.schema)
        if head is None:
            self._hidden["COPY"] += 1
        else:
            self._fill(head, copied_rows(text, lines, self._wanted(head)))

    def _wanted(self, head: RowsHead) -> int:
        """How many more rows of a table are shown."""
        known = self._catalogue.find(head.table)
        return ROWS if known is None else ROWS - len(self._catalogue.holder(known).rows)

    def _fill(self, head: RowsHead, rows: Rows) -> None:
        draft = self._catalogue.of_rows(head, len(rows.first[0]) if rows.first else 0)
        if draft is not None:
            self._catalogue.add_rows(draft, head.columns, rows)

    def _amend(self, text: str, statement: Statement, verb: str) -> None:
        """Take in what a statement says of tables that are there, or of the names of those that follow."""
        reader = Reader(list(self._tokens(text, statement)), self._catalogue.schema)
        if verb == "ALTER":
            self._alter(reader)
        elif verb == "DROP":
            self._drop(reader)
        elif verb == "COMMENT":
            self._comment(reader, statement)
        else:
            self._change_schema(reader)

    def _define(self, text: str, statement: Statement) -> None:
        tokens = list(self._tokens(text, statement))
        definition = table_definition(text, tokens, statement.lexis, self._catalogue.schema)
        if definition is None:
            self._hidden["CREATE TABLE without columns"] += 1
        elif self._catalogue.define(replace(definition, columns=tuple(map(self._in_domain, definition.columns)))):
            self._warn_of_generated(definition.name.name, definition.generated)
        elif not definition.if_new:
            self._hidden["CREATE TABLE of a table that exists"] += 1

    def _in_domain(self, column: PreviewColumn) -> PreviewColumn:
        """A column whose type the script made of another is kept as that."""
        return replace(column, storage=self._domains.get(domain_of(column.declared_type), column.storage))

    def _warn_of_generated(self, table: str, columns: Sequence[str]) -> None:
        for column in columns[:_MOST_KINDS]:
            message = f"{table}.{column} is computed; a build takes stored columns only."
            self._warnings.append(PreviewWarning("generated_column", message, {"table": table, "column": column}))

    def _alter(self, reader: Reader) -> None:
        reader.skip_words("ALTER", "TABLE", "ONLY", "IF", "EXISTS")
        draft = self._catalogue.find(reader.table_name())
        if draft is not None:
            for action in items(reader.tokens[reader.place :]):
                self._change(draft, Reader(action, self._catalogue.schema))

    def _change(self, draft: Draft, action: Reader) -> None:
        if action.skip_words("ADD"):
            draft.add_keys(constraint(action.tokens[action.place :], self._catalogue.schema))
        elif action.skip_words("ATTACH"):
            action.skip_words("PARTITION")
            part = action.table_name()
            if part is not None:
                self._catalogue.attach(part, draft)

    def _drop(self, reader: Reader) -> None:
        reader.skip_words("DROP", "TABLE", "IF", "EXISTS")
        for item in items(reader.tokens[reader.place :]):
            name = Reader(item, self._catalogue.schema).table_name()
            if name is not None and not self._catalogue.drop(name):
                self._hidden["DROP TABLE of a table with rows"] += 1

    def _comment(self, reader: Reader, statement: Statement) -> None:
        if not reader.skip_words("COMMENT", "ON") or not reader.skip_words("COLUMN"):
            return
        *table, column = reader.name_parts() or [""]
        draft = self._catalogue.find(reader.table_of(table))
        texts = [token for token in reader.tokens if token.kind in (TokenKind.TEXT, TokenKind.ESCAPED)]
        if draft is not None and texts:
            draft.comments[fold_identifier(column)] = shown_text(str(cell_value(texts[-1:], statement.lexis)))

    def _change_schema(self, reader: Reader) -> None:
        """USE of MySQL, or SET search_path of PostgreSQL, of which the first schema of the dump's own counts."""
        reader.skip_words("USE", "SET", "SESSION", "LOCAL", "SEARCH_PATH", "TO")
        names = [token.name for token in reader.tokens[reader.place :] if token.is_name]
        self._catalogue.schema = next((name for name in names if name not in _NO_SCHEMAS), self._catalogue.schema)
        self._head = None


def _not_defined(table: str) -> PreviewWarning:
    message = f"The source holds rows of {table} and no definition of it."
    return PreviewWarning("table_not_defined", message, {"table": table})
