"""References to keys of several columns: a table has columns of the same names, and their values are found there."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

import numpy as np

from app.budget import check_deadline
from app.inspect.keys.model import ForeignKeySuggestion, PrimaryKeySuggestion, in_words
from app.inspect.keys.names import Words
from app.inspect.keys.profiles import ColumnProfile, TableProfile
from app.tables.matching import match_rows

_LEAST_HITS = 0.98
_OWN_PART, _RELATION = 0.8, 0.4
_MOST_ROLES = 8


def composite_references(
    tables: Sequence[TableProfile],
    keys: Mapping[str, PrimaryKeySuggestion],
    referring: Mapping[str, set[str]],
) -> Iterator[ForeignKeySuggestion]:
    """References by names, of which one may stand in a role (`year_id, winning_team_id`), and by values.

    `keys` are the best keys by table and `referring` the columns of each table that refer to another, to which those
    found here are added. A key of nothing but references belongs to a relationship, to which others refer rarely.
    """
    words = _Words(tables)
    parents = [table for table in tables if table.name in keys and len(keys[table.name].columns) > 1 and table.rows]
    for parent in sorted(parents, key=lambda table: len(keys[table.name].columns)):
        columns = [parent.column(name) for name in keys[parent.name].columns]
        own_part = not referring[parent.name].issuperset(keys[parent.name].columns)
        for child in words.holders(columns, parent):
            for named in islice(_named_alike(child, columns), _MOST_ROLES):
                check_deadline()
                found = _checked(child, named, parent, columns, own_part)
                if found is not None:
                    referring[child.name].update(found.columns if own_part else ())
                    yield found


class _Words:
    """Tables by the names of their columns in words, so that not all are compared with all."""

    def __init__(self, tables: Sequence[TableProfile]) -> None:
        self._tables: dict[Words, list[TableProfile]] = defaultdict(list)
        for table in tables:
            for words in {column.name.words for column in table.columns}:
                self._tables[words].append(table)

    def holders(self, columns: Sequence[ColumnProfile], besides: TableProfile) -> list[TableProfile]:
        """Tables with all of these names but one at most."""
        counted: dict[str, int] = defaultdict(int)
        found = {table.name: table for column in columns for table in self._tables[column.name.words]}
        for column in columns:
            for table in self._tables[column.name.words]:
                counted[table.name] += 1
        return [found[name] for name, count in counted.items() if count >= len(columns) - 1 and name != besides.name]


def _named_alike(child: TableProfile, columns: Sequence[ColumnProfile]) -> Iterator[tuple[ColumnProfile, ...]]:
    """Columns of a table that are named as these, one of them in a role at most."""
    same = [[own for own in child.columns if own.name.words == column.name.words][:1] for column in columns]
    missing = [position for position, found in enumerate(same) if not found]
    if len(missing) > 1:
        return
    for position in missing:
        words = columns[position].name.words
        same[position] = [own for own in child.columns if _in_role(own.name.words, words)]
    yield from product(*same)


def _in_role(words: Words, name: Words) -> bool:
    return len(words) > len(name) and (words[: len(name)] == name or words[-len(name) :] == name)


def _checked(
    child: TableProfile,
    named: Sequence[ColumnProfile],
    parent: TableProfile,
    columns: Sequence[ColumnProfile],
    own_part: bool,
) -> ForeignKeySuggestion | None:
    complete = ~np.logical_or.reduce([column.missing for column in named])
    if not complete.any():
        return None
    match = match_rows(
        [each.column for each in named], [each.column for each in columns], [each.schema for each in columns]
    )
    hit_rate = float(np.count_nonzero(match.pointers[complete] >= 0) / np.count_nonzero(complete))
    if hit_rate < _LEAST_HITS:
        return None
    reason = in_words(
        [
            "has columns of the same names",
            f"{hit_rate:.1%} of their values are found there together",
            "" if own_part else f"but {parent.name} only relates other tables",
        ]
    )
    score = hit_rate * (_OWN_PART if own_part else _RELATION)
    names, targets = (tuple(each.schema.name for each in side) for side in (named, columns))
    return ForeignKeySuggestion(child.name, names, parent.name, targets, score, hit_rate, reason)
