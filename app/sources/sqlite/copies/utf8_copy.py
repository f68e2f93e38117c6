"""Databases in UTF-16 become UTF-8: in them, BINARY would order text by other bytes than everywhere else."""

import apsw

from app.budget import checked
from app.sources.options import Unsupported
from app.sources.sqlite.schema import TableLayout, is_sqlites_own, quoted, read_catalogue


def stores_utf8(connection: apsw.Connection) -> bool:
    """Whether the database stores its text as UTF-8."""
    return connection.execute("PRAGMA encoding").fetchall() == [("UTF-8",)]


def utf8_copy(connection: apsw.Connection, copy: apsw.Connection) -> apsw.Connection:
    """`copy`, an empty database, with the same tables in UTF-8, rows in the same order, and indexes.

    Raises what `read_catalogue` raises, before anything is copied.
    """
    layouts = read_catalogue(connection, Unsupported.SKIP).layouts
    with copy:
        for statement in _definitions(connection, "table"):
            copy.execute(statement)
        for layout in layouts:
            _copy_rows(connection, copy, layout)
        for statement in _definitions(connection, "index"):
            copy.execute(statement)
    return copy


def _definitions(connection: apsw.Connection, kind: str) -> list[str]:
    """The CREATE statements of one kind; SQLite's own tables and automatic indexes have none that could be run."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql NOT NULL ORDER BY rowid"
    return [str(sql) for name, sql in connection.execute(query, (kind,)) if not is_sqlites_own(str(name))]


def _copy_rows(connection: apsw.Connection, copy: apsw.Connection, layout: TableLayout) -> None:
    name, values = quoted(layout.schema.name), ", ".join("?" * len(layout.schema.columns))
    rows = connection.execute(f"SELECT * {layout.rows()}")
    copy.executemany(f"INSERT INTO {name} VALUES ({values})", checked(rows))  # noqa: S608
