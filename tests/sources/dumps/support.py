"""Scripts as dump tools write them, by writers that know nothing of the reader, and a short way to read one."""

from collections.abc import Callable, Sequence
from pathlib import Path

from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource
from app.values import Scalar

Reader = Callable[..., RelationalSource]
MYSQL_ESCAPES = {"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\r": "\\r", "\0": "\\0", "\x1a": "\\Z"}
COPY_ESCAPES = {"\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def read(folder: Path, text: str | bytes, **options: object) -> RelationalSource:
    """The source that a script is."""
    path = folder / "dump.sql"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_source(path, SourceOptions.from_options(options))


def mysql(folder: Path, text: str | bytes, **options: object) -> RelationalSource:
    return read(folder, text, dialect="mysql", **options)


def postgres(folder: Path, text: str | bytes, **options: object) -> RelationalSource:
    return read(folder, text, dialect="postgres", **options)


def column(source: RelationalSource, table: str, name: str) -> list[Scalar]:
    return source.tables[table].columns[name].to_list()


def rows(source: RelationalSource, table: str) -> list[tuple[Scalar, ...]]:
    return list(zip(*(each.to_list() for each in source.tables[table].columns.values()), strict=True))


def mysql_literal(value: Scalar) -> str:
    """As mysqldump writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + "".join(MYSQL_ESCAPES.get(character, character) for character in value) + "'"
    return repr(value)


def postgres_literal(value: Scalar) -> str:
    """As pg_dump --inserts writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def postgres_escaped_literal(value: Scalar) -> str:
    """As PostgreSQL's quote_literal() writes it."""
    literal = postgres_literal(value)
    return "E" + literal.replace("\\", "\\\\") if isinstance(value, str) and "\\" in value else literal


def copy_field(value: Scalar) -> str:
    """As COPY TO writes it."""
    if value is None:
        return "\\N"
    if isinstance(value, str):
        return "".join(COPY_ESCAPES.get(character, character) for character in value)
    return repr(value)


def copy_block(table: str, columns: Sequence[str], records: Sequence[Sequence[Scalar]]) -> str:
    lines = ["\t".join(map(copy_field, record)) + "\n" for record in records]
    return f"COPY {table} ({', '.join(columns)}) FROM stdin;\n{''.join(lines)}\\.\n"
