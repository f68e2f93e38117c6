"""Names of G0: what a foreign key's edges are called."""

import re
from collections.abc import Collection

from app.tables.schema import ForeignKey

_WORD_BOUNDARY = re.compile(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W_A-Z0-9])")
_NOT_A_LETTER = re.compile(r"[\W_]+")


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


def next_free(name: str, taken: Collection[str]) -> str:
    """`name`, or the first of `name_2`, `name_3`, … that is not taken."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
