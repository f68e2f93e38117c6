"""The preview of a SQLite image: read in place, read-only, a few rows a table; virtual tables are skipped."""

import codecs
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import apsw

from app.budget import check_deadline, deadline
from app.errors import SourceError
from app.inspect.preview.limits import (
    CELL_CHARACTERS,
    COLUMNS,
    COUNT_SECONDS,
    ROWS,
    TABLES,
    VALUE_BYTES,
)
from app.inspect.preview.model import (
    Cell,
    PreviewColumn,
    PreviewKind,
    PreviewTable,
    PreviewWarning,
    Reference,
    SourcePreview,
    no_tables,
    placeholder,
    shown_cell,
)
from app.inspect.preview.script.preview_script import declared_comments
from app.sources.files.input_file import InputFile
from app.sources.relational_source import WarningCode
from app.sources.sql.lexing.tokens import TokenBudget, TokensExhaustedError
from app.sources.sql.statements.splitter import MOST_CHARACTERS
from app.sources.sqlite.completeness import refuse_short_image
from app.sources.sqlite.connection import WAL_WARNING, is_wal_image, open_image_file
from app.sources.sqlite.failures import sqlite_failures
from app.sources.sqlite.reading.table import count_rows
from app.sources.sqlite.schema import is_sqlites_own, quoted, unsupported
from app.values import fold_identifier

_GENERATED = (2, 3)
_TEXT_BYTES = 4 * (CELL_CHARACTERS + 1)
"""The most bytes that one character more than is shown takes, in UTF-8 and in UTF-16."""

_MOST_SKIPPED = 20


def preview_image(file: InputFile) -> SourcePreview:
    """Tables, keys and first rows of an image; views, triggers and virtual tables become warnings.

    Raises `SqlUnsupportedError` for a generated column, `SourceDamagedError` for a file that ends early or pages that
    cannot be read.
    """
    refuse_short_image(file)
    with sqlite_failures(file.name), closing(open_image_file(file.path)) as connection:
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
        image = _Image(connection)
        tables = tuple(image.tables())
        if not tables and not image.warnings:
            raise no_tables()
    file.check_unchanged()
    warnings = (*_wal_warning(file), *image.warnings)
    return SourcePreview(PreviewKind.SQLITE_IMAGE, (file.name,), file.size, tables, dialect="sqlite", warnings=warnings)


def _wal_warning(file: InputFile) -> tuple[PreviewWarning, ...]:
    if not is_wal_image(file.header):
        return ()
    return (PreviewWarning(WarningCode.WAL_MODE.value, WAL_WARNING, {"file": file.name}),)


class _Image:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._budget = TokenBudget()
        self._encoding = str(connection.execute("PRAGMA encoding").fetchall()[0][0])
        self.warnings: list[PreviewWarning] = []

    def tables(self) -> Iterator[PreviewTable]:
        """All ordinary tables in order of creation, the first `TABLES` of them with their rows."""
        self._skip_objects()
        kinds = {str(name): str(kind) for _, name, kind, *_ in self._connection.execute("PRAGMA main.table_list")}
        listed = "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
        shown = 0
        for name, sql in self._connection.execute(listed).fetchall():
            check_deadline()
            if is_sqlites_own(str(name)):
                continue
            kind = kinds.get(str(name), "table")
            if kind != "table":
                self._skip(kind, f"table {name}", {"table": str(name)})
                continue
            table = self._table(str(name), str(sql or ""))
            yield self._with_rows(table) if shown < TABLES else table
            shown += 1

    def _skip_objects(self) -> None:
        query = "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger') ORDER BY rowid"
        for kind, name in self._connection.execute(query):
            self._skip(str(kind), str(name), {"object": str(name)})

    def _skip(self, kind: str, name: str, where: dict[str, object]) -> None:
        if len(self.warnings) < _MOST_SKIPPED:
            self.warnings.append(PreviewWarning("object_not_shown", f"The {kind} {name} is not shown.", where))

    def _table(self, name: str, sql: str) -> PreviewTable:
        comments = self._comments(sql)
        columns, key_columns = [], {}
        pragma = f"PRAGMA table_xinfo({quoted(name)})"
        for _, column, declared, not_null, _, key_position, hidden in self._connection.execute(pragma):
            if hidden in _GENERATED:
                raise unsupported("generated column", f"{name}.{column}", table=name, column=str(column))
            comment = comments.get(fold_identifier(str(column)), "")
            columns.append(PreviewColumn(str(column), str(declared), bool(not_null), comment))
            key_columns[int(key_position)] = str(column)
        key = tuple(key_columns[position] for position in sorted(key_columns) if position)
        references = tuple(self._references(name))
        return PreviewTable(name, tuple(columns), key, references, column_count=len(columns))

    def _comments(self, sql: str) -> dict[str, str]:
        if len(sql) > MOST_CHARACTERS or not ("--" in sql or "/*" in sql):
            return {}
        try:
            return declared_comments(sql, self._budget)
        except (TokensExhaustedError, SourceError):
            return {}

    def _references(self, table: str) -> Iterator[Reference]:
        grouped: dict[int, list[tuple[str, str, str | None]]] = {}
        for number, _, parent, column, target, *_ in self._connection.execute(
            f"PRAGMA foreign_key_list({quoted(table)})"
        ):
            pair = (str(parent), str(column), None if target is None else str(target))
            grouped.setdefault(int(number), []).append(pair)
        for number in sorted(grouped, reverse=True):
            columns = grouped[number]
            targets = tuple(target for _, _, target in columns if target is not None)
            yield Reference(tuple(column for _, column, _ in columns), columns[0][0], targets)

    def _with_rows(self, table: PreviewTable) -> PreviewTable:
        return replace(table, rows=self._rows(table), row_count=self._count(table.name))

    def _rows(self, table: PreviewTable) -> tuple[tuple[Cell, ...], ...]:
        names = [quoted(column.name) for column in table.columns[:COLUMNS]]
        cells = ", ".join(map(_cell_sql, names))
        query = f"SELECT {cells} FROM {quoted(table.name)} NOT INDEXED LIMIT {ROWS}"  # noqa: S608
        try:
            return tuple(_shown(row, self._encoding) for row in self._connection.execute(query))
        except apsw.TooBigError:
            message = f"Table {table.name} holds a value of more than {VALUE_BYTES:,} bytes; its rows are not shown."
            self.warnings.append(PreviewWarning("preview_limit", message, {"table": table.name}))
            return ()

    def _count(self, table: str) -> int | None:
        """The number of rows, or None if counting takes too long."""
        try:
            with deadline(COUNT_SECONDS, "counting rows"):
                return count_rows(self._connection, table)
        except apsw.InterruptError:
            check_deadline()
            return None


def _cell_sql(name: str) -> str:
    """Type and content of a cell; of texts their first characters as bytes, of BLOBs only how long they are.

    A text is cut as bytes: as characters SQLite would cut it at a NUL as well.
    """
    text = f"substr(CAST({name} AS BLOB), 1, {_TEXT_BYTES})"
    return (
        f"typeof({name}), CASE typeof({name}) WHEN 'text' THEN {text} WHEN 'blob' THEN length({name}) ELSE {name} END"
    )


def _shown(row: Sequence[object], encoding: str) -> tuple[Cell, ...]:
    return tuple(_shown_cell(str(kind), value, encoding) for kind, value in zip(row[0::2], row[1::2], strict=True))


def _shown_cell(kind: str, value: object, encoding: str) -> Cell:
    if kind == "blob":
        return placeholder(f"binary, {value:,} bytes")
    if kind != "text":
        return shown_cell(value)
    content = value if isinstance(value, bytes) else b""  # SQLite gives NULL for a part of no bytes
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        return shown_cell(decoder.decode(content, final=len(content) < _TEXT_BYTES))
    except UnicodeDecodeError:
        return placeholder(f"text that is not {encoding}")
