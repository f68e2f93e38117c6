"""What CREATE TABLE and ALTER TABLE say of columns and keys."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from app.budget import CHECK_EVERY, check_deadline, checked
from app.inspect.preview.limits import COLUMNS
from app.inspect.preview.model import PreviewColumn, shown_text
from app.inspect.preview.script.cell_storage import storage_of
from app.inspect.preview.script.comments import comments_beside
from app.inspect.preview.script.literals import cell_value
from app.inspect.preview.script.tokens import Lexis, Token, TokenKind
from app.sources.dumps.model import DumpReference, Storage, TableName
from app.sources.sql.dialect import Dialect

_CONSTRAINTS = frozenset({"PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT"})
_TABLE_ITEMS = {
    Dialect.SQLITE: _CONSTRAINTS,
    Dialect.MYSQL: _CONSTRAINTS | {"KEY", "INDEX", "FULLTEXT", "SPATIAL", "LIKE", "PERIOD"},
    Dialect.POSTGRES: _CONSTRAINTS | {"EXCLUDE", "LIKE"},
}
"""What begins an item of CREATE TABLE that is not a column."""

_AFTER_TYPE = frozenset(
    {"NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "COLLATE", "GENERATED", "AS", "COMMENT"}
    | {"AUTO_INCREMENT", "AUTOINCREMENT", "CONSTRAINT", "CHARACTER", "CHARSET", "ON", "KEY", "INVISIBLE", "STORED"}
    | {"VIRTUAL", "DEFERRABLE", "INITIALLY", "COMPRESSION", "STORAGE"}
)


Keys: TypeAlias = tuple[tuple[str, ...], tuple[DumpReference, ...]]
"""A primary key (none: empty) and foreign keys."""


@dataclass(frozen=True)
class Definition:
    """A table as CREATE TABLE writes it; `if_new` says that it may be there already.

    `generated` names computed columns, which a build does not take; `parents` are tables whose columns it has as well,
    and `part_of` is the one that it is a partition of.
    """

    name: TableName
    columns: tuple[PreviewColumn, ...] = ()
    primary_key: tuple[str, ...] = ()
    references: tuple[DumpReference, ...] = ()
    generated: tuple[str, ...] = ()
    parents: tuple[TableName, ...] = ()
    part_of: TableName | None = None
    if_new: bool = False


class Reader:
    """Tokens of one statement without its comments, with a place that moves on; `schema` is in force."""

    def __init__(self, tokens: Sequence[Token], schema: str = "") -> None:
        self.tokens = [token for token in tokens if token.kind is not TokenKind.COMMENT]
        self.place = 0
        self._schema = schema

    @property
    def next(self) -> Token | None:
        """The token at the place."""
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def skip_words(self, *words: str) -> bool:
        """Move past any of these words in a row; whether there was one."""
        before = self.place
        while self.next is not None and self.next.is_word(*words):
            self.place += 1
        return self.place > before

    def skip_to(self, word: str) -> bool:
        """Move on to a word; whether there is one."""
        while self.next is not None and not self.next.is_word(word):
            self.place += 1
        return self.next is not None

    def name_parts(self) -> list[str]:
        """Move past a name that may have others before it, with dots between; nothing if there is none."""
        parts: list[str] = []
        while self.next is not None and self.next.is_name:
            parts.append(self.next.name)
            self.place += 1
            if self.next is None or not self.next.is_sign("."):
                break
            self.place += 1
        return parts

    def table_name(self) -> TableName | None:
        """Move past the name of a table, which is in the schema in force if it names none."""
        return self.table_of(self.name_parts())

    def table_of(self, parts: Sequence[str]) -> TableName | None:
        """The table of that name, if there is one."""
        return TableName(parts[-2] if len(parts) > 1 else self._schema, parts[-1]) if parts else None

    def group(self) -> list[Token]:
        """Move past a group in parentheses and return what is in it; nothing if there is none."""
        if self.next is None or not self.next.is_sign("("):
            return []
        first, depth = self.place + 1, 0
        while self.place < len(self.tokens):
            depth += self.tokens[self.place].nesting
            self.place += 1
            if self.place % CHECK_EVERY == 0:
                check_deadline()
            if depth == 0:
                return self.tokens[first : self.place - 1]
        return self.tokens[first:]

    def names(self) -> tuple[str, ...]:
        """Move past a list of names in parentheses and return them; lengths and orders of index columns are dropped."""
        return tuple(item[0].name for item in items(self.group()) if item and item[0].is_name)


def items(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The parts of a list between its commas."""
    item: list[Token] = []
    depth = 0
    for token in checked(tokens):
        depth += token.nesting
        if depth == 0 and token.is_sign(","):
            yield item
            item = []
        else:
            item.append(token)
    if item:
        yield item


def table_definition(text: str, tokens: Sequence[Token], lexis: Lexis, schema: str = "") -> Definition | None:
    """The table that a CREATE TABLE makes, or None if it lists no columns."""
    reader = Reader(tokens, schema)
    reader.skip_to("TABLE")
    reader.place += 1
    if_new = reader.skip_words("IF", "NOT", "EXISTS")
    name = reader.table_name()
    if name is None:
        return None
    if reader.skip_words("PARTITION"):
        reader.skip_words("OF")
        return Definition(name, part_of=reader.table_name(), if_new=if_new)
    has_body = reader.next is not None and reader.next.is_sign("(")
    parts = [part for part in items(reader.group()) if part]
    collation, parents = _options(reader, schema)
    if not has_body or not (parts or parents):
        return None
    columns = [part for part in parts if _is_column(part, lexis.dialect)]
    comments = comments_beside(tokens, columns, text)
    key, references = _keys(parts, lexis.dialect, schema)
    return Definition(
        name,
        tuple(_column(part, text, lexis, comments, collation) for part in columns),
        key,
        references,
        tuple(part[0].name for part in columns if _is_generated(part)),
        parents,
        if_new=if_new,
    )


def _options(reader: Reader, schema: str) -> tuple[str, tuple[TableName, ...]]:
    """What stands after the columns: the collation in force for texts, and the tables that are inherited from."""
    rest = reader.tokens[reader.place :]
    parents: list[TableName | None] = []
    if reader.skip_words("INHERITS"):
        parents = [Reader(item, schema).table_name() for item in items(reader.group())]
    return _collation(rest), tuple(parent for parent in parents if parent is not None)


def _is_column(part: Sequence[Token], dialect: Dialect) -> bool:
    return part[0].is_name and not part[0].is_word(*_TABLE_ITEMS[dialect])


def _keys(parts: Sequence[Sequence[Token]], dialect: Dialect, schema: str) -> Keys:
    """The keys of all columns and constraints, as many foreign keys as are shown."""
    primary_key: tuple[str, ...] = ()
    references: list[DumpReference] = []
    for part in parts:
        key, found = _column_keys(part, schema) if _is_column(part, dialect) else constraint(part, schema)
        primary_key = key or primary_key
        references += found
    return primary_key, tuple(references[:COLUMNS])


def domain(text: str, tokens: Sequence[Token], lexis: Lexis) -> tuple[str, Storage | None]:
    """The name of the type that a CREATE DOMAIN makes, in lower case, and how it keeps values."""
    reader = Reader(tokens)
    reader.skip_to("DOMAIN")
    reader.place += 1
    name = reader.table_name()
    reader.skip_words("AS")
    declared = _declared(reader.tokens[reader.place :], text)
    return name.name.lower() if name else "", storage_of(declared, lexis.dialect)


def constraint(tokens: Sequence[Token], schema: str) -> Keys:
    """The primary key, or the foreign key, that a table constraint declares."""
    reader = Reader(tokens, schema)
    if reader.skip_words("CONSTRAINT") and reader.next is not None and not reader.next.is_word("PRIMARY", "FOREIGN"):
        reader.place += 1
    if reader.skip_words("PRIMARY"):
        reader.skip_words("KEY", "CLUSTERED", "NONCLUSTERED", "USING", "BTREE", "HASH")
        return reader.names(), ()
    if reader.skip_words("FOREIGN"):
        reader.skip_words("KEY", "IF", "NOT", "EXISTS")
        if reader.next is not None and reader.next.is_name:
            reader.place += 1
        columns = reader.names()
        return (), tuple(_references(reader, columns))
    return (), ()


def _references(reader: Reader, columns: tuple[str, ...]) -> Iterator[DumpReference]:
    if columns and reader.skip_words("REFERENCES"):
        table = reader.table_name()
        if table is not None:
            yield DumpReference(columns, table, reader.names())


def _column(
    part: Sequence[Token], text: str, lexis: Lexis, comments: Mapping[int, str], collation: str
) -> PreviewColumn:
    declared, rest = _declared(part[1:], text), part[1 + _type_end(part[1:]) :]
    comment = _own_comment(rest, lexis) or comments.get(part[0].start, "")
    storage = storage_of(declared, lexis.dialect, _collation(rest) or collation)
    return PreviewColumn(part[0].name, declared, _has(rest, "NOT", "NULL"), comment, storage)


def _collation(tokens: Sequence[Token]) -> str:
    """The collation, or else the character set, that is named last."""
    reader, found = Reader(tokens), ""
    while reader.next is not None:
        if reader.skip_words("COLLATE", "CHARSET", "CHARACTER", "SET"):
            reader.place += int(reader.next is not None and reader.next.is_sign("="))
            found = next(reversed(reader.name_parts()), found).lower()
        else:
            reader.place += 1
    return found


def _column_keys(part: Sequence[Token], schema: str) -> Keys:
    name = part[0].name
    reader = Reader(part, schema)
    found: list[DumpReference] = []
    while reader.skip_to("REFERENCES"):
        found += list(_references(reader, (name,)))
    return ((name,) if _has(part[1:], "PRIMARY", "KEY") else ()), tuple(found)


def _declared(tokens: Sequence[Token], text: str) -> str:
    """The type that tokens begin with, as it is written."""
    end = _type_end(tokens)
    return " ".join(text[tokens[0].start : tokens[end - 1].end].split()) if end else ""


def _type_end(tokens: Sequence[Token]) -> int:
    depth = 0
    for place, token in enumerate(tokens):
        if depth == 0 and token.is_word(*_AFTER_TYPE) and not _is_varying(tokens, place):
            return place
        depth += token.nesting
    return len(tokens)


def _is_varying(part: Sequence[Token], place: int) -> bool:
    """Whether CHARACTER begins a type here, and not CHARACTER SET."""
    is_set = place + 1 < len(part) and part[place + 1].is_word("SET")
    return part[place].is_word("CHARACTER") and not is_set


def _has(tokens: Sequence[Token], first: str, second: str) -> bool:
    return any(one.is_word(first) and other.is_word(second) for one, other in pairwise(tokens))


def _own_comment(tokens: Sequence[Token], lexis: Lexis) -> str:
    """The text of MySQL's COMMENT."""
    for word, text in pairwise(tokens):
        if word.is_word("COMMENT") and text.kind is TokenKind.TEXT:
            return shown_text(str(cell_value([text], lexis)))
    return ""


def _is_generated(part: Sequence[Token]) -> bool:
    """Whether the column is computed; an identity column is not."""
    return any(word.is_word("AS") and after.is_sign("(") for word, after in pairwise(part[1:]))
