"""Tables, sequences and types by name, and where names without a schema are looked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from app.sources.sql.definitions.model import NULL, Default, Sequence, SqlTable, SqlType
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import TableName
from app.sources.sql.lexing.tokens import TokenBudget, tokens_of
from app.sources.sql.statements.session import Session

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Domain:
    """What CREATE DOMAIN adds to its type."""

    default: Default = NULL
    not_null: bool = False


@dataclass(slots=True)
class Namespace:
    """Everything that statements so far have named; types and domains go by their bare name in lower case."""

    session: Session
    tables: dict[tuple[str, str], SqlTable] = field(default_factory=dict)
    sequences: dict[tuple[str, str], Sequence] = field(default_factory=dict)
    types: dict[str, SqlType] = field(default_factory=dict)
    domains: dict[str, Domain] = field(default_factory=dict)
    collations: dict[str, str] = field(default_factory=dict)
    """Of MySQL, the collation or charset that a database gives to its tables, by folded name of the database."""

    def table(self, name: TableName) -> SqlTable | None:
        """The table of that name, looked for as the session looks for it."""
        return self._found(self.tables, name)

    def sequence(self, name: TableName) -> Sequence | None:
        """The sequence of that name."""
        return self._found(self.sequences, name)

    def made(self, name: TableName) -> TableName:
        """The whole name of something that a statement makes."""
        return name if name.schema else TableName(self.session.schema, name.name)

    def named_in_text(self, cursor: Cursor, text: str) -> TableName:
        """The name in a text, such as that of `nextval('public.s')`."""
        syntax = cursor.syntax
        tokens = list(tokens_of(text, 0, len(text), syntax, TokenBudget()))
        return Cursor(cursor.script, syntax, tokens, cursor.at).table_name("")

    def _found(self, known: Mapping[tuple[str, str], Found], name: TableName) -> Found | None:
        keys = (each.key for each in self.session.candidates(name))
        return next((known[key] for key in keys if key in known), None)
