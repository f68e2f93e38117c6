"""Candidates for keys of several columns, for tables in which no single column is one.

Any set of columns that tells all rows apart could be one. Three habits say which is meant: a number counts the rows of
something (the lines of an order); a table that relates others begins with all of its references, though fewer may tell
its rows apart; and keys are short, named as such, and stand to the left.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, takewhile
from math import prod

import numpy as np

from app.budget import check_deadline
from app.inspect.keys.model import PrimaryKeySuggestion, in_words
from app.inspect.keys.names import TableName, ends_with
from app.inspect.keys.profiles import ColumnProfile, TableProfile
from app.tables.column import Kind
from app.tables.dictionary import IntArray

_MOST_MEMBERS = 4
_MOST_COLUMNS = 8
_REFERENCE = 1.0
_OWN_NAME = 1.0
_COUNTER = 1.1
_SEQUENCE = 0.8
_KEY_WORD = 0.7
_TIME = 0.5
_NAMED = 0.3
_LABELS = frozenset({"name", "type", "language", "locale", "lang"})
_ALL_REFERENCES = 0.1
_COUNTS_OTHERS = 0.2
_BY_NAMES_ALONE = 0.65
_FIRST_ROWS = 4096
_COUNTED = 0.9


@dataclass(frozen=True, eq=False)
class _Member:
    """A column that may be part of a key, and how well it suits (0 to about 1)."""

    column: ColumnProfile
    quality: float

    @cached_property
    def codes(self) -> IntArray:
        """For each row a number from 0 on that is the same where the values are, int64, shape (rows,)."""
        column = self.column.column
        dense = column.values if column.kind is Kind.TEXT else np.unique(column.values, return_inverse=True)[1]
        codes: IntArray = dense.astype(np.int64)
        return codes


def composite_keys(
    table: TableProfile, name: TableName, references: AbstractSet[str]
) -> Iterator[PrimaryKeySuggestion]:
    """Keys of several columns; `references` are the columns of the table that refer to other tables."""
    if table.rows < 2:
        yield from _by_names(table, references)
        return
    members = _members(table, name, references)
    found = [*_smallest_keys(members), *_counted_keys(members)]
    related = _related(members, found)
    if related:
        yield _suggested(table, related, references, relates_all=True)
    for group in {tuple(each.column.position for each in group): group for group in found}.values():
        yield _suggested(table, group, references)


def _by_names(table: TableProfile, references: AbstractSet[str]) -> Iterator[PrimaryKeySuggestion]:
    """The key of a table with too few rows to see: its references, if it has nothing else, or a number after them."""
    leading = list(takewhile(lambda column: column.schema.name in references, table.columns))
    counter = [each for each in table.columns[len(leading) :][:1] if each.name.is_sequence or each.name.is_time]
    if leading and (counter or 1 < len(leading) == len(table.columns)):
        names = tuple(column.schema.name for column in [*leading, *counter])
        yield PrimaryKeySuggestion(table.name, names, _BY_NAMES_ALONE, "by their names alone, for lack of rows")


def _members(table: TableProfile, name: TableName, references: AbstractSet[str]) -> list[_Member]:
    """The best few columns for a key, in their order in the table."""
    rated = [_Member(column, _quality(column, name, references)) for column in table.columns]
    usable = [each for each in rated if each.quality and _is_usable(each)]
    kept = sorted(usable, key=lambda each: (-each.quality, each.column.position))[:_MOST_COLUMNS]
    return sorted(kept, key=lambda each: each.column.position)


def _is_usable(member: _Member) -> bool:
    """Whether the column is complete and no key by itself, though a reference may be unique by chance."""
    column = member.column
    is_complete = column.column.kind in (Kind.INT64, Kind.TEXT) and column.present == len(column.column)
    return is_complete and (member.quality == _REFERENCE or 1 < len(column.distinct) < column.present)


def _quality(column: ColumnProfile, table: TableName, references: AbstractSet[str]) -> float:
    name = column.name
    if column.schema.name in references:
        return _REFERENCE
    if name.is_keyed and ends_with(table.words, name.glued_stem):
        return _OWN_NAME
    if name.is_sequence:
        return _SEQUENCE
    if name.has_key_word:
        return _KEY_WORD
    if name.is_time:
        return _TIME
    return _NAMED if not _LABELS.isdisjoint(name.words[-1:]) else 0.0


def _counted_keys(members: Sequence[_Member]) -> Iterator[tuple[_Member, ...]]:
    """A number together with what it counts the rows of: one column to its left, or all that tell rows apart there."""
    for position, member in enumerate(members):
        if not member.column.name.is_sequence or member.column.integers is None:
            continue
        for group in [*((each,) for each in members[:position]), _telling(members[:position])]:
            check_deadline()
            if group and _counts(member, _combined(group)):
                yield (*group, _Member(member.column, _COUNTER))
                break


def _telling(members: Iterable[_Member]) -> tuple[_Member, ...]:
    """From left to right those that tell rows apart that the ones before them don't."""
    told: tuple[_Member, ...] = ()
    groups = 1
    for member in members:
        more = int(_combined((*told, member)).max()) + 1
        if more > groups:
            told, groups = (*told, member), more
    return told


def _counts(member: _Member, groups: IntArray) -> bool:
    """Whether most groups of rows have the numbers from 0 or 1 to their size, none of them twice, and some have two."""
    sizes = np.bincount(groups)
    if len(sizes) == len(groups) or not _tells_all_apart((groups, member.codes)):
        return False
    numbers = _numbers(member.column)
    last = np.zeros(len(sizes), np.int64)
    np.maximum.at(last, groups, numbers)
    return float(np.mean((last == sizes) | (last == sizes - 1))) >= _COUNTED


def _numbers(column: ColumnProfile) -> IntArray:
    """The whole numbers of a column, also of one that writes them as texts, int64, shape (rows,)."""
    values: IntArray = column.column.values
    if column.column.kind is Kind.INT64 or column.integers is None:
        return values
    by_code = np.zeros(len(column.column.texts), np.int64)
    by_code[np.unique(values)] = column.integers
    return by_code[values]


def _smallest_keys(members: Sequence[_Member]) -> list[tuple[_Member, ...]]:
    """The smallest sets that tell all rows apart, best average quality first; of equals, the ones further left."""
    for size in range(2, _MOST_MEMBERS + 1):
        groups = sorted(combinations(members, size), key=lambda group: -sum(member.quality for member in group))
        found = [group for group in groups if _is_unique(group)]
        if found:
            return found
    return []


def _is_unique(group: Sequence[_Member]) -> bool:
    check_deadline()
    rows = len(group[0].codes)
    if prod(len(member.column.distinct) for member in group) < rows:
        return False
    codes = [member.codes for member in group]
    return _tells_all_apart([each[:_FIRST_ROWS] for each in codes]) and _tells_all_apart(codes)


def _tells_all_apart(codes: Sequence[IntArray]) -> bool:
    return int(_combined_codes(codes).max()) + 1 == len(codes[0])


def _combined(group: Sequence[_Member]) -> IntArray:
    return _combined_codes([member.codes for member in group])


def _combined_codes(codes: Sequence[IntArray]) -> IntArray:
    """One code for all columns, from 0 to the number of combinations."""
    combined = np.zeros(len(codes[0]), np.int64)
    for own in codes:
        combined = np.unique(combined * (int(own.max()) + 1) + own, return_inverse=True)[1]
    return combined


def _related(members: Sequence[_Member], found: Sequence[tuple[_Member, ...]]) -> tuple[_Member, ...]:
    """The leading references of a table that are more than a key of references alone, if that is the best key."""
    if not found or any(member.quality != _REFERENCE for member in found[0]):
        return ()
    last = found[0][-1].column.position
    leading = tuple(each for each in members if each.quality == _REFERENCE and each.column.position <= last)
    return leading if len(leading) > len(found[0]) else ()


def _suggested(
    table: TableProfile, group: Sequence[_Member], references: AbstractSet[str], *, relates_all: bool = False
) -> PrimaryKeySuggestion:
    quality = sum(member.quality for member in group) / len(group)
    is_left = group[0].column.position <= 1
    few = 0.05 * (len(group) - 2)
    names = tuple(member.column.schema.name for member in group)
    counter = next((member.column.schema.name for member in group if member.quality == _COUNTER), "")
    bonus = _ALL_REFERENCES * relates_all + _COUNTS_OTHERS * (counter != "")
    reason = in_words(
        [
            f"{table.rows:,} different combinations in as many rows",
            f"{len(references & set(names))} of {len(group)} columns are references",
            "fewer would do, but the table relates all of them" if relates_all else "",
            f"{counter} counts the rows of the others" if counter else "",
            "no single column is named as the table's key",
        ]
    )
    return PrimaryKeySuggestion(table.name, names, min(1.0, 0.65 * quality + 0.15 * is_left - few + bonus), reason)
