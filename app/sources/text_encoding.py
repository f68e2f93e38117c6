"""Databases in UTF-16 become UTF-8: in them, BINARY would order text by other bytes than everywhere else."""

import apsw

from app.budget import checked
from app.errors import SqlUnsupportedError
from app.sources.sqlite_connection import open_memory
from app.sources.sqlite_schema import is_sqlites_own, quoted, table_names


def stores_utf8(connection: apsw.Connection) -> bool:
    """Whether the database stores its text as UTF-8."""
    return connection.execute("PRAGMA encoding").fetchall() == [("UTF-8",)]


def refuse_utf16(connection: apsw.Connection, source: str) -> None:
    """Raise `SqlUnsupportedError` for a database in UTF-16, which cannot be read in place."""
    if not stores_utf8(connection):
        raise SqlUnsupportedError(
            f"{source} stores its text as UTF-16, and under full_scale an image is read in place.",
            hint="Write it anew as UTF-8: sqlite3 OLD.db .dump | sqlite3 NEW.db",
            file=source,
        )


def utf8_copy(connection: apsw.Connection) -> apsw.Connection:
    """An in-memory database in UTF-8 with the same tables, rows in the same order, and indexes; still writable."""
    copy = open_memory()
    with copy:
        for statement in _definitions(connection, "table"):
            copy.execute(statement)
        for table in table_names(connection):
            _copy_rows(connection, copy, table)
        for statement in _definitions(connection, "index"):
            copy.execute(statement)
    return copy


def _definitions(connection: apsw.Connection, kind: str) -> list[str]:
    """The CREATE statements of one kind; SQLite's own tables and automatic indexes have none that could be run."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql NOT NULL ORDER BY rowid"
    return [str(sql) for name, sql in connection.execute(query, (kind,)) if not is_sqlites_own(str(name))]


def _copy_rows(connection: apsw.Connection, copy: apsw.Connection, table: str) -> None:
    for row in checked(connection.execute(f"SELECT * FROM {quoted(table)} NOT INDEXED")):  # noqa: S608
        copy.execute(f"INSERT INTO {quoted(table)} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608
