"""The kinds of questions that the generator asks, in the order in which it rotates through them."""

from enum import StrEnum


class Category(StrEnum):
    """What a generated plan asks; analytic questions come first, so that they make up a small workload.

    The values are part of plan ids.
    """

    JOINED_MEASURE = "joined_measure"
    FILTERED_PATH = "filtered_path"
    REVERSE_COUNT = "reverse_count"
    ATTRIBUTE_LOOKUP = "attribute_lookup"
    TOP_ROWS = "top_rows"
    GROUPED_MEASURE = "grouped_measure"
    PATH_COUNT = "path_count"
    OPTIONAL_RELATION = "optional_relation"
    NULL_CHECK = "null_check"
    PATH_MEASURE = "path_measure"
    PATH_DETAIL = "path_detail"
    VALUE_RANGE = "value_range"
    JOINED_COUNT = "joined_count"
    MEASURE_SUMMARY = "measure_summary"
    KEY_LOOKUP = "key_lookup"
    GROUPED_COUNT = "grouped_count"
    RECORD_COUNT = "record_count"
    VALUE_LIST = "value_list"
    DETAIL = "detail"
    TEXT_SEARCH = "text_search"
