"""What CREATE TABLE and ALTER TABLE say of columns and keys."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from app.sources.preview.comments import comments_beside
from app.sources.preview.limits import COLUMNS
from app.sources.preview.literals import cell_value
from app.sources.preview.model import PreviewColumn, PreviewTable, Reference, shown_text
from app.sources.preview.stored import storage_of
from app.sources.preview.tokens import Lexis, Token, TokenKind

_TABLE_ITEMS = frozenset(
    {"PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "EXCLUDE", "LIKE"}
    | {"PERIOD"}
)
_AFTER_TYPE = frozenset(
    {"NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "COLLATE", "GENERATED", "AS", "COMMENT"}
    | {"AUTO_INCREMENT", "AUTOINCREMENT", "CONSTRAINT", "CHARACTER", "CHARSET", "ON", "KEY", "INVISIBLE", "STORED"}
    | {"VIRTUAL", "DEFERRABLE", "INITIALLY", "COMPRESSION", "STORAGE"}
)


Keys: TypeAlias = tuple[tuple[str, ...], tuple[Reference, ...]]
"""A primary key (none: empty) and foreign keys."""


@dataclass(frozen=True)
class Definition:
    """A table as CREATE TABLE writes it.

    `generated` names computed columns, which a build does not take; `parent` is a table whose columns it has as well.
    """

    table: PreviewTable
    generated: tuple[str, ...] = ()
    parent: str = ""


class Reader:
    """Tokens of one statement without its comments, with a place that moves on."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = [token for token in tokens if token.kind is not TokenKind.COMMENT]
        self.place = 0

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

    def qualified_name(self) -> str:
        """Move past a name that may have a schema before it, and return its last part; "" where there is none."""
        name = ""
        while self.next is not None and self.next.is_name:
            name = self.next.name
            self.place += 1
            if self.next is None or not self.next.is_sign("."):
                break
            self.place += 1
        return name

    def group(self) -> list[Token]:
        """Move past a group in parentheses and return what is in it; nothing where there is none."""
        if self.next is None or not self.next.is_sign("("):
            return []
        first, depth = self.place + 1, 0
        while self.place < len(self.tokens):
            depth += self.tokens[self.place].is_sign("(") - self.tokens[self.place].is_sign(")")
            self.place += 1
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
    for token in tokens:
        depth += token.is_sign("(") - token.is_sign(")")
        if depth == 0 and token.is_sign(","):
            yield item
            item = []
        else:
            item.append(token)
    if item:
        yield item


def table_definition(text: str, tokens: Sequence[Token], lexis: Lexis) -> Definition | None:
    """The table that a CREATE TABLE makes, or None where it lists no columns."""
    reader = Reader(tokens)
    reader.skip_words("CREATE", "GLOBAL", "LOCAL", "TEMP", "TEMPORARY", "UNLOGGED", "TABLE", "IF", "NOT", "EXISTS")
    name = reader.qualified_name()
    body = reader.group()
    if not name or not body:
        return None
    parts = [part for part in items(body) if part]
    columns = [part for part in parts if _is_column(part)]
    comments = comments_beside(tokens, columns, text)
    collation = _collation(reader.tokens[reader.place :])
    table = PreviewTable(name, tuple(_column(part, text, lexis, comments, collation) for part in columns))
    for part in parts:
        table = with_keys(table, *(_column_keys(part) if _is_column(part) else constraint(part)))
    parents = reader.names() if reader.skip_words("INHERITS") else ()
    return Definition(table, tuple(part[0].name for part in columns if _is_generated(part)), "".join(parents[:1]))


def _is_column(part: Sequence[Token]) -> bool:
    return part[0].is_name and not part[0].is_word(*_TABLE_ITEMS)


def with_keys(table: PreviewTable, key: tuple[str, ...], references: tuple[Reference, ...]) -> PreviewTable:
    """The table with more keys, as many foreign keys as are shown."""
    all_references = (*table.references, *references)[:COLUMNS]
    return replace(table, primary_key=key or table.primary_key, references=all_references)


def constraint(tokens: Sequence[Token]) -> Keys:
    """The primary key, or the foreign key, that a table constraint declares."""
    reader = Reader(tokens)
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


def _references(reader: Reader, columns: tuple[str, ...]) -> Iterator[Reference]:
    if columns and reader.skip_words("REFERENCES"):
        table = reader.qualified_name()
        if table:
            yield Reference(columns, table, reader.names())


def _column(
    part: Sequence[Token], text: str, lexis: Lexis, comments: Mapping[int, str], collation: str
) -> PreviewColumn:
    type_end = _type_end(part)
    declared = " ".join(text[part[1].start : part[type_end - 1].end].split()) if type_end > 1 else ""
    rest = part[type_end:]
    comment = _own_comment(rest, lexis) or comments.get(part[0].start, "")
    storage = storage_of(declared, lexis.dialect, _collation(rest) or collation)
    return PreviewColumn(part[0].name, declared, _has(rest, "NOT", "NULL"), comment, storage)


def _collation(tokens: Sequence[Token]) -> str:
    """The collation, or else the character set, that is named last."""
    reader, found = Reader(tokens), ""
    while reader.next is not None:
        if reader.skip_words("COLLATE", "CHARSET", "CHARACTER", "SET"):
            reader.place += int(reader.next is not None and reader.next.is_sign("="))
            found = reader.qualified_name().lower() or found
        else:
            reader.place += 1
    return found


def _column_keys(part: Sequence[Token]) -> Keys:
    name = part[0].name
    reader, found = Reader(part), []
    while reader.skip_to("REFERENCES"):
        found += list(_references(reader, (name,)))
    return ((name,) if _has(part[1:], "PRIMARY", "KEY") else ()), tuple(found)


def _type_end(part: Sequence[Token]) -> int:
    depth = 0
    for place, token in enumerate(part[1:], start=1):
        if depth == 0 and token.is_word(*_AFTER_TYPE) and not _is_varying(part, place):
            return place
        depth += token.is_sign("(") - token.is_sign(")")
    return len(part)


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
