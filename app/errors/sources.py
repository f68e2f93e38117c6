"""Sources that cannot be read exactly."""

from app.errors.base import GraphwrightError


class SourceError(GraphwrightError):
    """A source that cannot be read exactly, and is therefore refused whole."""

    code = "source_invalid"
    http_status = 422


class SourceNotFoundError(SourceError):
    """The source file does not exist or cannot be opened."""

    code = "source_not_found"
    http_status = 404


class SourceEmptyError(SourceError):
    """The source has no bytes, no text, or no tables."""

    code = "source_empty"


class SourceEncodingError(SourceError):
    """Text that is not UTF-8."""

    code = "source_encoding_invalid"


class SourceFormatError(SourceError):
    """Bytes that are of no format that can be read here."""

    code = "source_format_invalid"


class SourceDamagedError(SourceError):
    """A SQLite image that is truncated or corrupt."""

    code = "source_damaged"


class SourceChangedError(SourceError):
    """A source file that changed while it was being read."""

    code = "source_changed"


class SourceIncompleteError(SourceError):
    """A SQLite database whose last changes are in a file beside it."""

    code = "source_incomplete"


class SqlUnsupportedError(SourceError):
    """A SQL statement or schema object outside the accepted subset."""

    code = "sql_unsupported"


class SqlInvalidError(SourceError):
    """SQL text that does not parse, or that SQLite itself refuses."""

    code = "sql_invalid"


class CellInvalidError(SourceError):
    """A cell that is not a finite JSON scalar: a BLOB, NaN, Infinity, or text that is not UTF-8."""

    code = "cell_invalid"


class CsvInvalidError(SourceError):
    """CSV text that breaks RFC 4180, or a record with more or fewer fields than the header."""

    code = "csv_invalid"


class CsvHeaderInvalidError(SourceError):
    """A header with a blank name, or with two names that are one column for SQLite."""

    code = "csv_header_invalid"


class CsvSchemaInvalidError(SourceError):
    """A csv_schema that is not a csv_bundle.v1, or that does not fit its files."""

    code = "csv_schema_invalid"


class TableInvalidError(SourceError):
    """A declared or inline table whose name, columns or rows cannot be used."""

    code = "table_invalid"


class PrimaryKeyInvalidError(SourceError):
    """A declared primary key whose columns do not exist, or that two rows share."""

    code = "primary_key_invalid"


class ForeignKeyInvalidError(SourceError):
    """A declared foreign key whose target table or columns do not exist or do not fit."""

    code = "foreign_key_invalid"


class ForeignKeyTargetNotUniqueError(SourceError):
    """A foreign key's target holds the same non-NULL key in two rows."""

    code = "foreign_key_target_not_unique"


class SourceParserFailedError(SourceError):
    """The process that reads a source crashed, was killed, or ran out of its memory; nothing of the source is kept."""

    code = "source_parser_failed"


class SourceLimitError(SourceError):
    """A source that is over one of the limits in force; nothing is truncated."""

    code = "source_limit_exceeded"
    http_status = 413
