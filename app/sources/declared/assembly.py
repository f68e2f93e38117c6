"""Parsed tables and what users declare of them become a relational source: names, keys and foreign keys are checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.errors import ForeignKeyInvalidError, SourceError, TableInvalidError
from app.sources.csv.doubts import doubts_of
from app.sources.csv.reader import CsvRows
from app.sources.declared.primary_keys import declared_key, key_by_name
from app.sources.foreign_keys import DeclaredReference, resolve_references
from app.sources.relational_source import RelationalSource, SourceKind, SourceWarning
from app.tables.column import Column
from app.tables.schema import ColumnSchema, RelationalSchema, TableSchema
from app.tables.table import Table, TableSet
from app.values import fold_identifier

_OWN_PREFIX = "sqlite_"


@dataclass(frozen=True, eq=False, slots=True)
class ParsedTable:
    """Rows, and what is declared of them.

    `primary_key` None: look for one by its name; (): there is none. `empty_is_missing`: an empty text in a foreign
    key refers to nothing, as in CSV files. `file` is the one that the rows stand in, if any.
    """

    name: str
    columns: Mapping[str, Column]
    row_count: int
    primary_key: Sequence[str] | None = None
    references: tuple[DeclaredReference, ...] = ()
    type_labels: Mapping[str, str] = field(default_factory=dict)
    empty_is_missing: bool = False
    warnings: tuple[SourceWarning, ...] = ()
    file: str | None = None


def parsed_csv(
    name: str,
    rows: CsvRows,
    primary_key: Sequence[str] | None,
    references: tuple[DeclaredReference, ...],
    type_labels: Mapping[str, str],
    file: str,
) -> ParsedTable:
    """A table of the rows of a CSV file."""
    columns, doubts = dict(zip(rows.names, rows.columns, strict=True)), tuple(doubts_of(name, rows))
    return ParsedTable(name, columns, rows.row_count, primary_key, references, type_labels, True, doubts, file)


def assemble(
    kind: SourceKind, sha256: str, size: int, parsed: Sequence[ParsedTable], notes: Iterable[str] = ()
) -> RelationalSource:
    """The relational source of these tables, in this order, read from `size` bytes with this digest.

    Raises `TableInvalidError`, `PrimaryKeyInvalidError` and `ForeignKeyInvalidError`, which name the table's file.
    """
    try:
        tables, warnings, own_notes = _assembled(parsed)
    except SourceError as error:
        error.add_where(file=next((each.file for each in parsed if each.name == error.where.get("table")), None))
        raise
    return RelationalSource(kind, tables.schema, tables.tables, sha256, size, tables, warnings, (*notes, *own_notes))


def _assembled(parsed: Sequence[ParsedTable]) -> tuple[TableSet, tuple[SourceWarning, ...], tuple[str, ...]]:
    """The tables with their keys, with warnings and notes."""
    _check_table_names(parsed)
    tables: list[Table] = []
    warnings = [warning for each in parsed for warning in each.warnings]
    for each in parsed:
        table, doubts = _with_key(_bare_table(each), each)
        tables.append(table)
        warnings += doubts
    schema = RelationalSchema.of(table.schema for table in tables)
    references = [_checked(schema, reference) for each in parsed for reference in each.references]
    resolved = resolve_references(schema, references)
    keyed = [
        _with_references(table, replace(table.schema, foreign_keys=resolved.of_table(table.schema.name)), each)
        for table, each in zip(tables, parsed, strict=True)
    ]
    return TableSet.of(keyed), (*resolved.warnings, *warnings), resolved.notes


def _check_table_names(parsed: Sequence[ParsedTable]) -> None:
    seen: dict[str, str] = {}
    for table in parsed:
        folded = fold_identifier(table.name)
        if not table.name.strip() or "\0" in table.name or folded.startswith(_OWN_PREFIX):
            raise _invalid_name(table.name, f"{table.name!r} cannot be the name of a table")
        if folded in seen:
            raise _invalid_name(table.name, f"{seen[folded]} and {table.name} are one table for SQLite")
        seen[folded] = table.name


def _invalid_name(name: str, problem: str) -> TableInvalidError:
    hint = "Names are not blank, do not begin with sqlite_, and differ in more than the case of ASCII letters."
    return TableInvalidError(f"{problem}.", hint=hint, table=name)


def _bare_table(parsed: ParsedTable) -> Table:
    labels = {fold_identifier(name): label for name, label in parsed.type_labels.items()}
    columns = tuple(ColumnSchema(name, type_label=labels.pop(fold_identifier(name), "")) for name in parsed.columns)
    if labels:
        name = next(iter(labels))
        raise TableInvalidError(
            f"column_types names {name}, which is not a column of table {parsed.name}.",
            hint=f"The columns are {', '.join(parsed.columns)}.",
            table=parsed.name,
            column=name,
        )
    return Table(TableSchema(parsed.name, columns), parsed.columns, parsed.row_count)


def _with_key(table: Table, parsed: ParsedTable) -> tuple[Table, tuple[SourceWarning, ...]]:
    found = key_by_name(table) if parsed.primary_key is None else declared_key(table, parsed.primary_key)
    keys = (found.columns,) if found.columns else ()
    return replace(table, schema=replace(table.schema, primary_key=found.columns, unique_keys=keys)), found.warnings


def _with_references(table: Table, schema: TableSchema, parsed: ParsedTable) -> Table:
    """The table with its foreign keys, whose columns say what an empty text means."""
    referring = {name for key in schema.foreign_keys for name in key.columns} if parsed.empty_is_missing else set()
    columns = tuple(replace(column, empty_is_missing=column.name in referring) for column in schema.columns)
    return replace(table, schema=replace(schema, columns=columns))


def _checked(schema: RelationalSchema, reference: DeclaredReference) -> DeclaredReference:
    known = set(map(fold_identifier, schema.table(reference.table).column_names))
    folded = [fold_identifier(name) for name in reference.columns]
    unknown = [name for name in reference.columns if fold_identifier(name) not in known]
    if unknown:
        raise _unfit(reference, f"table {reference.table} has no column {unknown[0]}")
    if len(set(folded)) < len(folded):
        raise _unfit(reference, "it names a column twice")
    return reference


def _unfit(reference: DeclaredReference, problem: str) -> ForeignKeyInvalidError:
    return ForeignKeyInvalidError(
        f"The foreign key {reference.label} cannot be followed: {problem}.",
        hint="Name columns of the table that declares the key.",
        table=reference.table,
        columns=list(reference.columns),
    )
