"""Candidates for keys of several columns, where no single column is one, and for references to them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from app.budget import check_deadline
from app.inspect.keys.model import ForeignKeySuggestion, PrimaryKeySuggestion, in_words
from app.inspect.keys.profiles import ColumnProfile, TableProfile
from app.tables.column import Kind
from app.tables.dictionary import IntArray
from app.tables.matching import match_rows

_MOST_MEMBERS = 4
_MOST_COLUMNS = 8
_REFERENCE = 1.0
_OWN_PART = 0.8
_LEAST_HITS = 0.98


@dataclass(frozen=True, eq=False)
class _Member:
    """A column that may be part of a key, and how well it suits (0 to 1)."""

    column: ColumnProfile
    quality: float


def composite_keys(table: TableProfile, references: frozenset[str]) -> Iterator[PrimaryKeySuggestion]:
    """The smallest sets of columns that identify all rows, those of references first; none for a table without rows.

    `references` are the columns of the table that refer to other tables.
    """
    if table.rows < 2:
        return
    members = _members(table, references)
    if not members:
        return
    found: list[frozenset[str]] = []
    codes: dict[str, IntArray] = {}
    for size in range(2, _MOST_MEMBERS + 1):
        for group in _by_quality(combinations(members, size)):
            check_deadline()
            names = frozenset(member.column.schema.name for member in group)
            if any(key <= names for key in found) or not _is_unique(group, codes):
                continue
            found.append(names)
            yield _suggested(table, group)
        if found:
            return


def _members(table: TableProfile, references: frozenset[str]) -> list[_Member]:
    """The best few columns for a key, in their order in the table."""
    rated = [_Member(column, _quality(column, references)) for column in table.columns]
    usable = [each for each in rated if each.quality and _is_usable(each)]
    kept = sorted(usable, key=lambda each: (-each.quality, each.column.position))[:_MOST_COLUMNS]
    return sorted(kept, key=lambda each: each.column.position)


def _is_usable(member: _Member) -> bool:
    """Whether the column is complete and no key by itself, though a reference may be unique by chance."""
    column = member.column
    is_complete = column.column.kind in (Kind.INT64, Kind.TEXT) and column.present == len(column.column)
    return is_complete and (member.quality == _REFERENCE or 1 < len(column.distinct) < column.present)


def _quality(column: ColumnProfile, references: frozenset[str]) -> float:
    name = column.name
    if column.schema.name in references:
        return _REFERENCE
    if name.is_sequence:
        return _OWN_PART
    if name.has_key_word:
        return 0.7
    if name.is_time:
        return 0.5
    return 0.3 if name.words[-1:] in (("name",), ("type",), ("language",), ("locale",), ("lang",)) else 0.0


def _by_quality(groups: Iterator[tuple[_Member, ...]]) -> list[tuple[_Member, ...]]:
    """Best average quality first; of equals, the ones that stand further to the left."""
    return sorted(groups, key=lambda group: -sum(member.quality for member in group))


def _is_unique(group: Sequence[_Member], codes: dict[str, IntArray]) -> bool:
    rows = len(group[0].column.column)
    if prod(len(member.column.distinct) for member in group) < rows:
        return False
    combined = np.zeros(rows, np.int64)
    for member in group:
        own = _codes(member.column, codes)
        combined = np.unique(combined * (int(own.max()) + 1) + own, return_inverse=True)[1]
    return int(combined.max()) + 1 == rows


def _codes(column: ColumnProfile, known: dict[str, IntArray]) -> IntArray:
    name = column.schema.name
    if name not in known:
        values = column.column.values
        dense = values if column.column.kind is Kind.TEXT else np.unique(values, return_inverse=True)[1]
        known[name] = dense.astype(np.int64)
    return known[name]


def _suggested(table: TableProfile, group: Sequence[_Member]) -> PrimaryKeySuggestion:
    quality = sum(member.quality for member in group) / len(group)
    leads = group[0].column.position <= 1
    few = 0.05 * (len(group) - 2)
    references = sum(member.quality == _REFERENCE for member in group)
    score = 0.65 * quality + 0.15 * leads - few
    reason = in_words(
        [
            f"{table.rows:,} different combinations in as many rows",
            f"{references} of {len(group)} columns are references",
            "no single column is named as the table's key",
        ]
    )
    return PrimaryKeySuggestion(table.name, tuple(member.column.schema.name for member in group), score, reason)


def composite_references(
    tables: Sequence[TableProfile],
    keys: Mapping[str, PrimaryKeySuggestion],
    references: Mapping[str, frozenset[str]],
) -> Iterator[ForeignKeySuggestion]:
    """References to keys of several columns: a table has columns of the same names, and their values are found there.

    `keys` are the best keys by table and `references` the single columns of each table that refer to another. A key
    made of nothing but references belongs to a relationship, to which others refer rarely.
    """
    parents = [table for table in tables if table.name in keys and len(keys[table.name].columns) > 1]
    for parent in parents:
        key = keys[parent.name]
        has_own_part = not references[parent.name].issuperset(key.columns)
        for child in tables:
            check_deadline()
            if child is not parent and set(key.columns) <= set(child.table.schema.column_names):
                yield from _checked(child, parent, key, has_own_part)


def _checked(
    child: TableProfile, parent: TableProfile, key: PrimaryKeySuggestion, has_own_part: bool
) -> Iterator[ForeignKeySuggestion]:
    if not child.rows or not parent.rows:
        return
    child_columns = [child.column(name) for name in key.columns]
    parent_columns = [parent.column(name) for name in key.columns]
    complete = ~np.logical_or.reduce([column.missing for column in child_columns])
    schemas = [column.schema for column in parent_columns]
    match = match_rows([each.column for each in child_columns], [each.column for each in parent_columns], schemas)
    if not complete.any():
        return
    hit_rate = float(np.count_nonzero(match.pointers[complete] >= 0) / np.count_nonzero(complete))
    if hit_rate < _LEAST_HITS:
        return
    reason = in_words(
        [
            "has columns of the same names",
            f"{hit_rate:.1%} of their values are found there together",
            "" if has_own_part else f"but {parent.name} only relates other tables",
        ]
    )
    score = hit_rate * (0.8 if has_own_part else 0.4)
    yield ForeignKeySuggestion(child.name, key.columns, parent.name, key.columns, score, hit_rate, reason)
