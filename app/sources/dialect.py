"""The dialects of SQL text."""

from enum import StrEnum


class Dialect(StrEnum):
    """The `dialect` option: a database, or `auto` to recognise it."""

    AUTO = "auto"
    SQLITE = "sqlite"
    MYSQL = "mysql"
    POSTGRES = "postgres"
