"""Candidates for references of one column: a name that points at a table, and values that are found there.

Inclusion alone proves nothing (small whole numbers are included in every larger key), so a name, or a role, must
point at the table first; inclusion, coverage and type then decide.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.budget import check_deadline
from app.inspect.keys.model import ForeignKeySuggestion, PrimaryKeySuggestion, in_words
from app.inspect.keys.names import (
    ColumnName,
    TableName,
    ends_with,
    forms_of,
    is_abbreviation,
    owner_of,
    same_words,
)
from app.inspect.keys.profiles import ColumnProfile, TableProfile
from app.tables.column import Kind
from app.tables.matching import key_codes

_NAME, _COVERED, _TYPE = 0.75, 0.15, 0.1
_BY_NAME_ALONE = 0.6
_WORTHLESS_HITS = 0.6
_WITHOUT_KEY_WORD = 0.8
_ALTERNATE = 0.7
_USABLE_KEY = 0.4
_ABBREVIATED = 3


@dataclass(frozen=True, eq=False)
class Target:
    """A column that others may refer to, and its table's columns; `is_alternate` where the table has a better key."""

    column: ColumnProfile
    table: TableName
    shape: tuple[str, ...]
    is_alternate: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """A reference, and whether it leads to a key that is not its table's best."""

    key: ForeignKeySuggestion
    is_alternate: bool


@dataclass(frozen=True, slots=True)
class Pointer:
    """How strongly a column's name points at a table, from 0 to 1, and why."""

    score: float
    reason: str


def single_references(
    tables: Sequence[TableProfile],
    names: Mapping[str, TableName],
    keys: Mapping[str, Sequence[PrimaryKeySuggestion]],
) -> Iterator[ForeignKeySuggestion]:
    """The best reference of each column that has one; `TimeBudgetExhaustedError` ends the search."""
    targets = _Targets(list(_targets(tables, names, keys)))
    for table in tables:
        check_deadline()
        found = [_best_reference(column, table, targets) for column in table.columns]
        yield from _without_second_ways([each for each in found if each is not None])


def _without_second_ways(found: Sequence["_Found"]) -> Iterator[ForeignKeySuggestion]:
    """References of one table; one to another key of a table that is referred to anyway says the same again."""
    referred = {each.key.ref_table for each in found if not each.is_alternate}
    for each in found:
        if not each.is_alternate or each.key.ref_table not in referred:
            yield each.key


def _targets(
    tables: Sequence[TableProfile],
    names: Mapping[str, TableName],
    keys: Mapping[str, Sequence[PrimaryKeySuggestion]],
) -> Iterator[Target]:
    for table in tables:
        usable = [key for key in keys[table.name] if key.score >= _USABLE_KEY]
        for place, key in enumerate(usable):
            column = table.column(key.columns[0])
            if owner_of(column.name.glued_stem, names, besides=table.name):
                continue
            if place == 0 or column.name.has_key_word:
                yield Target(column, names[table.name], table.table.schema.column_names, is_alternate=place > 0)


class _Targets:
    """Targets by the words that may point at them, so that not every column is compared with every table."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self._by_form: dict[str, list[Target]] = defaultdict(list)
        self._by_head: dict[str, list[Target]] = defaultdict(list)
        self._of_table = {target.column.table: target for target in targets if not target.is_alternate}
        self._people = [target for target in self._of_table.values() if target.table.is_person]
        for target in targets:
            words = {*target.table.words[-1:], *target.column.name.stem[-1:]}
            for form in {form for word in words for form in forms_of(word)}:
                self._by_form[form].append(target)
            for head in {word[:_ABBREVIATED] for word in words}:
                self._by_head[head].append(target)

    def near(self, column: ColumnProfile) -> list[Target]:
        """The targets that a column may point at."""
        name, stem = column.name, column.name.glued_stem
        found = [target for word in stem[-1:] for form in forms_of(word) for target in self._by_form.get(form, ())]
        found += [target for word in stem for target in self._by_head.get(word[:_ABBREVIATED], ())]
        if name.has_person_role():
            found += self._people
        if name.has_self_role() and column.table in self._of_table:
            found.append(self._of_table[column.table])
        return list({id(target): target for target in found}.values())


def _best_reference(column: ColumnProfile, table: TableProfile, targets: _Targets) -> _Found | None:
    check_deadline()
    found = [_reference(column, table, target) for target in targets.near(column)]
    return max((each for each in found if each is not None), key=lambda each: each.key.score, default=None)


def _reference(column: ColumnProfile, table: TableProfile, target: Target) -> _Found | None:
    if target.column is column or _is_copy(column, table, target):
        return None
    pointer = name_pointer(column, target)
    if pointer is None:
        return None
    key = _by_values(column, target, pointer) if column.present else _by_name_alone(column, target, pointer)
    return None if key is None else _Found(key, target.is_alternate)


def _is_copy(column: ColumnProfile, table: TableProfile, target: Target) -> bool:
    """Whether the column is the key of a table that is built like the target's: a part or a copy of it."""
    is_same_column = column.schema.name == target.column.schema.name
    return is_same_column and table.table.schema.column_names == target.shape


def name_pointer(column: ColumnProfile, target: Target) -> Pointer | None:
    """How a column's name points at a target, or None if it doesn't."""
    name, table, key = column.name, target.table, target.column.name
    if name.is_generic or target.is_alternate:
        return _same_name(name, key) if target.is_alternate and not name.is_generic else None
    stem = name.glued_stem
    known = name.has_key_word or stem != name.stem
    pointer = _word_pointer(stem, table, key) or _role_pointer(column, target)
    if pointer is None:
        return None
    return pointer if known else Pointer(pointer.score * _WITHOUT_KEY_WORD, pointer.reason)


def _same_name(name: ColumnName, key: ColumnName) -> Pointer | None:
    if name.words == key.words and name.has_key_word:
        return Pointer(_ALTERNATE, f"has the name of {key.name}")
    return None


def _word_pointer(stem: Sequence[str], table: TableName, key: ColumnName) -> Pointer | None:
    if same_words(stem, table.words):
        return Pointer(1.0, f"is named after {table.name}")
    if same_words(stem, key.glued_stem):
        return Pointer(0.95, f"has the name of the key {key.name}")
    if ends_with(stem, table.words) or ends_with(stem, key.glued_stem):
        return Pointer(0.9, f"is named after {table.name} in a role")
    if ends_with(table.words, stem):
        return Pointer(0.7, f"has the last word of {table.name}")
    if len(table.words) == 1 and any(_abbreviates(word, table.words[0]) for word in stem):
        return Pointer(0.55, f"may abbreviate {table.name}")
    return None


def _abbreviates(word: str, other: str) -> bool:
    return any(is_abbreviation(word, form) for form in forms_of(other))


def _role_pointer(column: ColumnProfile, target: Target) -> Pointer | None:
    if column.name.has_self_role() and target.column.table == column.table:
        return Pointer(0.75, "is named after another row of its own table")
    if column.name.has_person_role() and target.table.is_person:
        return Pointer(0.5, "is named after the role of a person")
    return None


def _by_name_alone(column: ColumnProfile, target: Target, pointer: Pointer) -> ForeignKeySuggestion:
    reason = in_words([pointer.reason, "by its name alone, as no row has a value"])
    return _suggestion(column, target, _BY_NAME_ALONE * pointer.score, None, reason)


def _by_values(column: ColumnProfile, target: Target, pointer: Pointer) -> ForeignKeySuggestion | None:
    parent = target.column
    if not len(parent.distinct) or Kind.BOOL in (column.column.kind, parent.column.kind):
        return None
    codes = key_codes(column.distinct, parent.distinct, parent.schema).child
    hits = codes >= 0
    hit_rate = float(column.counts[hits].sum() / column.present)
    usable = max(0.0, (hit_rate - _WORTHLESS_HITS) / (1 - _WORTHLESS_HITS))
    if not usable:
        return None
    covered = float(np.count_nonzero(hits) / len(parent.distinct))
    same_kind = column.column.kind is parent.column.kind
    score = usable * (_NAME * pointer.score + _COVERED * covered**0.5 + _TYPE * same_kind)
    reason = in_words(
        [pointer.reason, f"{hit_rate:.1%} of its values are found there", f"they cover {covered:.0%} of the keys"]
    )
    return _suggestion(column, target, score, hit_rate, reason)


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
