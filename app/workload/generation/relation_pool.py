"""Questions along foreign keys: what is on the other side, how much of it, and what lacks it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from app.tables.dictionary import IntArray
from app.tables.key_affinity import child_affinity_matters
from app.values import Scalar
from app.workload.generation.categories import Category
from app.workload.generation.documents import (
    COUNT_ROWS,
    Candidate,
    Document,
    aggregation,
    ascending,
    candidate,
    comparison,
    descending,
    joins,
    spoken,
)
from app.workload.generation.paths import Path, PathFinder
from app.workload.generation.table_pool import SHOWN_ROWS, measured, qualified
from app.workload.generation.traits import MAX_CATEGORY_VALUES, ColumnTraits, TableTraits, is_constant, sampled

_REACHED_ROWS = 256
_SLOW_PAIRS = 50_000_000


class RelationPool:
    """The candidates of one path at a time."""

    def __init__(self, traits: Mapping[str, TableTraits], finder: PathFinder) -> None:
        self._traits = traits
        self._finder = finder

    def candidates(self, path: Path) -> Iterator[Candidate]:
        """All candidates of a path, the best of each category first."""
        if len(path.hops) == 1:
            return chain(
                self._measures(path, Category.JOINED_MEASURE),
                self._joined_counts(path),
                self._reverse_counts(path),
                self._optional(path),
                self._selected(path),
                self._details(path),
            )
        return chain(
            self._filtered(path),
            self._selected(path),
            self._counts(path),
            self._measures(path, Category.PATH_MEASURE),
            self._details(path),
        )

    def _ends(self, path: Path) -> tuple[TableTraits, TableTraits]:
        return self._traits[path.root], self._traits[path.end]

    def _measures(self, path: Path, category: Category) -> Iterator[Candidate]:
        """Measures of one end by the groups of the other."""
        first, last = self._ends(path)
        far = f"t{len(path.hops)}"
        for groups, by, measures, of in ((last, far, first, "t0"), (first, "t0", last, far)):
            for group in _groups(groups, measures)[:3]:
                for measure in measures.measures[:2]:
                    if not measure.sums_within(path.total):
                        continue
                    question = (
                        f"What are the total and the average {measure.name} in {measures.name} for each "
                        f"{group.name} in {groups.name}, along {_along(path)}?"
                    )
                    yield _grouped(category, path, question, _Grouping(group, by, measured(measure, of)))

    def _joined_counts(self, path: Path) -> Iterator[Candidate]:
        first, last = self._ends(path)
        for table, other, alias in ((last, first, "t1"), (first, last, "t0")):
            for group in _groups(table, other)[:3]:
                question = f"How many pairs along {_along(path)} are there for each {group.name} in {table.name}?"
                yield _grouped(Category.JOINED_COUNT, path, question, _Grouping(group, alias), most_first=True)

    def _reverse_counts(self, path: Path) -> Iterator[Candidate]:
        """Parents with most children, those without any included."""
        hop = path.hops[0]
        parent = self._traits[path.root]
        if hop.forward or not parent.row_count or self._is_slow(path):
            return
        shown = [qualified(column) for column in _identity(parent, hop.key.ref_columns)]
        yield candidate(
            Category.REVERSE_COUNT,
            path.root,
            f"Which 10 rows of {path.root} have the most rows of {path.end}, along {_along(path)}?",
            joins=joins(path.hops, "left"),
            projection=shown,
            group_by=shown,
            aggregations=[aggregation("count", f"t1.{hop.key.columns[0]}", "related")],
            order_by=descending("related", shown),
            limit=10,
        )

    def _optional(self, path: Path) -> Iterator[Candidate]:
        """Rows that lack the relation are kept, and counted."""
        if self._is_slow(path):
            return
        hop = path.hops[0]
        column = (hop.key.ref_columns if hop.forward else hop.key.columns)[0]
        shared: Document = {"joins": joins(path.hops, "left")}
        counts = [COUNT_ROWS, aggregation("count", f"t1.{column}", "related")]
        if path.unmatched:
            yield candidate(
                Category.OPTIONAL_RELATION,
                path.root,
                f"How many rows of {path.root} have no row of {path.end}, along {_along(path)}?",
                filters=[comparison(f"t1.{column}", "is_null")],
                aggregations=[COUNT_ROWS],
                **shared,
            )
        yield candidate(
            Category.OPTIONAL_RELATION,
            path.root,
            f"How many rows of {path.root} are there with and without rows of {path.end}, along {_along(path)}?",
            is_poor=path.unmatched == 0,
            aggregations=counts,
            **shared,
        )

    def _is_slow(self, path: Path) -> bool:
        """Whether a left join from parents cannot use an index in SQL, and the tables are too large to do without."""
        key = path.hops[0].key
        child, parent = self._traits[key.table], self._traits[key.ref_table]
        pairs = zip(key.columns, key.ref_columns, strict=True)
        unindexed = all(
            child_affinity_matters(parent.schema.column(ref), child.schema.column(own)) for own, ref in pairs
        )
        return unindexed and not path.hops[0].forward and child.row_count * parent.row_count > _SLOW_PAIRS

    def _filtered(self, path: Path) -> Iterator[Candidate]:
        """A filter on the far end with a value that is reached, and a measure or count by groups of the near end."""
        first, last = self._ends(path)
        far = f"t{len(path.hops)}"
        for column, value in self._reached(path, first, last):
            condition = [comparison(qualified(column, far), "eq", value)]
            asked = f"for {column.name} {spoken(value)} in {last.name}, along {_along(path)}"
            measures = [measure for measure in first.measures if measure.sums_within(path.total)]
            totals = [aggregation("sum", qualified(measures[0]), "total")] if measures else []
            for group in _groups(first, last)[:2]:
                question = (
                    f"How many rows{_and_total(measures[:1])} are there of each {group.name} in {first.name} {asked}?"
                )
                grouping = _Grouping(group, "t0", [COUNT_ROWS, *totals])
                yield _grouped(Category.FILTERED_PATH, path, question, grouping, filters=condition)
            yield candidate(
                Category.FILTERED_PATH,
                path.root,
                f"How many rows of {first.name} are there {asked}?",
                is_poor=_is_wide(column),
                joins=joins(path.hops),
                filters=condition,
                aggregations=[COUNT_ROWS, *totals],
            )

    def _counts(self, path: Path) -> Iterator[Candidate]:
        first, last = self._ends(path)
        far = f"t{len(path.hops)}"
        for group in _groups(last, first)[:2]:
            question = (
                f"How many chains from {first.name} end in each {group.name} of {last.name}, along {_along(path)}?"
            )
            yield _grouped(Category.PATH_COUNT, path, question, _Grouping(group, far), most_first=True)
        yield candidate(
            Category.PATH_COUNT,
            path.root,
            f"How many chains are there from {first.name} to {last.name}, along {_along(path)}?",
            joins=joins(path.hops),
            aggregations=[COUNT_ROWS],
        )

    def _details(self, path: Path) -> Iterator[Candidate]:
        first, last = self._ends(path)
        far = f"t{len(path.hops)}"
        shown = [qualified(column) for column in first.display[:3]]
        shown += [qualified(column, far) for column in last.display[:2]]
        asked = f"Which {SHOWN_ROWS} pairs of {first.name} and {last.name} come first, along {_along(path)}"
        whole: Document = {
            "joins": joins(path.hops),
            "projection": shown,
            "order_by": ascending(shown),
            "limit": SHOWN_ROWS,
        }
        for column, value in self._reached(path, first, last):
            condition = [comparison(qualified(column, far), "eq", value)]
            question = f"{asked}, with {column.name} {spoken(value)}?"
            yield candidate(
                Category.PATH_DETAIL, path.root, question, is_poor=_is_wide(column), filters=condition, **whole
            )
        yield candidate(Category.PATH_DETAIL, path.root, f"{asked}?", is_poor=True, **whole)

    def _selected(self, path: Path) -> Iterator[Candidate]:
        """A filter on the root with a value that leads somewhere, and a measure or count at the far end."""
        first, last = self._ends(path)
        far = f"t{len(path.hops)}"
        starts = self._finder.starts(path)
        columns = (first.categories or ([first.label] if first.label else []))[:2]
        for column, value in self._values(first, columns, starts):
            asked = f"for {column.name} {spoken(value)} in {first.name}, along {_along(path)}"
            condition = [comparison(qualified(column), "eq", value)]
            measures = [measure for measure in last.measures if measure.sums_within(path.total)][:1]
            totals = [aggregation("sum", qualified(measure, far), "total") for measure in measures]
            for group in last.categories[:1]:
                question = f"How many rows of each {group.name} in {last.name} are there {asked}?"
                grouping = _Grouping(group, far, [COUNT_ROWS, *totals])
                yield _grouped(Category.SELECTED_PATH, path, question, grouping, filters=condition)
            yield candidate(
                Category.SELECTED_PATH,
                path.root,
                f"How many rows of {last.name}{_and_total(measures)} are there {asked}?",
                joins=joins(path.hops),
                filters=condition,
                aggregations=[COUNT_ROWS, *totals],
            )

    def _reached(self, path: Path, first: TableTraits, last: TableTraits) -> Iterator[tuple[ColumnTraits, Scalar]]:
        """Columns of the last table with a value from rows that the path reaches."""
        return self._values(last, _groups(last, first)[:2], np.flatnonzero(path.ways))

    def _values(
        self, table: TableTraits, columns: list[ColumnTraits], among: IntArray
    ) -> Iterator[tuple[ColumnTraits, Scalar]]:
        """For each column its most frequent usable value in a sample of these rows."""
        rows = among[:: max(1, len(among) // _REACHED_ROWS)]
        for column in columns:
            values = sampled(self._finder.tables[table.name].columns[column.name], rows)
            usable = Counter(value for value in values if is_constant(value, column.schema.affinity))
            if usable:
                yield column, usable.most_common(1)[0][0]


@dataclass(frozen=True, slots=True)
class _Grouping:
    """A column of an alias, and what is computed for each of its values."""

    column: ColumnTraits
    alias: str
    aggregations: Sequence[Document] = (COUNT_ROWS,)


def _grouped(
    category: Category, path: Path, question: str, grouping: _Grouping, *, most_first: bool = False, **more: Any
) -> Candidate:
    """A question for each value of a column, in the column's order or the most rows first."""
    key = qualified(grouping.column, grouping.alias)
    return candidate(
        category,
        path.root,
        question,
        is_poor=_is_wide(grouping.column),
        joins=joins(path.hops),
        projection=[key],
        group_by=[key],
        aggregations=list(grouping.aggregations),
        order_by=descending("row_count", [key]) if most_first else ascending([key]),
        **more,
    )


def _groups(table: TableTraits, other: TableTraits) -> list[ColumnTraits]:
    """What chains between two tables are grouped by: categories, or else the label of the smaller side."""
    if table.categories or not table.label or table.row_count > other.row_count:
        return table.categories
    return [table.label]


def _is_wide(group: ColumnTraits) -> bool:
    """Whether a column makes too many groups to answer anything."""
    return len(group.frequencies) > MAX_CATEGORY_VALUES


def _identity(table: TableTraits, ref_columns: tuple[str, ...]) -> list[ColumnTraits]:
    """What tells the rows of a referenced table apart, and its label."""
    keys = table.keys or [column for column in table.columns if column.name in ref_columns]
    return list(dict.fromkeys([*keys, *([table.label] if table.label else [])]))


def _and_total(measures: list[ColumnTraits]) -> str:
    return "".join(f" and what total {measure.name}" for measure in measures)


def _along(path: Path) -> str:
    steps = (f"{'' if hop.forward else 'reverse '}{hop.key.table}.{'+'.join(hop.key.columns)}" for hop in path.hops)
    return ", ".join(steps)
