"""Resolves declared references to foreign keys: spelling, implicit keys, and targets that cannot be meant."""

from dataclasses import dataclass

from app.errors import ForeignKeyInvalidError, NotFoundError
from app.sources.relational_source import SourceWarning, WarningCode
from app.tables.schema import ForeignKey, RelationalSchema, TableSchema
from app.values import fold_identifier

_ROWID_NAMES = frozenset({"rowid", "_rowid_", "oid"})


@dataclass(frozen=True, slots=True)
class DeclaredReference:
    """A reference as declared; no `targets` means the parent's primary key."""

    table: str
    columns: tuple[str, ...]
    parent: str
    targets: tuple[str, ...]

    @property
    def label(self) -> str:
        """How messages name it, for example `sale(shop_no) -> shop(rowid)`."""
        targets = f"({', '.join(self.targets)})" if self.targets else ""
        return f"{self.table}({', '.join(self.columns)}) -> {self.parent}{targets}"


@dataclass(frozen=True, slots=True)
class ResolvedReferences:
    """Foreign keys in order of declaration, one each, and what is worth knowing about them."""

    foreign_keys: tuple[ForeignKey, ...]
    warnings: tuple[SourceWarning, ...]
    notes: tuple[str, ...]

    def of_table(self, table: str) -> tuple[ForeignKey, ...]:
        """The foreign keys that `table` declares."""
        return tuple(key for key in self.foreign_keys if key.table == table)


def resolve_references(
    schema: RelationalSchema, references: list[DeclaredReference], *, skip_invalid: bool = False
) -> ResolvedReferences:
    """Resolve all references; `ForeignKeyInvalidError` for a target that does not exist or does not fit.

    With `skip_invalid` such a reference is left out, with a warning.
    """
    keys: dict[ForeignKey, None] = {}
    notes, warnings = [], []
    for reference in references:
        try:
            key = _resolved(schema, reference)
        except ForeignKeyInvalidError as error:
            if not skip_invalid:
                raise
            warnings.append(_left_out(error))
            continue
        if key in keys:
            notes.append(f"The foreign key {key.label} is declared twice and counts once.")
            continue
        keys[key] = None
        if not _is_declared_key(schema.table(key.ref_table), key.ref_columns):
            warnings.append(_undeclared_key(key))
    return ResolvedReferences(tuple(keys), tuple(warnings), tuple(notes))


def _resolved(schema: RelationalSchema, reference: DeclaredReference) -> ForeignKey:
    try:
        parent = schema.table(reference.parent)
    except NotFoundError:
        raise _invalid(reference, f"there is no table {reference.parent}") from None
    targets = reference.targets or _implicit_targets(reference, parent)
    if len(targets) != len(reference.columns):
        raise _invalid(reference, f"it has {len(reference.columns)} columns and {len(targets)} target columns")
    names = tuple(_target_column(reference, parent, target) for target in targets)
    child = schema.table(reference.table)
    return ForeignKey(child.name, tuple(child.column(name).name for name in reference.columns), parent.name, names)


def _implicit_targets(reference: DeclaredReference, parent: TableSchema) -> tuple[str, ...]:
    key = parent.primary_key
    if not key:
        raise _invalid(reference, f"it names no target column and table {parent.name} has no primary key")
    if len(key) != len(reference.columns):
        counts = f"{counted(len(reference.columns), 'child column')}, {counted(len(key), 'key column')}"
        raise _invalid(reference, f"{counts}: the primary key of {parent.name} is ({', '.join(key)})")
    return key


def counted(number: int, noun: str) -> str:
    """A number with its noun, for example `1 column`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _target_column(reference: DeclaredReference, parent: TableSchema, target: str) -> str:
    try:
        return parent.column(target).name
    except NotFoundError:
        if fold_identifier(target) in _ROWID_NAMES:
            raise _invalid(reference, f"the target must be a named column, and {target} is not one") from None
        raise _invalid(reference, f"table {parent.name} has no column {target}") from None


def _invalid(reference: DeclaredReference, reason: str) -> ForeignKeyInvalidError:
    return ForeignKeyInvalidError(
        f"The foreign key {reference.label} cannot be followed: {reason}.",
        hint="Correct the declared foreign key, or declare the key that it means. Of SQL text and databases "
        "unsupported=skip leaves it out, with a warning; from other files leave it out yourself.",
        table=reference.table,
        columns=list(reference.columns),
        ref_table=reference.parent,
        ref_columns=list(reference.targets) or None,
    )


def _left_out(error: ForeignKeyInvalidError) -> SourceWarning:
    return SourceWarning(WarningCode.UNSUPPORTED_SKIPPED, f"{error} It is left out.", dict(error.where))


def _is_declared_key(parent: TableSchema, columns: tuple[str, ...]) -> bool:
    return set(columns) in [set(key) for key in parent.unique_keys]


def _undeclared_key(key: ForeignKey) -> SourceWarning:
    targets = ", ".join(f"{key.ref_table}.{column}" for column in key.ref_columns)
    return SourceWarning(
        WarningCode.UNDECLARED_KEY,
        f"No primary key and no full unique index of the same collation declares {targets}, "
        f"which {key.label} references; such keys must be unique in the data.",
        key.to_dict(),
    )
