"""What a preview says of a source: its tables as they are kept, a few rows, and what its columns are likely about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from app.errors import SourceEmptyError
from app.inspect.preview.limits import CELL_CHARACTERS
from app.values import Scalar

Cell: TypeAlias = Scalar
_SAFE_INTEGER = 2**53 - 1
_MESSAGE_CHARACTERS = 1_000


class PreviewKind(StrEnum):
    """What the bytes are."""

    SQL_TEXT = "sql_text"
    SQLITE_IMAGE = "sqlite_image"
    CSV = "csv"
    TXT = "txt"


class Origin(StrEnum):
    """Where the meaning of a column comes from; the first that there is wins."""

    COMMENT = "comment"
    SCHEMA = "schema"
    INFERRED = "inferred"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column is about, as far as its source says."""

    origin: Origin
    text: str = ""

    def to_dict(self) -> dict[str, str]:
        """The meaning as JSON."""
        return {"origin": self.origin.value, "text": self.text}


@dataclass(frozen=True, slots=True)
class PreviewWarning:
    """Something that is not shown, or shown in part."""

    code: str
    message: str
    where: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """The warning as JSON."""
        document: dict[str, object] = {"code": self.code, "message": shown_text(self.message, _MESSAGE_CHARACTERS)}
        where = {key: shown_text(value) if isinstance(value, str) else value for key, value in self.where.items()}
        return document | ({"where": where} if where else {})


@dataclass(frozen=True, slots=True)
class Reference:
    """A declared foreign key; no `ref_columns` means the referenced table's primary key."""

    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """The foreign key as JSON."""
        return {"columns": list(self.columns), "ref_table": self.ref_table, "ref_columns": list(self.ref_columns)}


@dataclass(frozen=True, slots=True)
class PreviewColumn:
    """A column with its declared type ("" if there is none) and the comment beside its declaration.

    `storage` says how it keeps values, and None that each value has a type of its own.
    """

    name: str
    declared_type: str = ""
    not_null: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class PreviewTable:
    """A table; `rows` are the first few, a cell a column. `row_count` is None if it is not known."""

    name: str
    columns: tuple[PreviewColumn, ...]
    primary_key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    row_count: int | None = None
    rows: tuple[tuple[Cell, ...], ...] = ()
    column_count: int = 0


@dataclass(frozen=True, slots=True)
class SourcePreview:
    """A preview; `text` is the excerpt of a TXT file, which has no `tables`."""

    kind: PreviewKind
    files: tuple[str, ...]
    size_bytes: int
    tables: tuple[PreviewTable, ...] = ()
    text: str | None = None
    text_is_whole: bool = True
    dialect: str | None = None
    warnings: tuple[PreviewWarning, ...] = ()


def no_tables() -> SourceEmptyError:
    """The error for a database or script without tables, as a build has it."""
    return SourceEmptyError("The source holds no tables.", hint="Choose a source that has at least one table.")


def shown_cell(value: object, limit: int = CELL_CHARACTERS) -> Cell:
    """A value as it is shown: texts cut, large integers as text for JavaScript, bytes and odd numbers as a placeholder.

    >>> shown_cell(2**60), shown_cell(b"ab"), shown_cell(float("inf")), shown_cell("x" * 400)[-3:]
    ('1152921504606846976', '‹binary, 2 bytes›', '‹not a finite number›', 'xx…')
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _SAFE_INTEGER else shown_text(str(value), limit)
    if isinstance(value, float):
        return value if abs(value) <= float(2**1023) * 1.99 else "‹not a finite number›"
    if isinstance(value, bytes):
        return placeholder(f"binary, {len(value):,} bytes")
    text = str(value)
    return shown_text(text, limit) if _is_unicode(text[:limit]) else placeholder("text that is not UTF-8")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Placeholder(str):
    """A text that stands for a value, and is not the source's."""

    __slots__ = ()


def placeholder(what: str) -> Placeholder:
    """What stands for a value that is not shown."""
    return Placeholder(f"‹{what}›")


def shown_text(text: str, limit: int = CELL_CHARACTERS) -> str:
    """`text` cut to `limit` characters, and without halves of characters."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return cut.encode("utf-8", "replace").decode() if not cut.isascii() else cut


def shown_row(values: Sequence[object]) -> tuple[Cell, ...]:
    """A row as it is shown."""
    return tuple(shown_cell(value) for value in values)
