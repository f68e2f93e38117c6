"""Names that are made up: of the edges of foreign keys, and of entities."""

import re
from collections.abc import Collection

from app.tables.schema import ForeignKey

_WORD_BOUNDARY = re.compile(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W_A-Z0-9])")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_BLANK = re.compile(r"\W+")


def upper_snake(name: str) -> str:
    """A name in upper snake case.

    >>> upper_snake("SupportRepId"), upper_snake("diagnosed:with"), upper_snake("HTTPServer")
    ('SUPPORT_REP_ID', 'DIAGNOSED_WITH', 'HTTP_SERVER')
    """
    return _NOT_A_LETTER.sub("_", _WORD_BOUNDARY.sub("_", name)).strip("_").upper()


def foreign_key_type(key: ForeignKey) -> str:
    """The edge type of a foreign key: its columns without a trailing id, or else the referenced table.

    >>> foreign_key_type(ForeignKey("Customer", ("SupportRepId",), "Employee", ("EmployeeId",)))
    'SUPPORT_REP'
    >>> foreign_key_type(ForeignKey("detail", ("id",), "master", ("id",)))
    'MASTER'
    """
    words = [_without_id(upper_snake(column)) for column in key.columns]
    return "_".join(filter(None, words)) or upper_snake(key.ref_table) or key.ref_table


def _without_id(name: str) -> str:
    return "" if name == "ID" else name.removesuffix("_ID")


def entity_type(table: str, column: str) -> str:
    """The type of the entities of a column: both names in the style of the table's, without blanks.

    >>> entity_type("orders", "status"), entity_type("order_items", "shipCity"), entity_type("ORDERS", "ship_city")
    ('orders_status', 'order_items_ship_city', 'ORDERS_SHIP_CITY')
    >>> entity_type("Order", "status"), entity_type("Order Details", "unit_price"), entity_type("订单", "状态")
    ('OrderStatus', 'OrderDetailsUnitPrice', '订单_状态')
    """
    first, *others = _BLANK.split(table)
    in_lower, in_upper = table == table.lower(), table == table.upper()
    if not (in_lower or in_upper or "_" in table):
        words = (*others, *_NOT_A_LETTER.split(column))
        return first + "".join(word[:1].upper() + word[1:] for word in words)
    snake = _NOT_A_LETTER.sub("_", _WORD_BOUNDARY.sub("_", column)).strip("_") or column
    return "_".join((first, *others, snake.lower() if in_lower else snake.upper() if in_upper else snake))


def next_free(name: str, taken: Collection[str]) -> str:
    """`name`, or the first of `name_2`, `name_3`, … that is not taken."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
