"""Dumps of MySQL and PostgreSQL: definitions first, then rows into a private SQLite that is read like any database."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace

import apsw

from app.errors import CellInvalidError, SourceEncodingError, SourceError
from app.sources.dialect import Dialect
from app.sources.files.input_file import InputFile, joint_sha256
from app.sources.options import SourceOptions, Unsupported
from app.sources.relational_source import RelationalSource, SourceKind, SourceWarning, WarningCode
from app.sources.sql.definitions.model import NumberChange, RowBlock
from app.sources.sql.loading.catalogue import FinalCatalogue, FinalTable
from app.sources.sql.loading.loader import RowCount, TableLoader
from app.sources.sql.loading.origins import origin_of
from app.sources.sql.loading.references import refuse_doubtful_references
from app.sources.sql.loading.scripts import read_definitions
from app.sources.sql.reading.definitions import Definitions
from app.sources.sql.recognition import Recognition
from app.sources.sql.rows.blocks import may_skip, placed
from app.sources.sql.statements.splitter import Statement
from app.sources.sql.values.exactness import NOT_FINITE, OddNumber, odd_cell, odd_number, rounded_numbers
from app.sources.sqlite.connection import open_memory, restrict_to_reading
from app.sources.sqlite.copies.without_bytes import skipped_bytes
from app.sources.sqlite.failures import sqlite_failures
from app.sources.sqlite.pages.page_file import pages_in_memory
from app.sources.sqlite.reading.database import DatabaseContent, read_database
from app.tables.schema import ColumnSchema, RelationalSchema
from app.tables.table import Table

_KINDS = {Dialect.MYSQL: SourceKind.MYSQL_DUMP, Dialect.POSTGRES: SourceKind.POSTGRES_DUMP}
_DATABASES = {Dialect.MYSQL: "MySQL", Dialect.POSTGRES: "PostgreSQL"}


def load_dump(files: Sequence[InputFile], recognition: Recognition, options: SourceOptions) -> RelationalSource:
    """Read files as one dump, in their order; nothing is kept if any statement is refused."""
    definitions = read_definitions(files, recognition.dialect, _raise)
    catalogue = FinalCatalogue(definitions, options.unsupported)
    size = sum(file.size for file in files)
    with sqlite_failures(files[0].name), closing(open_memory()) as connection:
        loaders = _load_rows(connection, definitions, catalogue, options)
        image = connection.serialize("main")
        restrict_to_reading(connection)
        with _named_infinities(definitions, catalogue):
            read = read_database(connection, options, size, pages_in_memory(image))
        content = _as_declared(read, catalogue)
    if recognition.dialect is Dialect.MYSQL:
        refuse_doubtful_references(content, _ignored(definitions, catalogue))
    for table in catalogue.tables:
        odd = odd_number(table.columns, content.tables[table.name])
        if odd is not None:
            raise _where_it_stands(odd, table, definitions, catalogue)
    return RelationalSource(
        _KINDS[recognition.dialect],
        content.schema,
        content.tables,
        joint_sha256(files),
        size,
        image,
        (*content.warnings, *catalogue.warnings, *_warnings_of_cells(catalogue, loaders, options)),
        (*_notes(recognition, definitions, catalogue), *content.notes),
        comments=_comments(catalogue),
    )


def _raise(_: Statement, error: SourceError) -> None:
    raise error


def _load_rows(
    connection: apsw.Connection, definitions: Definitions, catalogue: FinalCatalogue, options: SourceOptions
) -> list[TableLoader]:
    """Carry out everything that happens to rows, in order."""
    count = RowCount(options.max_source_rows)
    sequences = list(definitions.namespace.sequences.values())
    with connection:
        for table in catalogue.tables:
            _create(connection, table)
        loaders = {table.name: TableLoader(connection, table, options.unsupported, count) for table in catalogue.tables}
        for event in definitions.events:
            if isinstance(event, RowBlock):
                loader = loaders[catalogue.holder(event.table).name]
                loader.load(*placed(event, loader.table.name))
            elif isinstance(event, NumberChange):
                loaders[catalogue.holder(event.table).name].change_numbers(event)
            else:
                event.apply(sequences)
    return list(loaders.values())


def _ignored(definitions: Definitions, catalogue: FinalCatalogue) -> set[str]:
    """The tables of which a server that checks references leaves out rows without a parent."""
    blocks = [event for event in definitions.events if isinstance(event, RowBlock)]
    return {catalogue.holder(block.table).name for block in blocks if block.checks_references and may_skip(block)}


@contextmanager
def _named_infinities(definitions: Definitions, catalogue: FinalCatalogue) -> Iterator[None]:
    """Say where a number stands of which SQLite made an infinite one, which its reader refuses by its row id."""
    try:
        yield
    except CellInvalidError as error:
        if "row" not in error.where:
            raise
        table = next(each for each in catalogue.tables if each.name == error.where["table"])
        column = next(each for each in table.columns if each.name == error.where["column"])
        odd = OddNumber(column, int(str(error.where["row"])) - 1, "Infinity", NOT_FINITE)
        raise _where_it_stands(odd, table, definitions, catalogue) from error


def _where_it_stands(
    odd: OddNumber, table: FinalTable, definitions: Definitions, catalogue: FinalCatalogue
) -> CellInvalidError:
    origin = origin_of(definitions.events, catalogue, table, odd.column.name, odd.row)
    cell = odd.cell if origin.cell is None else origin.cell
    return odd_cell(origin.script, origin.at, table.name, odd.column, cell, odd.what, odd.row)


def _create(connection: apsw.Connection, table: FinalTable) -> None:
    try:
        connection.execute(table.plain.create_sql())
    except UnicodeEncodeError as error:
        declared = table.declared
        raise SourceEncodingError(
            f"{declared.script.name}, line {declared.script.line(declared.at)}: a name of a table is not UTF-8.",
            hint="Dump the database with --default-character-set=utf8mb4.",
            file=declared.script.name,
            line=declared.script.line(declared.at),
        ) from error
    except apsw.SQLError as error:
        declared = table.declared
        reason = f"table {table.name} cannot be made: {error}"
        raise declared.script.invalid(declared.at, reason, table=table.name) from error


def _as_declared(content: DatabaseContent, catalogue: FinalCatalogue) -> DatabaseContent:
    """The content with the types that the dump declares; affinities and collations stay those that SQLite applied."""
    types = {table.name: {each.name: each for each in table.columns} for table in catalogue.tables}
    tables: dict[str, Table] = {}
    for name, table in content.tables.items():
        columns = tuple(
            _declared_column(column, types[name][column.name].declared, types[name][column.name].not_null)
            for column in table.schema.columns
        )
        tables[name] = replace(table, schema=replace(table.schema, columns=columns))
    return replace(content, schema=RelationalSchema.of(table.schema for table in tables.values()), tables=tables)


def _declared_column(column: ColumnSchema, declared: str, not_null: bool) -> ColumnSchema:
    return replace(column, declared_type=declared, not_null=not_null or column.not_null)


def _notes(recognition: Recognition, definitions: Definitions, catalogue: FinalCatalogue) -> Iterator[str]:
    database = _DATABASES[recognition.dialect]
    if recognition.marker:
        yield f"Read as a dump of {database}, by {recognition.marker}. If that is wrong, set the option dialect."
    yield from definitions.skipped.notes()
    if catalogue.partition_count:
        yield f"Rows of {catalogue.partition_count} partitions belong to the tables that they are parts of."


def _comments(catalogue: FinalCatalogue) -> Mapping[tuple[str, str | None], str]:
    return {
        (table.name, column or None): comment
        for table in catalogue.tables
        for column, comment in table.declared.comments.items()
        if comment
    }


def _warnings_of_cells(
    catalogue: FinalCatalogue, loaders: Sequence[TableLoader], options: SourceOptions
) -> Iterator[SourceWarning]:
    for loader in loaders:
        for column, rows in loader.skipped.items():
            yield skipped_bytes(loader.table.name, column, rows)
        for column, rows in loader.rounded.items():
            yield rounded_numbers(loader.table.name, column, rows)
    if options.unsupported is not Unsupported.SKIP:
        return
    for table in catalogue.tables:
        kept = {column.name for column in table.columns}
        for computed in table.declared.columns:
            if computed.name not in kept:
                keys = [each for each in table.declared.constraints if computed.name in each.columns]
                also = "".join(f", and with it the {each.rule.value} {each.label}" for each in keys)
                message = f"The computed column {computed.name} of table {table.name} is left out{also}."
                where = {"table": table.name, "column": computed.name}
                yield SourceWarning(WarningCode.UNSUPPORTED_SKIPPED, message, where)
