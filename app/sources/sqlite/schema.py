"""Reads tables, columns, keys and foreign keys from SQLite's own catalogue, and refuses what is not a plain table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import apsw

from app.errors import SourceEmptyError, SqlUnsupportedError
from app.sources.foreign_keys import DeclaredReference, resolve_references
from app.sources.options import Unsupported
from app.sources.relational_source import SourceWarning, WarningCode
from app.tables.schema import ColumnSchema, RelationalSchema, TableSchema
from app.values import Affinity, Collation, affinity_of, fold_identifier

_ROWID_NAMES = ("rowid", "_rowid_", "oid")
_ORDINARY, _GENERATED = 0, (2, 3)
_OWN_PREFIX = "sqlite_"
_HINTS = {
    "view": "unsupported=skip leaves views out. To keep its rows, make a table of them and drop the view.",
    "trigger": "unsupported=skip leaves triggers out, and no row with them. Or drop it in a copy (DROP TRIGGER …).",
    "virtual table": "Copy its rows into an ordinary table in a copy of the database, and drop it there.",
    "shadow table": "Drop the virtual table that it belongs to in a copy of the database.",
    "generated column": "Copy the table with CREATE TABLE … AS SELECT, which stores the computed values.",
    "collation": "Only BINARY, NOCASE and RTRIM can be compared; declare the column with one of these.",
}


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table as declared, and the name that reaches its row id (None: it has none, or columns hide all names).

    `alias` is the column that is the row id under another name, if there is one. `key_order` has the terms of an
    ORDER BY for a table without row ids, whose rows stand in the order of its primary key.
    """

    schema: TableSchema
    rowid: str | None
    alias: str | None
    key_order: tuple[str, ...] = ()

    def rows(self, where: str = "") -> str:
        """FROM and what follows, for a SELECT over the rows in the order of storage.

        NOT INDEXED keeps SQLite from an index that has all columns and another order; without row ids it means nothing.
        """
        order = f"ORDER BY {', '.join(self.key_order)}" if self.key_order else ""
        return f"FROM {quoted(self.schema.name)} NOT INDEXED {where} {order}"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All tables with their layouts, in order of creation, and warnings and notes about the declarations."""

    layouts: tuple[TableLayout, ...]
    warnings: tuple[SourceWarning, ...]
    notes: tuple[str, ...]

    @property
    def schema(self) -> RelationalSchema:
        """The declared schema."""
        return RelationalSchema.of(layout.schema for layout in self.layouts)


def quoted(name: str) -> str:
    """`name` as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def refuse_objects(connection: apsw.Connection, policy: Unsupported = Unsupported.ERROR) -> list[SourceWarning]:
    """Raise `SqlUnsupportedError` for the first virtual or shadow table, and for the first view or trigger.

    Under `unsupported=skip` views and triggers are only named, in warnings.
    """
    skipped = []
    for kind, name, table in connection.execute(
        "SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('view', 'trigger') ORDER BY rowid"
    ):
        if policy is Unsupported.ERROR:
            raise unsupported(str(kind), str(name), table=str(table))
        skipped.append(skipped_object(str(kind), str(name)))
    kinds = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA main.table_list")}
    for name in table_names(connection):
        if kinds.get(name) in ("virtual", "shadow"):
            raise unsupported(f"{kinds[name]} table", name)
    return skipped


def skipped_object(kind: str, name: str) -> SourceWarning:
    """The warning for a view or trigger that is left out."""
    return SourceWarning(
        WarningCode.UNSUPPORTED_SKIPPED, f"The {kind} {name} is left out.", {"object": name, "kind": kind}
    )


def unsupported(kind: str, name: str, *, table: str | None = None, column: str | None = None) -> SqlUnsupportedError:
    """The refusal of one schema object, with what a user can do about it."""
    return SqlUnsupportedError(
        f"The source holds a {kind}, {name}; only ordinary tables can be read.",
        hint=_HINTS[kind],
        object=name,
        table=table,
        column=column,
    )


def table_names(connection: apsw.Connection) -> list[str]:
    """Names of all tables but SQLite's own, in order of creation."""
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    return [str(name) for (name,) in names if not is_sqlites_own(str(name))]


def is_sqlites_own(name: str) -> bool:
    """Whether the name is one of those that SQLite keeps for itself."""
    return fold_identifier(name).startswith(_OWN_PREFIX)


def read_catalogue(connection: apsw.Connection, policy: Unsupported = Unsupported.ERROR) -> Catalogue:
    """Read every table's declaration; `SourceEmptyError` without tables; see the module for refusals."""
    refuse_objects(connection, policy)
    names = table_names(connection)
    if not names:
        raise SourceEmptyError("The source holds no tables.", hint="Choose a source that has at least one table.")
    storage = {name: (without_rowid, strict) for _, name, _, _, without_rowid, strict in _table_list(connection)}
    layouts = [_layout(connection, name, *storage[name]) for name in names]
    references = [reference for name in names for reference in declared_references(connection, name)]
    resolved = resolve_references(
        RelationalSchema.of(layout.schema for layout in layouts), references, skip_invalid=policy is Unsupported.SKIP
    )
    with_keys = tuple(
        replace(layout, schema=replace(layout.schema, foreign_keys=resolved.of_table(layout.schema.name)))
        for layout in layouts
    )
    return Catalogue(with_keys, resolved.warnings, resolved.notes)


def _table_list(connection: apsw.Connection) -> Iterator[tuple[str, str, str, int, bool, bool]]:
    for schema, name, kind, width, without_rowid, strict in connection.execute("PRAGMA main.table_list"):
        yield str(schema), str(name), str(kind), int(width), bool(without_rowid), bool(strict)


def _layout(connection: apsw.Connection, table: str, without_rowid: bool, strict: bool) -> TableLayout:
    columns, key_columns = [], {}
    for _, name, declared, not_null, _, key_rank, hidden in connection.execute(f"PRAGMA table_xinfo({quoted(table)})"):
        if hidden in _GENERATED:
            raise unsupported("generated column", f"{table}.{name}", table=table, column=str(name))
        columns.append(_column(connection, table, str(name), str(declared), bool(not_null), strict))
        if key_rank:
            key_columns[int(key_rank)] = str(name)
    primary_key = tuple(key_columns[rank] for rank in sorted(key_columns))
    schema = TableSchema(table, tuple(columns), primary_key)
    schema = replace(schema, unique_keys=_unique_keys(connection, schema))
    if without_rowid:
        return TableLayout(schema, None, None, _key_order(connection, table))
    return TableLayout(schema, _rowid_name(schema), _rowid_alias(connection, schema))


def _column(
    connection: apsw.Connection, table: str, name: str, declared: str, not_null: bool, strict: bool
) -> ColumnSchema:
    collation = fold_identifier(connection.column_metadata("main", table, name)[1]).upper()
    if collation not in set(Collation):
        raise unsupported("collation", f"{collation} of {table}.{name}", table=table, column=name)
    is_any = strict and fold_identifier(declared) == "any"
    affinity = Affinity.BLOB if is_any else affinity_of(declared)
    return ColumnSchema(name, declared, affinity, Collation(collation), not_null)


def _rowid_name(schema: TableSchema) -> str | None:
    taken = {fold_identifier(name) for name in schema.column_names}
    return next((name for name in _ROWID_NAMES if name not in taken), None)


def _rowid_alias(connection: apsw.Connection, schema: TableSchema) -> str | None:
    """The column of a primary key that is declared INTEGER; one that needs an index of its own is not an alias."""
    if len(schema.primary_key) != 1 or fold_identifier(schema.column(schema.primary_key[0]).declared_type) != "integer":
        return None
    indexes = connection.execute(f"PRAGMA index_list({quoted(schema.name)})")
    return None if any(origin == "pk" for _, _, _, origin, _ in indexes) else schema.primary_key[0]


def _key_order(connection: apsw.Connection, table: str) -> tuple[str, ...]:
    """The columns of the key that a table without row ids is stored by, with their collations and directions."""
    indexes = connection.execute(f"PRAGMA index_list({quoted(table)})")
    key = next(str(index) for _, index, _, origin, _ in indexes if origin == "pk")
    columns = connection.execute(f"PRAGMA index_xinfo({quoted(key)})")
    return tuple(
        f"{quoted(str(name))} COLLATE {quoted(str(collation))}{' DESC' if descends else ''}"
        for _, _, name, descends, collation, is_key in columns
        if is_key
    )


def _unique_keys(connection: apsw.Connection, schema: TableSchema) -> tuple[tuple[str, ...], ...]:
    """The column sets that a full unique index of the columns' own collations declares, the primary key first."""
    keys, has_key_index = [], False
    for _, index, unique, origin, partial in connection.execute(f"PRAGMA index_list({quoted(schema.name)})"):
        has_key_index = has_key_index or origin == "pk"
        columns = _indexed_columns(connection, str(index), schema)
        if unique and not partial and columns:
            keys.append(columns)
    if schema.primary_key and not has_key_index:
        keys.append(schema.primary_key)
    return tuple(sorted(keys, key=lambda key: (key != schema.primary_key, key)))


def _indexed_columns(connection: apsw.Connection, index: str, schema: TableSchema) -> tuple[str, ...] | None:
    """The key columns of an index, or None if one is an expression or has another collation than its column."""
    columns = []
    for _, number, name, _, collation, is_key in connection.execute(f"PRAGMA index_xinfo({quoted(index)})"):
        if not is_key:
            continue
        if name is None or int(number) < 0:
            return None
        if str(collation).upper() != schema.column(str(name)).collation:
            return None
        columns.append(str(name))
    return tuple(columns)


def declared_references(connection: apsw.Connection, table: str) -> list[DeclaredReference]:
    """The references of one table in order of declaration; SQLite lists the last one first."""
    grouped: dict[int, list[tuple[str, str, str | None]]] = {}
    for number, _, parent, column, target, *_ in connection.execute(f"PRAGMA foreign_key_list({quoted(table)})"):
        pair = (str(parent), str(column), None if target is None else str(target))
        grouped.setdefault(int(number), []).append(pair)
    return [_reference(table, grouped[number]) for number in sorted(grouped, reverse=True)]


def _reference(table: str, pairs: list[tuple[str, str, str | None]]) -> DeclaredReference:
    targets = tuple(target for _, _, target in pairs if target is not None)
    return DeclaredReference(table, tuple(column for _, column, _ in pairs), pairs[0][0], targets)
