"""The keys that columns may refer to, found by the words of a column's name, so that not all are compared with all."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from app.inspect.keys.inclusion import included
from app.inspect.keys.model import PrimaryKeySuggestion
from app.inspect.keys.names import TableName, Words, ends_with, forms_of, same_words
from app.inspect.keys.pointers import Target
from app.inspect.keys.profiles import ColumnProfile, TableProfile

_USABLE_KEY = 0.4
_ABBREVIATED = 3
_COPIED = 0.98
_MOST_NEAR = 1_000


class Targets:
    """Keys by the words that may point at them."""

    def __init__(self, found: Sequence[Target]) -> None:
        self._by_form: dict[str, list[Target]] = defaultdict(list)
        self._by_head: dict[str, list[Target]] = defaultdict(list)
        self._by_player: dict[str, list[Target]] = defaultdict(list)
        self._of_table = {target.column.table: target for target in found if not target.is_alternate}
        for target in found:
            self._add(target)

    @classmethod
    def of(
        cls,
        tables: Sequence[TableProfile],
        names: Mapping[str, TableName],
        keys: Mapping[str, Sequence[PrimaryKeySuggestion]],
    ) -> "Targets":
        """The usable keys of single columns, those marked that copy the key of another table."""
        found = list(_targets(tables, names, keys))
        unmarked = cls(found)
        return cls([replace(target, is_copy=unmarked.is_copied_to(target)) for target in found])

    def _add(self, target: Target) -> None:
        tails = {*target.table.words[-1:], *target.column.name.glued_stem[-1:]}
        if target.is_alternate:
            tails |= {*target.column.name.words[-1:]}
        for form in {form for word in tails for form in forms_of(word)}:
            self._by_form[form].append(target)
        for head in {word[:_ABBREVIATED] for word in tails}:
            self._by_head[head].append(target)
        if not target.is_alternate:
            for form in forms_of((target.table.words or ("",))[-1]):
                self._by_player[form].append(target)

    def near(self, column: ColumnProfile) -> list[Target]:
        """The targets that a column may point at, those of its last words first, as many as cost allows."""
        name = column.name
        tails = {*name.words[-1:], *name.glued_stem[-1:], *name.unnumbered_stem[-1:]}
        found = [target for word in tails for form in forms_of(word) for target in self._by_form.get(form, ())]
        found += [target for word in name.glued_stem for target in self._by_head.get(word[:_ABBREVIATED], ())]
        if not self._is_a_table(name.glued_stem):
            found += [target for word in name.role_players for target in self._by_player.get(word, ())]
        if name.has_self_role() and column.table in self._of_table:
            found.append(self._of_table[column.table])
        return list({id(target): target for target in found}.values())[:_MOST_NEAR]

    def _is_a_table(self, stem: Words) -> bool:
        """Whether a table is named so, which then is what is meant, and no other that might play the part."""
        near = (target for word in stem[-1:] for form in forms_of(word) for target in self._by_player.get(form, ()))
        return any(same_words(stem, target.table.words) for target in near)

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
    names: Mapping[str, TableName],
    keys: Mapping[str, Sequence[PrimaryKeySuggestion]],
) -> Iterator[Target]:
    for table in tables:
        usable = [key for key in keys[table.name] if len(key.columns) == 1]
        for place, key in enumerate(usable):
            column = table.column(key.columns[0])
            is_alternate = place > 0
            if column.name.is_code if is_alternate else key.score >= _USABLE_KEY:
                yield Target(column, names[table.name], table.table.schema.column_names, is_alternate)
