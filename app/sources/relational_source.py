"""The parsed source: tables in columns, their schema, and what a user should know about how they were read."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from app.sources.files.input_file import InputFile
from app.tables.dictionary import IntArray
from app.tables.schema import RelationalSchema
from app.tables.table import Table, TableSet
from app.values import canonical_sha256


class SourceKind(StrEnum):
    """What the bytes were."""

    SQLITE_IMAGE = "sqlite_image"
    SQL_TEXT = "sql_text"
    MYSQL_DUMP = "mysql_dump"
    POSTGRES_DUMP = "postgres_dump"
    CSV = "csv"
    CSV_BUNDLE = "csv_bundle"
    TXT = "txt"


class WarningCode(StrEnum):
    """The stable codes of source warnings."""

    DANGLING_REFERENCE = "dangling_reference"
    UNDECLARED_KEY = "undeclared_key"
    UNRELIABLE_PRIMARY_KEY = "unreliable_primary_key"
    NO_PRIMARY_KEY = "no_primary_key"
    UNSUPPORTED_SKIPPED = "unsupported_skipped"
    DELIMITER_DOUBTFUL = "delimiter_doubtful"
    HEADER_DOUBTFUL = "header_doubtful"
    WAL_MODE = "wal_mode"
    NUMBERS_ROUNDED = "numbers_rounded"


_NO_DEFECTS = frozenset(
    {
        WarningCode.NO_PRIMARY_KEY,
        WarningCode.DELIMITER_DOUBTFUL,
        WarningCode.HEADER_DOUBTFUL,
        WarningCode.WAL_MODE,
    }
)


@dataclass(frozen=True, eq=False, slots=True)
class SourceWarning:
    """One warning, or a group of warnings of the same kind about many rows of one table.

    `where` holds identifiers (table, columns, …). `rows` are the row offsets that a group is about, int64,
    shape (warnings,), or None if the warning is about the table itself.
    """

    code: WarningCode
    message: str
    where: Mapping[str, object] = field(default_factory=dict)
    rows: IntArray | None = None

    @property
    def count(self) -> int:
        """How many warnings this stands for: one a row of a group; what is not a defect of the data counts as none."""
        if self.code in _NO_DEFECTS:
            return 0
        return 1 if self.rows is None else len(self.rows)

    def to_dict(self, max_rows: int = 20) -> dict[str, object]:
        """The warning as JSON with its count and, of a group, the first `max_rows` row offsets."""
        document: dict[str, object] = {"code": self.code.value, "message": self.message, "count": self.count}
        if self.where:
            document["where"] = dict(self.where)
        if self.rows is not None:
            document["rows"] = self.rows[:max_rows].tolist()
        return document


@dataclass(frozen=True, eq=False)
class RelationalSource:
    """All rows of a source; `tables` has one entry for each table of `schema`, in its order.

    `source_sha256` and `source_bytes` describe the input file; `logical_digest` describes what it says. `image` is the
    database for whoever answers queries from the source: a SQLite image, under full_scale the file that is one, or the
    tables of a source that no SQLite read. `comments` are what a dump says of a table (column None) or a column.
    """

    kind: SourceKind
    schema: RelationalSchema
    tables: Mapping[str, Table]
    source_sha256: str
    source_bytes: int
    image: bytes | InputFile | TableSet
    warnings: tuple[SourceWarning, ...] = ()
    notes: tuple[str, ...] = ()
    comments: Mapping[tuple[str, str | None], str] = field(default_factory=dict)

    @property
    def row_count(self) -> int:
        """Rows of all tables."""
        return sum(table.row_count for table in self.tables.values())

    @property
    def nbytes(self) -> int:
        """Bytes held by all columns."""
        return sum(table.nbytes for table in self.tables.values())

    @cached_property
    def logical_digest(self) -> str:
        """SHA-256 of structure and logical rows: equal for a dump and an image that say the same."""
        content = [[column.digest() for column in self.tables[table.name].columns.values()] for table in self.schema]
        structure = [table.to_dict() for table in self.schema]
        return hashlib.sha256(canonical_sha256([structure, content]).encode()).hexdigest()
