"""Candidates for references of one column: a name that points at a table, and values that are found there.

Inclusion alone proves little (small whole numbers are included in every larger key), so a name, or a role, must point
at the table first; inclusion, coverage and type then decide.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.budget import check_deadline
from app.inspect.keys.model import ForeignKeySuggestion, PrimaryKeySuggestion, in_words
from app.inspect.keys.names import TableNames
from app.inspect.keys.profiles import ColumnProfile, Inclusion, TableProfile, included
from app.inspect.keys.targets import Pointer, Target, Targets, name_pointer
from app.tables.column import Kind

_NAME, _COVERED, _TYPE = 0.75, 0.15, 0.1
_BY_NAME_ALONE = 0.6
_WORTHLESS_HITS = 0.6
_WORTHLESS_TELLING_HITS = 0.3
_NEARLY_ALL = 0.98
_TELLING_ROLE = 0.6
_WELL_COVERED = 0.9


@dataclass(frozen=True, slots=True)
class _Found:
    """A reference, what points at it, and how far its values bear that out."""

    key: ForeignKeySuggestion
    target: Target
    is_role: bool
    is_telling: bool


def single_references(
    tables: Sequence[TableProfile],
    names: TableNames,
    keys: Mapping[str, Sequence[PrimaryKeySuggestion]],
) -> Iterator[ForeignKeySuggestion]:
    """The best reference of each column that has one; `TimeBudgetExhaustedError` ends the search."""
    targets = Targets.of(tables, names, keys)
    for table in tables:
        check_deadline()
        found = [_best_reference(column, table, targets) for column in table.columns]
        yield from _without_second_ways([each for each in found if each is not None])


def _without_second_ways(found: Sequence[_Found]) -> Iterator[ForeignKeySuggestion]:
    """References of one table; one to another key of a table that is referred to anyway says the same again."""
    referred = {each.key.ref_table for each in found if not each.target.is_alternate}
    for each in found:
        if not each.target.is_alternate or each.key.ref_table not in referred:
            yield each.key


def _best_reference(column: ColumnProfile, table: TableProfile, targets: Targets) -> _Found | None:
    check_deadline()
    found = [each for target in targets.near(column) if (each := _reference(column, table, target)) is not None]
    best = max(found, key=lambda each: each.key.score, default=None)
    return _only_player(found) if best is not None and best.is_role else best


def _only_player(found: Sequence[_Found]) -> _Found | None:
    """The one table that can play a role, or the one of several whose values cannot be a coincidence."""
    telling = [each for each in found if each.is_telling] or found
    return telling[0] if len(telling) == 1 else None


def _reference(column: ColumnProfile, table: TableProfile, target: Target) -> _Found | None:
    if target.column is column or _is_copy(column, table, target):
        return None
    pointer = name_pointer(column, target)
    if pointer is None:
        return None
    if not column.present:
        return _Found(_by_name_alone(column, target, pointer), target, pointer.is_role, is_telling=False)
    return _by_values(column, target, pointer)


def _is_copy(column: ColumnProfile, table: TableProfile, target: Target) -> bool:
    """Whether the column is the key of a table that is built like the target's: a part or a copy of it."""
    is_same_column = column.schema.name == target.column.schema.name
    return is_same_column and table.table.schema.column_names == target.shape


def _by_name_alone(column: ColumnProfile, target: Target, pointer: Pointer) -> ForeignKeySuggestion:
    reason = in_words([pointer.reason, "by its name alone, as no row has a value"])
    return _suggestion(column, target, _BY_NAME_ALONE * pointer.score, None, reason)


def _by_values(column: ColumnProfile, target: Target, pointer: Pointer) -> _Found | None:
    key = target.column
    if not len(key.distinct) or Kind.BOOL in (column.column.kind, key.column.kind):
        return None
    inclusion = included(column, key)
    worthless = _WORTHLESS_TELLING_HITS if inclusion.is_telling else _WORTHLESS_HITS
    usable = max(0.0, (inclusion.hit_rate - worthless) / (1 - worthless))
    if not usable or _may_be_chance(column, target, pointer, inclusion):
        return None
    same_kind = column.column.kind is key.column.kind
    strength = max(pointer.score, _TELLING_ROLE) if inclusion.is_telling else pointer.score
    score = usable * (_NAME * strength + _COVERED * inclusion.covered**0.5 + _TYPE * same_kind)
    reason = in_words(
        [
            pointer.reason,
            f"{inclusion.hit_rate:.1%} of its values are found there",
            f"they cover {inclusion.covered:.0%} of the keys",
        ]
    )
    suggestion = _suggestion(column, target, score, inclusion.hit_rate, reason)
    return _Found(suggestion, target, pointer.is_role, inclusion.is_telling)


def _may_be_chance(column: ColumnProfile, target: Target, pointer: Pointer, inclusion: Inclusion) -> bool:
    """Whether the values bear out too little for a name that says little."""
    if target.is_alternate:
        return not inclusion.is_telling or inclusion.hit_rate < _NEARLY_ALL
    if column.name.is_keyed or inclusion.is_telling:
        return False
    is_plain = pointer.is_plain and not column.name.is_sequence
    return inclusion.hit_rate < _NEARLY_ALL or (not is_plain and inclusion.covered < _WELL_COVERED)


def _suggestion(
    column: ColumnProfile, target: Target, score: float, hit_rate: float | None, reason: str
) -> ForeignKeySuggestion:
    return ForeignKeySuggestion(
        column.table,
        (column.schema.name,),
        target.column.table,
        (target.column.schema.name,),
        min(1.0, score),
        hit_rate,
        reason,
    )
