"""The kinds of questions that the generator asks, and how it rotates through them."""

from enum import StrEnum


class Category(StrEnum):
    """What a generated plan asks; if categories were used equally often, the earlier one is next.

    The values are part of plan ids.
    """

    JOINED_MEASURE = "joined_measure"
    FILTERED_PATH = "filtered_path"
    REVERSE_COUNT = "reverse_count"
    SELECTED_PATH = "selected_path"
    PATH_MEASURE = "path_measure"
    GROUPED_MEASURE = "grouped_measure"
    ATTRIBUTE_LOOKUP = "attribute_lookup"
    OPTIONAL_RELATION = "optional_relation"
    NULL_CHECK = "null_check"
    TOP_ROWS = "top_rows"
    PATH_COUNT = "path_count"
    PATH_DETAIL = "path_detail"
    KEY_LOOKUP = "key_lookup"
    VALUE_RANGE = "value_range"
    JOINED_COUNT = "joined_count"
    MEASURE_SUMMARY = "measure_summary"
    GROUPED_COUNT = "grouped_count"
    VALUE_LIST = "value_list"
    RECORD_COUNT = "record_count"
    DETAIL = "detail"
    TEXT_SEARCH = "text_search"

    @property
    def share(self) -> float:
        """How often it is asked for each time that a plain question is: analytic questions make up a workload."""
        return 1.5 if self in _ANALYTIC else 1.0


_ANALYTIC = frozenset(
    {
        Category.JOINED_MEASURE,
        Category.FILTERED_PATH,
        Category.REVERSE_COUNT,
        Category.SELECTED_PATH,
        Category.PATH_MEASURE,
        Category.GROUPED_MEASURE,
        Category.PATH_COUNT,
    }
)
