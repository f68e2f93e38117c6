"""Reads a whole SQLite database, whatever it was opened from, into schema and columns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import apsw

from app.errors import SourceLimitError
from app.sources.options import SourceOptions
from app.sources.relational_source import SourceWarning, WarningCode
from app.sources.sqlite.pages.page_file import PageFile
from app.sources.sqlite.reading.leaf_rows import CountedPages
from app.sources.sqlite.reading.table import count_rows, read_table, rows_at_once
from app.sources.sqlite.schema import Catalogue, read_catalogue
from app.tables.schema import RelationalSchema
from app.tables.table import Table


@dataclass(frozen=True, slots=True)
class DatabaseContent:
    """What a database says: schema, rows, and what a user should know about them."""

    schema: RelationalSchema
    tables: Mapping[str, Table]
    warnings: tuple[SourceWarning, ...]
    notes: tuple[str, ...]


def read_database(
    connection: apsw.Connection, options: SourceOptions, source_bytes: int, pages: PageFile | None = None
) -> DatabaseContent:
    """Read all tables of one database; rows are counted against the limit before any is read.

    With its `pages` it is mostly read from these.
    """
    catalogue = read_catalogue(connection, options.unsupported)
    count = check_row_count(connection, catalogue, options.max_source_rows)
    at_once = rows_at_once(source_bytes, count)
    counted_pages = None if pages is None else CountedPages(pages, count)
    tables, warnings = {}, list(catalogue.warnings)
    for layout in catalogue.layouts:
        table, doubts = _with_reliable_key(read_table(connection, layout, at_once, counted_pages))
        tables[table.schema.name] = table
        warnings += doubts
    schema = RelationalSchema.of(table.schema for table in tables.values())
    return DatabaseContent(schema, tables, tuple(warnings), catalogue.notes)


def check_row_count(connection: apsw.Connection, catalogue: Catalogue, limit: int) -> int:
    """The number of rows of all tables; `SourceLimitError` if it is over the limit."""
    total = 0
    for layout in catalogue.layouts:
        name = layout.schema.name
        total += count_rows(connection, name)
        if total > limit:
            raise too_many_rows(limit, table=name)
    return total


def too_many_rows(limit: int, *, table: str | None = None) -> SourceLimitError:
    """The error for a source with more rows than allowed."""
    return SourceLimitError(
        f"The source has more than {limit:,} rows, the limit in force.",
        hint="Raise max_source_rows, or choose resource_profile=full_scale.",
        table=table,
        limit=limit,
    )


def _with_reliable_key(table: Table) -> tuple[Table, list[SourceWarning]]:
    """The table with the primary key that identifies its rows, if any: SQLite lets most keys hold NULL."""
    schema = table.schema
    by_position = "its rows are identified by their position."
    if not schema.primary_key:
        message = f"Table {schema.name} has no primary key; {by_position}"
        return table, [SourceWarning(WarningCode.NO_PRIMARY_KEY, message, {"table": schema.name})]
    unset = [name for name in schema.primary_key if table.columns[name].null_count()]
    if not unset:
        return table, []
    message = f"The primary key of table {schema.name} holds NULL in {', '.join(unset)}; {by_position}"
    where = {"table": schema.name, "columns": list(schema.primary_key)}
    doubt = SourceWarning(WarningCode.UNRELIABLE_PRIMARY_KEY, message, where)
    return replace(table, schema=replace(schema, primary_key=())), [doubt]
