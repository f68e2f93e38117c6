"""How a column keeps what a script says: bytes are not shown, dates are as their database prints them."""

import re

from app.inspect.preview.model import Cell, Placeholder, placeholder, shown_cell
from app.inspect.preview.script.literals import Bytes, Value
from app.sources.dumps.model import Storage
from app.sources.dumps.moments import as_stored
from app.sources.dumps.types import stored_type
from app.sources.sql.dialect import Dialect

_BYTES = re.compile(r"(?:\w*BLOB|VARBINARY|BINARY|BYTEA|IMAGE)", re.IGNORECASE)
_WORD = re.compile(r"\w+|\[")
_NUMERIC = frozenset({Storage.INTEGER, Storage.BOOLEAN, Storage.BITS, Storage.NUMERIC, Storage.REAL})
_MOST_NUMBER_BYTES = 8


def storage_of(declared: str, dialect: Dialect, collation: str = "") -> Storage | None:
    """How a column of this declared type keeps its values; None if each value has a type of its own."""
    words = _WORD.findall(declared.lower().partition("(")[0].rpartition(".")[2])
    if any(map(_BYTES.fullmatch, words)):
        return Storage.BINARY
    if dialect is Dialect.SQLITE or not words:
        return None
    return stored_type(dialect, words, collation, {}).storage


def domain_of(declared: str) -> str:
    """The name under which a declared type may have been made by CREATE DOMAIN, in lower case."""
    return declared.rpartition(".")[2].strip('"').lower()


def stored_cell(value: Value, storage: Storage | None) -> Cell:
    """A value as a column that keeps it shows it."""
    if isinstance(value, Placeholder):
        return value
    if isinstance(value, Bytes):
        return _from_bytes(value, storage)
    if storage is Storage.BINARY and isinstance(value, str):
        return placeholder("binary")
    if storage in (Storage.DATE, Storage.MOMENT) and isinstance(value, str):
        return shown_cell(as_stored([value], storage)[0])
    if storage in (Storage.NUMERIC, Storage.REAL) and _is_beyond_integers(value):
        return shown_cell(float(value or 0))
    return shown_cell(value)


def _is_beyond_integers(value: object) -> bool:
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def _from_bytes(value: Bytes, storage: Storage | None) -> Cell:
    """Bytes that MySQL writes for a text or a number are one."""
    if storage is Storage.TEXT:
        return shown_cell(value.content.decode("utf-8", "surrogateescape"))
    if storage in _NUMERIC and len(value.content) <= _MOST_NUMBER_BYTES:
        return shown_cell(int.from_bytes(value.content))
    return placeholder("binary" if value.size is None else f"binary, {value.size:,} bytes")
