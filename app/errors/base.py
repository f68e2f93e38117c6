"""The root of the error tree."""

from collections.abc import Mapping
from typing import ClassVar


class GraphwrightError(Exception):
    """The root of all failures that Graphwright reports.

    `where` holds identifiers only (file, line, record, table, column, row, query, …); None values are left out.
    """

    code: ClassVar[str] = "internal_error"
    http_status: ClassVar[int] = 500

    def __init__(self, message: str, *, hint: str = "", **where: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = {name: value for name, value in where.items() if value is not None}

    def add_where(self, **where: object) -> None:
        """Add identifiers that whoever raised the error did not know; those that are there stay."""
        known = {name: value for name, value in where.items() if value is not None}
        self.where = known | self.where

    def to_dict(self) -> dict[str, object]:
        """The error as JSON: `code`, `message`, and `hint` and `where` when there are any.

        What JSON has no form for, such as a path, is its text in `where`.
        """
        document: dict[str, object] = {"code": self.code, "message": self.message}
        if self.hint:
            document["hint"] = self.hint
        if self.where:
            document["where"] = _plain(self.where)
        return document


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
