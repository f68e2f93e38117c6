"""Candidates for primary keys of one column: unique, complete, and named, typed and placed as keys are."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.budget import check_deadline
from app.inspect.keys.model import DEFAULT_THRESHOLD, ForeignKeySuggestion, PrimaryKeySuggestion, in_words
from app.inspect.keys.names import (
    ColumnName,
    TableName,
    TableNames,
    Words,
    ends_with,
    same_words,
    starts_with,
)
from app.inspect.keys.profiles import ColumnProfile, TableProfile

_NAME, _TYPE, _LEFT, _DENSE = 0.6, 0.2, 0.15, 0.05
_BY_NAME_ALONE = 0.6
_WEAK_WORD = 0.75
_OF_ANOTHER = 0.3
_REFERRED_TO = 0.15
_COUNTER = 0.6
_COUNTER_TABLES = 3
_KEY_NAMES = frozenset(
    {"name", "title", "slug", "isbn", "email", "symbol", "sku", "username", "login", "ssn", "vin", "iban"}
)


def single_keys(tables: Sequence[TableProfile], names: TableNames) -> dict[str, list[PrimaryKeySuggestion]]:
    """For each table its candidates, best first."""
    owners = _Owners(names)
    found = {table.name: _candidates(table, owners) for table in tables}
    counters = _row_counters(found)
    weighed = {name: [_weighed(key, counters) for key in keys] for name, keys in found.items()}
    return {name: sorted(keys, key=lambda key: -key.score) for name, keys in weighed.items()}


def _candidates(table: TableProfile, owners: "_Owners") -> list[PrimaryKeySuggestion]:
    check_deadline()
    if table.rows == 0:
        if any(column.name.counts_rows for column in table.columns):
            return []
        return [_by_name_alone(column) for column in table.columns if owners.is_named_as_key(column)]
    return [_scored(column, owners.name_score(column)) for column in table.columns if column.is_unique]


def _by_name_alone(column: ColumnProfile) -> PrimaryKeySuggestion:
    reason = "by its name alone, since there are no rows"
    return PrimaryKeySuggestion(column.table, (column.schema.name,), _BY_NAME_ALONE, reason)


def _scored(column: ColumnProfile, name: float) -> PrimaryKeySuggestion:
    leftness = 1 / (1 + 0.25 * column.position)
    score = _NAME * name + _TYPE * column.type_score + _LEFT * leftness + _DENSE * column.is_dense
    reason = in_words(
        [
            f"{column.present:,} different values in as many rows",
            _name_reason(name, column.name),
            "the first column" if column.position == 0 else "",
            "whole numbers without gaps" if column.is_dense else "",
        ]
    )
    return PrimaryKeySuggestion(column.table, (column.schema.name,), min(1.0, score), reason)


def referred_to(
    keys: Mapping[str, Sequence[PrimaryKeySuggestion]], references: Sequence[ForeignKeySuggestion]
) -> dict[str, list[PrimaryKeySuggestion]]:
    """The same candidates, those raised that columns of other tables refer to."""
    targets = {
        (key.ref_table, key.ref_columns)
        for key in references
        if key.table != key.ref_table and key.score >= DEFAULT_THRESHOLD
    }

    def raised(key: PrimaryKeySuggestion) -> PrimaryKeySuggestion:
        if (key.table, key.columns) not in targets:
            return key
        return replace(key, score=min(1.0, key.score + _REFERRED_TO), reason=f"{key.reason}, others refer to it")

    return {name: sorted(map(raised, found), key=lambda key: -key.score) for name, found in keys.items()}


class _Owners:
    """All tables' names, to tell whose key a column's name speaks of."""

    def __init__(self, names: TableNames) -> None:
        self._names = names

    def is_named_as_key(self, column: ColumnProfile) -> bool:
        """Whether the name alone makes it the key: that of its table, or the first one, of no other table."""
        score = self.name_score(column)
        return score >= 1.0 or (column.position == 0 and column.name.is_strong and score > _OF_ANOTHER)

    def name_score(self, column: ColumnProfile) -> float:
        """How well a column's name says that it is the key of its table, from 0 to 1."""
        name, table = column.name, self._names[column.table]
        stem = name.glued_stem
        if not name.has_key_word and stem == name.stem:
            is_name = len(stem) == 1 and (stem[0] in _KEY_NAMES or same_words(stem, table.words))
            return 0.3 if is_name else 0.1
        strength = _WEAK_WORD if name.has_key_word and not name.is_strong else 1.0
        return strength * self._stem_score(column, stem, table)

    def _stem_score(self, column: ColumnProfile, stem: Words, table: TableName) -> float:
        if not stem:
            return 1.0 if column.name.words == ("id",) else 0.7
        if same_words(stem, table.words):
            return 1.0
        if any(other is not table for other in self._names.called(stem)):
            return _OF_ANOTHER
        return 0.85 if ends_with(table.words, stem) or starts_with(table.words, stem) else 0.45


def _name_reason(score: float, column: ColumnName) -> str:
    if score >= 0.6:
        return "named as the table's key"
    return "named as a key" if column.has_key_word else "not named as a key"


def _row_counters(found: Mapping[str, Sequence[PrimaryKeySuggestion]]) -> frozenset[str]:
    """Names of columns that number the rows of many tables of which some have a better key of their own.

    A counter that a better key beats in some tables is hardly the key of the others.
    """
    better: dict[str, int] = defaultdict(int)
    total: dict[str, int] = defaultdict(int)
    for keys in found.values():
        best = max((key.score for key in keys), default=0.0)
        for key in keys:
            total[key.columns[0]] += 1
            better[key.columns[0]] += key.score < best
    return frozenset(
        name
        for name, tables in total.items()
        if tables >= _COUNTER_TABLES and 3 * better[name] >= tables and ColumnName(name).is_generic
    )


def _weighed(key: PrimaryKeySuggestion, counters: frozenset[str]) -> PrimaryKeySuggestion:
    if key.columns[0] not in counters:
        return key
    reason = f"{key.reason}, but it only numbers the rows of many tables that have keys of their own"
    return PrimaryKeySuggestion(key.table, key.columns, key.score * _COUNTER, reason)
