"""The keys that columns may refer to, and what a column's name says of them.

Keys are found by the words of the name, so that not all columns are compared with all keys.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.inspect.keys.model import PrimaryKeySuggestion
from app.inspect.keys.names import (
    ColumnName,
    TableName,
    TableNames,
    Words,
    ends_with,
    forms_of,
    is_abbreviation,
    same_words,
)
from app.inspect.keys.profiles import ColumnProfile, TableProfile, included

_USABLE_KEY = 0.4
_ABBREVIATED = 3
_COPIED = 0.98
_MOST_NEAR = 1_000
_WITHOUT_KEY_WORD = 0.8
_PLAIN = 0.9
"""Pointers of this score and above name the whole table or key."""


@dataclass(frozen=True, eq=False)
class Target:
    """A column that others may refer to, and its table's columns.

    `is_alternate`: the table has a better key; `is_copy`: the column refers to another table itself, so that its own
    name speaks of that one.
    """

    column: ColumnProfile
    table: TableName
    shape: tuple[str, ...]
    is_alternate: bool = False
    is_copy: bool = False


@dataclass(frozen=True, slots=True)
class Pointer:
    """How strongly a column points at a target, from 0 to 1, and why: its name, or a role that the target may play."""

    score: float
    reason: str
    is_role: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it names the whole table or its key, even without a word that says that it is one."""
        return self.score >= _PLAIN * _WITHOUT_KEY_WORD


def name_pointer(column: ColumnProfile, target: Target) -> Pointer | None:
    """How a column's name points at a target, or None if it doesn't."""
    name = column.name
    if name.is_generic or name.is_measure:
        return None
    if target.is_alternate:
        return _alternate_pointer(name, target)
    if target.column.table == column.table:
        return _pointer_home(name, target.table)
    pointer = _word_pointer(name, target) or _role_pointer(name, target.table)
    return pointer if pointer is None or name.is_keyed else Pointer(pointer.score * _WITHOUT_KEY_WORD, pointer.reason)


def _pointer_home(name: ColumnName, table: TableName) -> Pointer | None:
    """A pointer to the column's own table, which needs a role: its name alone is that of its key or of a part."""
    stem = name.glued_stem
    if name.refers_home(table) or (name.is_keyed and len(stem) > len(table.words) and ends_with(stem, table.words)):
        return Pointer(0.75, "is named after another row of its own table")
    return None


def _word_pointer(name: ColumnName, target: Target) -> Pointer | None:
    stem, table, key = name.glued_stem, target.table, target.column.name.glued_stem
    for words, score in ((stem, 1.0), (name.unnumbered_stem, _PLAIN)):
        if same_words(words, table.words):
            return Pointer(score, f"is named after {table.name}")
    if ends_with(name.unnumbered_stem, table.words):
        return Pointer(_PLAIN, f"is named after {table.name} in a role")
    if target.is_copy:
        return None
    if same_words(stem, key):
        return Pointer(0.95, f"has the name of the key {target.column.name.name}")
    if ends_with(name.unnumbered_stem, key):
        return Pointer(_PLAIN, f"has the name of the key {target.column.name.name} in a role")
    return _partial_pointer(stem, table)


def _partial_pointer(stem: Words, table: TableName) -> Pointer | None:
    if ends_with(table.words, stem):
        return Pointer(0.92 if len(stem) > 1 else 0.7, f"has the last words of {table.name}")
    if len(stem) == 1 and table.words and stem[0] in {f"{form}ship" for form in forms_of(table.words[-1])}:
        return Pointer(0.7, f"is derived from {table.name}")
    if len(table.words) == 1 and any(_abbreviates(word, table.words[0]) for word in stem):
        return Pointer(0.55, f"may abbreviate {table.name}")
    return None


def _abbreviates(word: str, other: str) -> bool:
    return any(is_abbreviation(word, form) for form in forms_of(other))


def _role_pointer(name: ColumnName, table: TableName) -> Pointer | None:
    if table.plays(name.role_players):
        return Pointer(0.5, f"is named after a role of {table.name}", is_role=True)
    return None


def _alternate_pointer(name: ColumnName, target: Target) -> Pointer | None:
    """A pointer to a key that is not its table's best: by its own name, or by the table's with or without it."""
    key, table = target.column.name, target.table
    if same_words(name.words, key.words) and not key.is_generic and key.has_key_word:
        return Pointer(0.7, f"has the name of {key.name}")
    if same_words(name.words, (*table.words, *key.words)):
        return Pointer(_PLAIN, f"is named after {table.name} and {key.name}")
    if not name.is_keyed and ends_with(name.stem, table.words):
        return Pointer(_PLAIN * _WITHOUT_KEY_WORD, f"is named after {table.name}, which has {key.name}")
    return None


class Targets:
    """Keys by the words that may point at them."""

    def __init__(self, found: Sequence[Target], names: TableNames) -> None:
        self._names = names
        self._by_form: dict[str, list[Target]] = defaultdict(list)
        self._by_head: dict[str, list[Target]] = defaultdict(list)
        self._of_table = {target.column.table: target for target in found if not target.is_alternate}
        for target in found:
            tails = {*target.table.words[-1:], *target.column.name.glued_stem[-1:]}
            for form in {form for word in tails for form in forms_of(word)}:
                self._by_form[form].append(target)
            for head in {word[:_ABBREVIATED] for word in tails}:
                self._by_head[head].append(target)

    @classmethod
    def of(
        cls,
        tables: Sequence[TableProfile],
        names: TableNames,
        keys: Mapping[str, Sequence[PrimaryKeySuggestion]],
    ) -> "Targets":
        """The usable keys of single columns, those marked that copy the key of another table."""
        found = list(_targets(tables, names, keys))
        unmarked = cls(found, names)
        return cls([replace(target, is_copy=unmarked.is_copied_to(target)) for target in found], names)

    def near(self, column: ColumnProfile) -> list[Target]:
        """The targets that a column may point at, those of its last words first, as many as cost allows.

        If a table is called by the name itself, no other is meant to play a role.
        """
        name = column.name
        tails = {*name.glued_stem[-1:], *name.unnumbered_stem[-1:]}
        players = name.role_players if not self._names.called(name.glued_stem) else frozenset[str]()
        forms = [*(form for word in tails for form in forms_of(word)), *players]
        found = [target for form in forms for target in self._by_form.get(form, ())]
        found += [target for word in name.glued_stem for target in self._by_head.get(word[:_ABBREVIATED], ())]
        if column.table in self._of_table:
            found.append(self._of_table[column.table])
        return list({id(target): target for target in found}.values())[:_MOST_NEAR]

    def is_copied_to(self, target: Target) -> bool:
        """Whether a key is found in another table's that its name fits better, or as well, and that has more rows."""
        column = target.column
        if not column.present or not column.name.glued_stem:
            return False
        return any(
            _owns(other, target) and included(column, other.column).hit_rate >= _COPIED
            for other in self.near(column)
            if not other.is_alternate and other.column.table != column.table and other.column.present
        )


def _owns(other: Target, target: Target) -> bool:
    """Whether the name of a key speaks of another table more than of its own, or as much, and that has more rows."""
    stem = target.column.name.glued_stem
    fits, fits_own = (_fit(stem, each.table.words) for each in (other, target))
    if fits != fits_own:
        return fits > fits_own
    is_same = same_words(stem, other.column.name.glued_stem)
    return is_same and len(other.column.column) > len(target.column.column)


def _fit(stem: Words, table: Words) -> int:
    """2: the stem is the table's name, 1: it ends it, 0: it does neither."""
    return 2 if same_words(stem, table) else int(ends_with(table, stem))


def _targets(
    tables: Sequence[TableProfile],
    names: TableNames,
    keys: Mapping[str, Sequence[PrimaryKeySuggestion]],
) -> Iterator[Target]:
    for table in tables:
        usable = [key for key in keys[table.name] if len(key.columns) == 1]
        for position, key in enumerate(usable):
            column = table.column(key.columns[0])
            is_alternate = position > 0
            if column.name.is_code if is_alternate else key.score >= _USABLE_KEY:
                yield Target(column, names[table.name], table.table.schema.column_names, is_alternate)
