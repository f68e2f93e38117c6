"""Questions about one table: counts, details, lookups, order, groups, NULLs."""

from collections.abc import Iterator
from itertools import chain

from app.workload.generation.categories import Category
from app.workload.generation.documents import (
    COUNT_ROWS,
    Candidate,
    aggregation,
    ascending,
    candidate,
    comparison,
    descending,
    spoken,
)
from app.workload.generation.traits import ColumnTraits, TableTraits

SHOWN_ROWS = 20
_MOST_UNLIMITED_ROWS = 200
_MOST_COLUMNS = 12


def table_candidates(table: TableTraits) -> Iterator[Candidate]:
    """All candidates that need no relation, the best of each category first."""
    return chain(
        _record_count(table),
        _details(table),
        _attribute_lookups(table),
        _key_lookups(table),
        _top_rows(table),
        _grouped_counts(table),
        _grouped_measures(table),
        _measure_summaries(table),
        _value_ranges(table),
        _value_lists(table),
        _null_checks(table),
        _text_searches(table),
    )


def qualified(column: ColumnTraits, alias: str = "t0") -> str:
    """`alias.column`."""
    return f"{alias}.{column.name}"


def _record_count(table: TableTraits) -> Iterator[Candidate]:
    yield candidate(
        Category.RECORD_COUNT, table.name, f"How many rows does {table.name} have?", aggregations=[COUNT_ROWS]
    )


def _details(table: TableTraits) -> Iterator[Candidate]:
    shown = [qualified(column) for column in table.display]
    limit = SHOWN_ROWS if table.row_count > _MOST_UNLIMITED_ROWS else None
    which = f"the first {limit} rows" if limit else "all rows"
    yield candidate(
        Category.DETAIL,
        table.name,
        f"What are {which} of {table.name} by {', '.join(column.name for column in table.display)}?",
        is_poor=table.row_count == 0,
        projection=shown,
        order_by=ascending(shown),
        limit=limit,
    )


def _attribute_lookups(table: TableTraits) -> Iterator[Candidate]:
    others = [column for column in table.columns[:_MOST_COLUMNS] if column.is_text and not column.is_identifier]
    for column in dict.fromkeys([*table.categories, *others]):
        for value in column.constants(3):
            shown = list(dict.fromkeys(map(qualified, [*table.display, column])))
            yield candidate(
                Category.ATTRIBUTE_LOOKUP,
                table.name,
                f"Which rows of {table.name} have {column.name} {spoken(value)}?",
                filters=[comparison(qualified(column), "eq", value)],
                projection=shown,
                order_by=ascending(shown),
                limit=SHOWN_ROWS if _expected(table, column, value) > _MOST_UNLIMITED_ROWS else None,
            )


def _expected(table: TableTraits, column: ColumnTraits, value: object) -> float:
    """About how many rows have a value."""
    found = next((count for known, count in column.frequencies if known == value), 0)
    return found * (table.row_count - column.null_count) / max(len(column.sample), 1)


def _key_lookups(table: TableTraits) -> Iterator[Candidate]:
    """Exact lookups; the first part of a composite key finds a group of rows."""
    identifiers = [*table.keys[:1], *(column for column in table.columns if column.is_identifier)]
    for column in dict.fromkeys(identifiers):
        for value in column.constants(3):
            shown = [qualified(part) for part in dict.fromkeys([column, *table.display])]
            yield candidate(
                Category.KEY_LOOKUP,
                table.name,
                f"What is in {table.name} under {column.name} {spoken(value)}?",
                filters=[comparison(qualified(column), "eq", value)],
                projection=shown,
                order_by=ascending(shown),
                limit=SHOWN_ROWS,
            )


def _top_rows(table: TableTraits) -> Iterator[Candidate]:
    for column in table.measures:
        shown = [qualified(part) for part in dict.fromkeys([column, *table.display])]
        yield candidate(
            Category.TOP_ROWS,
            table.name,
            f"Which 10 rows of {table.name} have the greatest {column.name}?",
            filters=[comparison(qualified(column), "not_null")],
            projection=shown,
            order_by=descending(shown[0], shown),
            limit=10,
        )


def _grouped_counts(table: TableTraits) -> Iterator[Candidate]:
    for column in table.categories:
        key = qualified(column)
        yield candidate(
            Category.GROUPED_COUNT,
            table.name,
            f"How many rows of {table.name} are there of each {column.name}?",
            projection=[key],
            group_by=[key],
            aggregations=[COUNT_ROWS],
            order_by=descending("row_count", [key]),
        )


def _grouped_measures(table: TableTraits) -> Iterator[Candidate]:
    for category in table.categories[:6]:
        for measure in table.measures[:4]:
            if measure is category or not measure.sums_within(table.row_count):
                continue
            key = qualified(category)
            yield candidate(
                Category.GROUPED_MEASURE,
                table.name,
                f"What are the total and the average {measure.name} in {table.name} for each {category.name}?",
                projection=[key],
                group_by=[key],
                aggregations=measured(measure),
                order_by=ascending([key]),
            )


def measured(measure: ColumnTraits, alias: str = "t0") -> list[dict[str, str]]:
    """Number of rows, and sum and average of a measure."""
    column = qualified(measure, alias)
    return [COUNT_ROWS, aggregation("sum", column, "total"), aggregation("avg", column, "average")]


def _measure_summaries(table: TableTraits) -> Iterator[Candidate]:
    for column in table.measures:
        if column.sums_within(table.row_count):
            name = qualified(column)
            extremes = [aggregation("min", name, "least"), aggregation("max", name, "greatest")]
            yield candidate(
                Category.MEASURE_SUMMARY,
                table.name,
                f"What are the total, average, least and greatest {column.name} in {table.name}?",
                aggregations=[*measured(column), *extremes],
            )


def _value_ranges(table: TableTraits) -> Iterator[Candidate]:
    for column in table.measures:
        values = sorted(value for value in column.sample if isinstance(value, int | float))
        for share in (0.75, 0.5, 0.9) if values else ():
            bound = values[int(share * (len(values) - 1))]
            yield candidate(
                Category.VALUE_RANGE,
                table.name,
                f"How many rows of {table.name} have {column.name} at or above {bound}?",
                filters=[comparison(qualified(column), "ge", bound)],
                aggregations=[COUNT_ROWS, aggregation("max", qualified(column), "greatest")],
            )


def _value_lists(table: TableTraits) -> Iterator[Candidate]:
    for column in table.categories:
        values = column.constants(2)
        if len(column.frequencies) > len(values) > 1:
            key = qualified(column)
            yield candidate(
                Category.VALUE_LIST,
                table.name,
                f"How many rows of {table.name} have {column.name} among {', '.join(map(spoken, values))}?",
                filters=[comparison(key, "in", values)],
                projection=[key],
                group_by=[key],
                aggregations=[COUNT_ROWS],
                order_by=ascending([key]),
            )


def _null_checks(table: TableTraits) -> Iterator[Candidate]:
    """If no cell is NULL, there is little to ask."""
    columns = sorted(table.columns[:_MOST_COLUMNS], key=lambda column: column.is_identifier)
    for op, words in (("is_null", "no"), ("not_null", "a")):
        for column in columns:
            yield candidate(
                Category.NULL_CHECK,
                table.name,
                f"How many rows of {table.name} have {words} {column.name}?",
                is_poor=column.null_count in (0, table.row_count),
                filters=[comparison(qualified(column), op)],
                aggregations=[COUNT_ROWS],
            )


def _text_searches(table: TableTraits) -> Iterator[Candidate]:
    for column in table.columns[:_MOST_COLUMNS]:
        for value in column.constants(2) if column.is_text and not column.is_identifier else ():
            part = str(value)[:4].strip()
            if part:
                yield candidate(
                    Category.TEXT_SEARCH,
                    table.name,
                    f"How many rows of {table.name} have {spoken(part)} in their {column.name}?",
                    filters=[comparison(qualified(column), "contains", part)],
                    aggregations=[COUNT_ROWS],
                )
