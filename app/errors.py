"""Every failure a user can cause or meet: one class each, with a stable code.

A message says what happened, `where` says in which file, line, record, table, column or row, and `hint`
says what to do. Doors map one error to an HTTP status, to exit code 1, or to an MCP error by this table alone.
"""

from typing import ClassVar


class GraphwrightError(Exception):
    """The root of all failures that Graphwright reports.

    `where` holds identifiers only (file, line, record, table, column, row, query, …); None values are left out.
    """

    code: ClassVar[str] = "internal_error"
    http_status: ClassVar[int] = 500

    def __init__(self, message: str, *, hint: str = "", **where: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = {name: value for name, value in where.items() if value is not None}

    def to_dict(self) -> dict[str, object]:
        """The error as JSON: `code`, `message`, and `hint` and `where` when there are any."""
        document: dict[str, object] = {"code": self.code, "message": self.message}
        if self.hint:
            document["hint"] = self.hint
        if self.where:
            document["where"] = self.where
        return document


# --- What the caller asked for -----------------------------------------------------------------------------


class InvalidOptionError(GraphwrightError):
    """A construction option is unknown, of the wrong type, or out of its range."""

    code = "invalid_option"
    http_status = 422


class NotAvailableError(GraphwrightError):
    """A feature that this version does not have."""

    code = "not_available"
    http_status = 501


class NotFoundError(GraphwrightError):
    """A dataset, a graph or an output directory that does not exist."""

    code = "not_found"
    http_status = 404


# --- Sources -----------------------------------------------------------------------------------------------


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
    """A csv_schema that is no csv_bundle.v1, or that does not fit its files."""

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


# --- Budgets -----------------------------------------------------------------------------------------------


class TimeBudgetExhaustedError(GraphwrightError):
    """The overall deadline, or an earlier nested one, has passed."""

    code = "construction_time_budget_exhausted"
    http_status = 504


class QueryLimitError(GraphwrightError):
    """A query over its limit of intermediate rows."""

    code = "query_row_limit_exceeded"
    http_status = 422


# --- Workload and queries ----------------------------------------------------------------------------------


class PlanInvalidError(GraphwrightError):
    """A plan that the DSL does not allow; `reason` in `where` is its stable reason."""

    code = "plan_invalid"
    http_status = 422


class WorkloadInvalidError(GraphwrightError):
    """A list of plans that cannot be frozen: wrong count, duplicates, or invalid plans."""

    code = "workload_invalid"
    http_status = 422


class WorkloadGenerationError(GraphwrightError):
    """No workload of the wanted size could be generated."""

    code = "workload_generation_failed"
    http_status = 422


class WorkloadChangedError(GraphwrightError):
    """The frozen workload no longer has its digest."""

    code = "workload_changed"


class OracleError(GraphwrightError):
    """SQLite could not answer a plan from the source."""

    code = "oracle_failed"


class IntegerOverflowError(GraphwrightError):
    """An integer sum outside 64 bits, which SQLite refuses as well."""

    code = "integer_overflow"
    http_status = 422


# --- Graphs and candidates ---------------------------------------------------------------------------------


class GraphInvalidError(GraphwrightError):
    """A graph or a construction_graph.v1 document that contradicts itself."""

    code = "graph_invalid"
    http_status = 422


class TransformError(GraphwrightError):
    """A transformation whose arguments do not fit the graph."""

    code = "transform_invalid"
    http_status = 422


class QueryAccuracyError(GraphwrightError):
    """The final graph does not answer every frozen plan as the source does."""

    code = "query_accuracy_target_not_met"


class SourceFidelityError(GraphwrightError):
    """The graph does not hold every source row, value and declared reference."""

    code = "source_fidelity_failed"


class OutputError(GraphwrightError):
    """The output directory cannot be written."""

    code = "output_not_written"


# --- Neo4j -------------------------------------------------------------------------------------------------


class StoreError(GraphwrightError):
    """Neo4j failed in a way that no class below names."""

    code = "neo4j_failed"
    http_status = 502


class DownloadFailedError(StoreError):
    """A jar of the embedded Neo4j cannot be fetched, or is not the one that the lock names."""

    code = "neo4j_download_failed"


class ServerStartError(StoreError):
    """The embedded Neo4j did not start."""

    code = "neo4j_start_failed"


class UnreachableError(StoreError):
    """No Neo4j answers at the address."""

    code = "neo4j_unreachable"
    http_status = 503


class AuthenticationError(StoreError):
    """Neo4j refuses the user name or the password."""

    code = "neo4j_auth_failed"


class StoreInUseError(StoreError):
    """Another process holds the store directory, or publishes the same graph."""

    code = "store_in_use"
    http_status = 409


class GraphNameError(StoreError):
    """A name that no published graph can have."""

    code = "graph_name_invalid"
    http_status = 422


class NotPublishedError(NotFoundError):
    """No graph of that name is published."""

    code = "graph_not_published"


class PublishError(StoreError):
    """A graph was not published; whatever was published before is still there."""

    code = "publish_failed"


class SlotOccupiedError(StoreError):
    """The only database of an external Neo4j holds something else than the graph of that name."""

    code = "slot_occupied"
    http_status = 409


class SlotPublishingError(StoreError):
    """The database holds half a graph; reads are refused until a publish completes it."""

    code = "slot_publishing"
    http_status = 409


class CypherRefusedError(StoreError):
    """A statement that a guarded read does not run; `reason` in `where` is stable."""

    code = "cypher_refused"
    http_status = 403


class CypherInvalidError(StoreError):
    """A statement that Neo4j cannot parse or evaluate."""

    code = "cypher_invalid"
    http_status = 422


class CypherTimeoutError(StoreError):
    """A statement that ran into its time limit."""

    code = "cypher_timeout"
    http_status = 504


# --- Datasets, builds and doors ----------------------------------------------------------------------------


class UploadInvalidError(GraphwrightError):
    """An upload that is no multipart form with a file in it, or several files without a csv_schema."""

    code = "upload_invalid"
    http_status = 422


class UploadTooLargeError(GraphwrightError):
    """An upload over the server's limit; nothing of it is kept."""

    code = "upload_too_large"
    http_status = 413


class BuildConflictError(GraphwrightError):
    """The same dataset is being built with other options."""

    code = "construction_build_conflict"
    http_status = 409


class BuildCapacityError(GraphwrightError):
    """As many builds as are allowed at a time are running."""

    code = "construction_capacity_exhausted"
    http_status = 429


class NotBuiltError(GraphwrightError):
    """A dataset without a graph to read yet."""

    code = "construction_not_ready"
    http_status = 409


class WorkerLostError(GraphwrightError):
    """A build whose process ended without a valid receipt: killed, out of memory, or cut off."""

    code = "construction_worker_lost"


class RequestRefusedError(GraphwrightError):
    """A request whose Host or Origin is not this server's own."""

    code = "request_refused"
    http_status = 403


class RequestInvalidError(GraphwrightError):
    """A request body or parameter that is not what the route takes."""

    code = "request_invalid"
    http_status = 422


class UsageError(GraphwrightError):
    """A command line that does not parse."""

    code = "usage_invalid"
    http_status = 422


class OutOfMemoryError(GraphwrightError):
    """The machine has no memory left for the work."""

    code = "out_of_memory"
    http_status = 507


class FileSystemError(GraphwrightError):
    """The file system refuses a read or a write: a full disk, missing permissions."""

    code = "file_system_failed"
    http_status = 507


class InterruptedWorkError(GraphwrightError):
    """Work that its user stopped."""

    code = "interrupted"
    http_status = 499


class AddressInUseError(GraphwrightError):
    """The port that the server is told to listen on is taken."""

    code = "address_in_use"


class OutputBusyError(OutputError):
    """Another build is writing to the output directory."""

    code = "output_busy"
    http_status = 409
