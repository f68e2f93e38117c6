"""Dumps of MySQL and PostgreSQL: definitions first, then rows into a private SQLite that is read like any database."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace

import apsw

from app.errors import CellInvalidError, SourceEncodingError
from app.sources.dialect import Dialect, Recognition
from app.sources.dumps.blocks import placed
from app.sources.dumps.catalogue import FinalCatalogue, FinalTable
from app.sources.dumps.definitions import Definitions
from app.sources.dumps.loader import RowCount, TableLoader
from app.sources.dumps.numbers import OddNumber, odd_cell, odd_number, rounded_numbers
from app.sources.dumps.origins import origin_of
from app.sources.dumps.script import Script
from app.sources.dumps.statements import StatementSplitter
from app.sources.formats import refuse_other_formats
from app.sources.input_file import InputFile, joint_sha256
from app.sources.options import SourceOptions, Unsupported
from app.sources.relational_source import RelationalSource, SourceKind, SourceWarning, WarningCode
from app.sources.sqlite.connection import open_memory, restrict_to_reading
from app.sources.sqlite.copies.without_bytes import skipped_bytes
from app.sources.sqlite.failures import sqlite_failures
from app.sources.sqlite.pages.page_file import pages_in_memory
from app.sources.sqlite.reading.database import DatabaseContent, read_database
from app.sources.utf8 import decoded
from app.tables.schema import ColumnSchema, RelationalSchema
from app.tables.table import Table

_KINDS = {Dialect.MYSQL: SourceKind.MYSQL_DUMP, Dialect.POSTGRES: SourceKind.POSTGRES_DUMP}
_DATABASES = {Dialect.MYSQL: "MySQL", Dialect.POSTGRES: "PostgreSQL"}


def load_dump(files: Sequence[InputFile], recognition: Recognition, options: SourceOptions) -> RelationalSource:
    """Read files as one dump, in their order; nothing is kept where any statement is refused."""
    definitions = Definitions(recognition.dialect)
    for file in files:
        definitions.read(StatementSplitter(_script(file, recognition.dialect), recognition.dialect).statements())
    catalogue = FinalCatalogue(definitions, options.unsupported)
    size = sum(file.size for file in files)
    with sqlite_failures(files[0].name), closing(open_memory()) as connection:
        loaders = _load_rows(connection, definitions, catalogue, options)
        image = connection.serialize("main")
        restrict_to_reading(connection)
        with _named_infinities(definitions, catalogue):
            read = read_database([connection], options, size, pages_in_memory(image))
        content = _as_declared(read, catalogue)
    for table in catalogue.tables:
        odd = odd_number(table, content.tables[table.name])
        if odd is not None:
            raise _where_it_stands(odd, table, definitions, catalogue)
    return RelationalSource(
        _KINDS[recognition.dialect],
        content.schema,
        content.tables,
        joint_sha256(files),
        size,
        image,
        (*content.warnings, *_warnings_of_cells(catalogue, loaders, options)),
        (*_notes(recognition, definitions, catalogue), *content.notes),
        comments=_comments(catalogue),
    )


def _script(file: InputFile, dialect: Dialect) -> Script:
    """The file's text; MySQL writes bytes of binary columns as they are, which are surrogates here."""
    lenient = dialect is Dialect.MYSQL
    content = file.content()
    refuse_other_formats(content, file.name)
    _refuse_nul(content, file.name)
    return Script(file.name, decoded(content, file.name, "surrogateescape" if lenient else "strict"))


def _refuse_nul(content: bytes, name: str) -> None:
    offset = content.find(b"\0")
    if offset < 0:
        return
    line = content.count(b"\n", 0, offset) + 1
    raise SourceEncodingError(
        f"{name}, line {line}: the byte at offset {offset} is a NUL, which dump tools write as an escape.",
        hint="Save UTF-16 text as UTF-8. In Windows PowerShell `mysqldump … > FILE` writes UTF-16: use --result-file.",
        file=name,
        line=line,
        offset=offset,
    )


def _load_rows(
    connection: apsw.Connection, definitions: Definitions, catalogue: FinalCatalogue, options: SourceOptions
) -> list[TableLoader]:
    count = RowCount(options.max_source_rows)
    with connection:
        for table in catalogue.tables:
            _create(connection, table)
        loaders = {table.name: TableLoader(connection, table, options.unsupported, count) for table in catalogue.tables}
        for block in definitions.blocks:
            rows, batches = placed(block, catalogue)
            loaders[rows.table.name].load(rows, batches)
    return list(loaders.values())


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
        odd = OddNumber(column, int(str(error.where["row"])) - 1, "Infinity", "is no finite number")
        raise _where_it_stands(odd, table, definitions, catalogue) from error


def _where_it_stands(
    odd: OddNumber, table: FinalTable, definitions: Definitions, catalogue: FinalCatalogue
) -> CellInvalidError:
    origin = origin_of(definitions.blocks, catalogue, table, odd.column.name, odd.row)
    cell = odd.cell if origin.cell is None else origin.cell
    return odd_cell(origin.script, origin.at, table.name, odd.column, cell, odd.what, odd.row)


def _create(connection: apsw.Connection, table: FinalTable) -> None:
    try:
        connection.execute(table.plain.create_sql())
    except (apsw.SQLError, UnicodeEncodeError) as error:
        dump = table.dump
        raise dump.script.invalid(dump.at, f"table {table.name} cannot be made: {error}", table=table.name) from error


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
    if catalogue.partitions:
        yield f"Rows of {len(catalogue.partitions)} partitions belong to the tables that they are parts of."


def _comments(catalogue: FinalCatalogue) -> Mapping[tuple[str, str | None], str]:
    return {
        (table.name, column or None): comment
        for table in catalogue.tables
        for column, comment in table.dump.comments.items()
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
        for computed in table.dump.columns:
            if computed.generated:
                message = f"The computed column {computed.name} of table {table.name} is left out."
                where = {"table": table.name, "column": computed.name}
                yield SourceWarning(WarningCode.UNSUPPORTED_SKIPPED, message, where)
