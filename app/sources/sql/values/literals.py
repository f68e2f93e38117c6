"""Turns literals, as written, into cells: text, bytes, or None for NULL. Numbers stay the text they are.

SQLite's affinities make numbers of them later, exactly as of numbers in its own dumps.
"""

import re
from collections.abc import Sequence
from operator import itemgetter

from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import SqlType, Storage
from app.sources.sql.lexing.syntax import Syntax, compiled
from app.sources.sql.lexing.texts import escaped_text, text_of
from app.sources.sql.rows.batches import ALL_SIGNS, Cell, RowBatch, Signs
from app.sources.sql.statements.encodings import UTF8, codec_of, is_read
from app.sources.sql.values.bad_value import BadValueError
from app.sources.sql.values.casts import check_cast

_NUMBER_STARTS = frozenset("0123456789+-.")
_WORDS: dict[Dialect, dict[str, Cell]] = {
    Dialect.MYSQL: {"NULL": None, "null": None},
    Dialect.POSTGRES: {"NULL": None, "null": None, "TRUE": "true", "true": "true", "FALSE": "false", "false": "false"},
    Dialect.SQLITE: {"NULL": None, "null": None},
}
"""Words that are cells, as dump tools write them; other spellings are read one by one."""

_INTRODUCER = re.compile(r"(?P<word>_[a-z0-9]+|n(?='))\s*", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"[+-]?0*(?P<digits>[0-9]*)(?P<fraction>\.[0-9]*)?")
_BINARY, _NATIONAL = "_binary", "n"


def literal_cells(batch: RowBatch, column: int, declared: SqlType) -> list[Cell]:
    """The cells of one column of a batch; `BadValueError` for a literal that cannot be followed."""
    literals = batch.columns[column]
    if batch.syntax is None:
        return list(literals)
    return cells_of([literal or "NULL" for literal in literals], declared, batch.syntax, batch.signs)


def cells_of(literals: Sequence[str], declared: SqlType, syntax: Syntax, signs: Signs = ALL_SIGNS) -> list[Cell]:
    """The cells of literals, which hold no more than `signs` says."""
    starts = set(map(itemgetter(0), literals))
    if starts <= _NUMBER_STARTS and declared.storage.is_numeric and not (signs.bases or signs.casts):
        return list(literals)
    try:
        return _read_together(literals, declared, syntax, signs)
    except BadValueError:
        reader = _LiteralReader(declared, syntax)
        return [reader.cell_at(place, literal) for place, literal in enumerate(literals)]


def _read_together(literals: Sequence[str], declared: SqlType, syntax: Syntax, signs: Signs) -> list[Cell]:
    """The cells, of which what is plain is read without a call each; errors do not know their place."""
    read = _LiteralReader(declared, syntax).cell
    words = _WORDS[syntax.dialect]
    numbers = _NUMBER_STARTS if declared.storage.is_numeric else frozenset[str]()
    if declared.storage is Storage.BITS or signs.bases:
        return [read(literal) for literal in literals]
    if not (signs.quotes or signs.casts):
        return [
            literal[1:-1] if literal[0] == "'"
            else words[literal] if literal in words
            else literal if literal[0] in numbers
            else read(literal)
            for literal in literals
        ]  # fmt: skip
    return [
        literal[1:-1] if literal[0] == "'" == literal[-1] and "''" not in literal and "\\" not in literal
        else words[literal] if literal in words
        else literal if literal[0] in numbers and "::" not in literal
        else read(literal)
        for literal in literals
    ]  # fmt: skip


class _LiteralReader:
    """Reads the literals of one column one by one."""

    def __init__(self, declared: SqlType, syntax: Syntax) -> None:
        self._type = declared
        self._syntax = syntax
        self._is_text = not declared.storage.is_numeric
        self._literal = compiled(syntax.literal)

    def cell_at(self, place: int, literal: str) -> Cell:
        """The cell of the literal at a place; its errors name the place."""
        try:
            return self.cell(literal)
        except BadValueError as error:
            raise BadValueError(place, error.complaint, is_refusal=error.is_refusal) from None

    def cell(self, literal: str) -> Cell:
        """The cell of one literal."""
        if self._syntax.dialect is Dialect.POSTGRES:
            return self._of_postgres(literal)
        if literal[0] in "'\"":
            return self._text_of_mysql(text_of(literal, self._syntax))
        return self._of_mysql(literal)

    def _text_of_mysql(self, text: str) -> Cell:
        """A text, which in a column of bits stands for its bytes."""
        if self._type.storage is Storage.BITS:
            return self._from_bytes(text.encode("utf-8", "surrogateescape"))
        return text

    def _of_postgres(self, literal: str) -> Cell:
        found = self._literal.match(literal)
        assert found is not None, "it was matched as a literal"
        cell = self._uncast(found[0])
        if found.end() < len(literal):
            check_cast(literal[found.end() :], cell, self._type)
        return cell

    def _uncast(self, literal: str) -> Cell:
        first, word = literal[0], literal.upper()
        if first == "'":
            return text_of(literal, self._syntax)
        if first in _NUMBER_STARTS:
            return self._number(literal)
        if word in ("NULL", "TRUE", "FALSE"):
            return None if word == "NULL" else word.lower()
        if first in "eE":
            return escaped_text(literal[2:-1])
        if first in "bB":
            return literal[2:-1]
        # N'…' is of type character, whose trailing blanks go when it becomes another text.
        return text_of(literal[1:], self._syntax).rstrip(" ")

    def _number(self, literal: str) -> str:
        """A number as it is, or in a column of texts as its database prints it."""
        if not self._is_text or self._type.name in ("enum", "set"):
            return literal
        found = _PLAIN_NUMBER.fullmatch(literal)
        if found is None:
            raise BadValueError(0, f"is written as the number {literal}, of which its database makes a text")
        sign = "-" if literal.startswith("-") and found["digits"] + (found["fraction"] or "").strip(".0") else ""
        fraction = "" if found["fraction"] == "." else found["fraction"] or ""
        return f"{sign}{found['digits'] or '0'}{fraction}"

    def _of_mysql(self, literal: str) -> Cell:
        first, word = literal[0], literal.upper()
        if first in _NUMBER_STARTS and word[:2] not in ("0X", "0B"):
            return self._number(literal)
        if word in ("NULL", "TRUE", "FALSE"):
            return {"NULL": None, "TRUE": "1", "FALSE": "0"}[word]
        introducer = _INTRODUCER.match(literal)
        if introducer:
            return self._introduced(introducer["word"].lower(), literal[introducer.end() :])
        return self._from_bytes(_bytes(literal))

    def _introduced(self, charset: str, literal: str) -> Cell:
        """A literal after the name of its character set."""
        content = text_of(literal, self._syntax) if literal[0] in "'\"" else _bytes(literal)
        if charset == _BINARY:
            encoded = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
            return self._from_bytes(encoded)
        codec = UTF8 if charset == _NATIONAL else codec_of(Dialect.MYSQL, charset[1:])
        if isinstance(content, bytes):
            return _decoded(content, codec)
        if codec != UTF8 and not content.isascii():
            raise BadValueError(0, f"is a text in {charset[1:]} within a script in another encoding", is_refusal=True)
        return content

    def _from_bytes(self, content: bytes) -> Cell:
        """Bytes as the column's type takes them: a number, text in the column's charset, or bytes."""
        if self._type.storage is Storage.BINARY:
            return content
        if self._type.storage.is_numeric:
            return str(int.from_bytes(content))
        codec = codec_of(Dialect.MYSQL, self._type.charset) if self._type.charset else UTF8
        return _decoded(content, codec)


def _decoded(content: bytes, codec: str) -> str:
    if content.isascii():
        return content.decode("ascii")
    if not is_read(codec):
        raise BadValueError(0, f"holds bytes in the charset {codec.rstrip('!')}, which is not read", is_refusal=True)
    return content.decode(codec, "surrogateescape" if codec == UTF8 else "strict")


def _bytes(literal: str) -> bytes:
    """The bytes of x'…', 0x…, b'…' and 0b… of MySQL."""
    digits = literal[2:].rstrip("'")
    if literal[:2].upper() in ("0X", "X'"):
        return bytes.fromhex(digits.rjust(len(digits) + len(digits) % 2, "0"))
    return int(digits or "0", 2).to_bytes((len(digits) + 7) // 8 or 1)
