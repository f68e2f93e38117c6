"""Databases whose declared keys are known: tables with the keys taken away, and the keys."""

import csv
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import apsw

from app.sources.load import load_source
from app.tables.column import column_of
from app.tables.schema import ColumnSchema, TableSchema
from app.tables.table import Table
from app.values import Affinity

Key: TypeAlias = tuple[str, tuple[str, ...]]
Reference: TypeAlias = tuple[str, tuple[str, ...], str, tuple[str, ...]]

_WORLDCUP_KEYS = Path(__file__).with_name("worldcup_keys.json")


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


def _from_image(name: str, image: Path) -> KnownDatabase:
    source = load_source(image)
    return KnownDatabase(
        name,
        [_stripped(table) for table in source.tables.values()],
        frozenset((table.name, table.primary_key) for table in source.schema if table.primary_key),
        frozenset(
            (key.table, key.columns, key.ref_table, key.ref_columns)
            for table in source.schema
            for key in table.foreign_keys
        ),
    )


def chinook(data: Path) -> KnownDatabase:
    return _from_image("chinook", data / "chinook" / "Chinook_Sqlite.sqlite")


def northwind(data: Path) -> KnownDatabase:
    connection = apsw.Connection(":memory:")
    connection.execute((data / "northwind" / "northwind_sqlite.sql").read_text(encoding="utf-8")).fetchall()
    connection.execute("UPDATE Categories SET Picture = NULL; UPDATE Employees SET Photo = NULL")
    for kind, name in connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger')"
    ).fetchall():
        connection.execute(f'DROP {kind} "{name}"')
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "northwind.db"
        image.write_bytes(connection.serialize("main"))
        return _from_image("northwind", image)


_COPY = re.compile(r"^COPY public\.(\w+) \(([^)]*)\) FROM stdin;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL)
_PRIMARY = re.compile(r"ALTER TABLE ONLY (\w+)\s+ADD CONSTRAINT \w+ PRIMARY KEY \(([^)]*)\)")
_FOREIGN = re.compile(
    r"ALTER TABLE ONLY (\w+)\s+ADD CONSTRAINT \w+ FOREIGN KEY \(([^)]*)\) REFERENCES (\w+)\(([^)]*)\)"
)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def sakila(data: Path) -> KnownDatabase:
    rows = (data / "sakila" / "postgres_copy.sql").read_text(encoding="utf-8")
    ddl = (data / "sakila" / "postgres_schema.sql").read_text(encoding="utf-8")
    tables = []
    for name, columns, lines in _COPY.findall(rows):
        cells = [line.split("\t") for line in lines.split("\n") if line]
        tables.append(_text_table(name, _names(columns), [[None if c == "\\N" else c for c in row] for row in cells]))
    return KnownDatabase(
        "sakila",
        tables,
        frozenset((t, _names(c)) for t, c in _PRIMARY.findall(ddl)),
        frozenset((t, _names(c), p, _names(r)) for t, c, p, r in _FOREIGN.findall(ddl)),
    )


def _text_table(name: str, columns: tuple[str, ...], rows: list[list[str | None]]) -> Table:
    schema = TableSchema(name, tuple(ColumnSchema(column, "", Affinity.BLOB) for column in columns))
    cells = zip(*rows, strict=True)
    return Table(schema, {column: column_of(values) for column, values in zip(columns, cells, strict=True)}, len(rows))


def worldcup(data: Path) -> KnownDatabase:
    tables = []
    for path in sorted((data / "worldcup").glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
        tables.append(_text_table(path.stem, tuple(header), rows))
    declared = json.loads(_WORLDCUP_KEYS.read_text(encoding="utf-8"))
    return KnownDatabase(
        "worldcup",
        tables,
        frozenset((table, tuple(columns)) for table, columns in declared["primary_keys"].items()),
        frozenset((t, tuple(c), p, tuple(r)) for t, c, p, r in declared["foreign_keys"]),
        empty_is_missing=True,
    )


DATABASES: dict[str, Callable[[Path], KnownDatabase]] = {
    "chinook": chinook,
    "northwind": northwind,
    "sakila": sakila,
    "worldcup": worldcup,
}
