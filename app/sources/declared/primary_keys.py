"""The primary keys of tables that no database declared: named by a user, or by a name that says so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.errors import PrimaryKeyInvalidError
from app.sources.relational_source import SourceWarning, WarningCode
from app.tables.column import Column, Kind
from app.tables.matching import match_rows
from app.tables.schema import ColumnSchema
from app.tables.table import Table
from app.values import fold_identifier

_HINT = "Name columns that identify each row, or leave primary_key out."


@dataclass(frozen=True, eq=False, slots=True)
class FoundKey:
    """A key that identifies each row, or () with the warning that says why there is none."""

    columns: tuple[str, ...]
    warnings: tuple[SourceWarning, ...] = ()


def declared_key(table: Table, names: Sequence[str]) -> FoundKey:
    """The key of these columns; none, with a warning, if a row has no key.

    Raises `PrimaryKeyInvalidError` for unknown columns and for two rows with the same key.
    """
    columns = tuple(_spelled(table, name) for name in names)
    if len(set(columns)) < len(columns):
        raise _invalid(table, columns, "names a column twice")
    if not columns:
        return FoundKey((), (_no_key(table, "has no primary key"),))
    missing = _first_missing(table, columns)
    if missing is not None:
        return FoundKey((), (_unreliable(table, columns, missing),))
    shared = _shared(table, columns)
    if shared is not None:
        raise _not_unique(table, columns, shared)
    return FoundKey(columns)


def key_by_name(table: Table) -> FoundKey:
    """The key that `id`, `<table>_id` or `<singular>_id` is, if no cell of it is empty and no two are equal."""
    doubts = []
    for name in _telling_columns(table):
        if _first_missing(table, (name,)) is not None:
            doubts.append(f"{name} is empty in a row")
        elif _shared(table, (name,)) is not None:
            doubts.append(f"{name} is not unique")
        else:
            return FoundKey((name,))
    reason = f" ({', '.join(doubts)})" if doubts else ""
    return FoundKey((), (_no_key(table, f"has no primary key{reason}"),))


def _telling_columns(table: Table) -> Iterator[str]:
    by_name = {fold_identifier(name): name for name in table.schema.column_names}
    own = fold_identifier(table.schema.name)
    for name in dict.fromkeys(["id", f"{own}_id", *(f"{one}_id" for one in singulars(own))]):
        if name in by_name:
            yield by_name[name]


def singulars(plural: str) -> list[str]:
    """What an English plural may be the plural of.

    >>> singulars("cities"), singulars("matches"), singulars("orders"), singulars("staff")
    (['city', 'citie'], ['match', 'matche'], ['order'], [])
    """
    endings = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("zes", "z"), ("ses", "s"))
    found = [plural.removesuffix(ending) + one for ending, one in endings if plural.endswith(ending)]
    return [*found[:1], *([plural[:-1]] if plural.endswith("s") and not plural.endswith("ss") else [])]


def _spelled(table: Table, name: str) -> str:
    for column in table.schema.column_names:
        if fold_identifier(column) == fold_identifier(name):
            return column
    raise _invalid(table, (name,), f"names {name}, which is not a column of the table")


def _columns(table: Table, names: Sequence[str]) -> list[Column]:
    return [table.columns[name] for name in names]


def _shared(table: Table, names: Sequence[str]) -> tuple[int, int] | None:
    """Two rows with one key."""
    columns = _columns(table, names)
    if any(_has_distinct_texts(column) for column in columns):
        return None
    return match_rows(columns, columns, [ColumnSchema(name) for name in names]).duplicate_parents


def _has_distinct_texts(column: Column) -> bool:
    """Whether each row has a text of its own, seen from the codes alone; False if the codes do not show it."""
    is_text = column.kind is Kind.TEXT and not column.null_count()
    return is_text and len(column) > 0 and int(np.bincount(column.values).max()) == 1


def _first_missing(table: Table, names: Sequence[str]) -> int | None:
    """The first row with NULL in its key, or with nothing but empty texts."""
    columns = _columns(table, names)
    if all(column.kind is Kind.TEXT and column.texts.code_of("") < 0 for column in columns):
        columns = [column for column in columns if column.null_count()]
    if not columns:
        return None
    keys = zip(*(column.to_list() for column in columns), strict=True)
    return next((row for row, key in enumerate(keys) if None in key or all(part == "" for part in key)), None)


def _no_key(table: Table, problem: str) -> SourceWarning:
    name = table.schema.name
    message = f"Table {name} {problem}; its rows are identified by their position."
    return SourceWarning(WarningCode.NO_PRIMARY_KEY, message, {"table": name})


def _unreliable(table: Table, names: tuple[str, ...], row: int) -> SourceWarning:
    name = table.schema.name
    message = (
        f"The primary key of table {name} ({', '.join(names)}) is empty in row {row + 1}; "
        "its rows are identified by their position."
    )
    return SourceWarning(WarningCode.UNRELIABLE_PRIMARY_KEY, message, {"table": name, "columns": list(names)})


def _not_unique(table: Table, names: tuple[str, ...], rows: tuple[int, int]) -> PrimaryKeyInvalidError:
    shown = ", ".join(repr(column.cell(rows[0]))[:80] for column in _columns(table, names))
    return PrimaryKeyInvalidError(
        f"Table {table.schema.name}: rows {rows[0] + 1} and {rows[1] + 1} share the primary key "
        f"({', '.join(names)}) = ({shown}).",
        hint=_HINT,
        table=table.schema.name,
        column=", ".join(names),
        row=rows[1] + 1,
    )


def _invalid(table: Table, names: tuple[str, ...], problem: str) -> PrimaryKeyInvalidError:
    return PrimaryKeyInvalidError(
        f"The primary key of table {table.schema.name} {problem}.",
        hint=_HINT,
        table=table.schema.name,
        columns=list(names),
    )
