"""Databases whose declared keys are known: tables with the keys taken away, and the keys."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from app.sources.csv.reader import csv_text, read_csv
from app.sources.files.input_file import InputFile
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource
from app.sources.sql.load import load_sql_script
from app.tables.schema import ColumnSchema, TableSchema
from app.tables.table import Table

Key: TypeAlias = tuple[str, tuple[str, ...]]
Reference: TypeAlias = tuple[str, tuple[str, ...], str, tuple[str, ...]]

_GTFS_SCHEMA = Path(__file__).parents[2] / "tests" / "cases" / "gtfs" / "csv_schema.json"
_WORLDCUP_KEYS = Path(__file__).with_name("worldcup_keys.json")
_MOST_BYTES, _MOST_ROWS = 64 * 1024 * 1024, 200_000


@dataclass(frozen=True)
class KnownDatabase:
    """Tables without keys, and the keys that were declared."""

    name: str
    tables: list[Table]
    primary_keys: frozenset[Key]
    foreign_keys: frozenset[Reference]
    empty_is_missing: bool = False


def _stripped(table: Table) -> Table:
    return replace(table, schema=replace(table.schema, primary_key=(), foreign_keys=(), unique_keys=()))


def _declared(name: str, source: RelationalSource) -> KnownDatabase:
    return KnownDatabase(
        name,
        [_stripped(table) for table in source.tables.values()],
        frozenset((table.name, table.primary_key) for table in source.schema if table.primary_key),
        frozenset((key.table, key.columns, key.ref_table, key.ref_columns) for key in source.schema.foreign_keys),
    )


def chinook(data: Path) -> KnownDatabase:
    return _declared("chinook", load_source(data / "chinook" / "Chinook_Sqlite.sqlite"))


def northwind(data: Path) -> KnownDatabase:
    options = SourceOptions.from_options({"unsupported": "skip"})
    return _declared("northwind", load_source(data / "northwind" / "northwind_sqlite.sql", options))


def sakila(data: Path) -> KnownDatabase:
    options = SourceOptions.from_options({"unsupported": "skip"})
    names = ("postgres_schema.sql", "postgres_copy.sql")
    files = [InputFile.open(data / "sakila" / name, options.max_source_bytes) for name in names]
    return _declared("sakila", load_sql_script(files, options))


def mystery(data: Path) -> KnownDatabase:
    options = SourceOptions.from_options({"unsupported": "skip"})
    return _declared("mystery", load_source(data / "mystery" / "sql-murder-mystery.db", options))


def gtfs(data: Path) -> KnownDatabase:
    """A feed whose keys the format declares; files without rows are left out of it, as feeds leave them out."""
    schema = json.loads(_GTFS_SCHEMA.read_text(encoding="utf-8"))
    source = load_source(
        [data / "gtfs" / table["file_name"] for table in schema["tables"]],
        SourceOptions.from_options({"csv_schema": schema}),
    )
    return replace(_declared("gtfs", source), empty_is_missing=True)


def worldcup(data: Path) -> KnownDatabase:
    declared = json.loads(_WORLDCUP_KEYS.read_text(encoding="utf-8"))
    return KnownDatabase(
        "worldcup",
        [_csv_table(path) for path in sorted((data / "worldcup").glob("*.csv"))],
        frozenset((table, tuple(columns)) for table, columns in declared["primary_keys"].items()),
        frozenset((t, tuple(c), p, tuple(r)) for t, c, p, r in declared["foreign_keys"]),
        empty_is_missing=True,
    )


def _csv_table(path: Path) -> Table:
    rows = read_csv(csv_text(InputFile.open(path, _MOST_BYTES)), _MOST_ROWS)
    schema = TableSchema(path.stem, tuple(map(ColumnSchema, rows.names)))
    return Table(schema, dict(zip(rows.names, rows.columns, strict=True)), rows.row_count)


DATABASES: dict[str, Callable[[Path], KnownDatabase]] = {
    "chinook": chinook,
    "northwind": northwind,
    "sakila": sakila,
    "mystery": mystery,
    "gtfs": gtfs,
    "worldcup": worldcup,
}
