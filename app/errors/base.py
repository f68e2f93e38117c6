"""The root of the error tree."""

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
        """The error as JSON: `code`, `message`, and `hint` and `where` when there are any."""
        document: dict[str, object] = {"code": self.code, "message": self.message}
        if self.hint:
            document["hint"] = self.hint
        if self.where:
            document["where"] = self.where
        return document
