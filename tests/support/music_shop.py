"""A music shop of our own with the shapes of the Chinook sample: the same rows in an image and in three dialects.

Eleven tables and eleven foreign keys: composite keys of a many-to-many, a self-reference, NULLs, dates, decimals, and
texts with quotes, backslashes and letters beyond ASCII. Rows are drawn with a fixed seed; what a graph of them must
count is asked of SQLite.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

T = TypeVar("T")
Cell = int | float | str | None
Row = tuple[Cell, ...]

SEED = 1955


@dataclass(frozen=True)
class MusicShop:
    """Files that say the same: a SQLite image, and scripts of SQLite, MySQL and PostgreSQL."""

    image: Path
    sqlite: Path
    mysql: Path
    postgres: Path

    @cached_property
    def rows(self) -> dict[str, int]:
        """The number of rows of each table, counted by SQLite."""
        with closing(sqlite3.connect(self.image)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
            return {name: connection.execute(f"SELECT count(*) FROM [{name}]").fetchone()[0] for (name,) in tables}

    @cached_property
    def references(self) -> dict[tuple[str, str], int]:
        """How many rows of a table reference a row by a column, counted by SQLite."""
        with closing(sqlite3.connect(self.image)) as connection:
            keys = [
                (table, child, parent, target)
                for table in self.rows
                for _, _, parent, child, target, *_ in connection.execute(f"PRAGMA foreign_key_list([{table}])")
            ]
            count = "SELECT count(*) FROM [{0}] c JOIN [{2}] p ON p.[{3}] = c.[{1}]"
            return {key[:2]: connection.execute(count.format(*key)).fetchone()[0] for key in keys}

    @property
    def counts(self) -> tuple[int, int, int]:
        """Nodes, edges and dangling references of the first graph."""
        return sum(self.rows.values()), sum(self.references.values()), 0


class Column(NamedTuple):
    """A column by its declared types: those of SQLite and MySQL are the same."""

    name: str
    type: str
    postgres: str
    references: str = ""

    @property
    def is_optional(self) -> bool:
        return self.type.endswith("?")


def integer(name: str, references: str = "", optional: str = "") -> Column:
    return Column(name, f"INT{optional}", "integer", references)


def text(name: str, length: int, optional: str = "") -> Column:
    return Column(name, f"NVARCHAR({length}){optional}", f"character varying({length})")


def moment(name: str, optional: str = "") -> Column:
    return Column(name, f"DATETIME{optional}", "timestamp without time zone")


def money(name: str) -> Column:
    return Column(name, "NUMERIC(10,2)", "numeric(10,2)")


TABLES: dict[str, tuple[Column, ...]] = {
    "Performer": (integer("PerformerId"), text("Name", 120, "?")),
    "Record": (integer("RecordId"), text("Title", 160), integer("PerformerId", "Performer")),
    "Style": (integer("StyleId"), text("Name", 120, "?")),
    "Format": (integer("FormatId"), text("Name", 120, "?")),
    "Song": (
        integer("SongId"),
        text("Name", 200),
        integer("RecordId", "Record", "?"),
        integer("FormatId", "Format"),
        integer("StyleId", "Style", "?"),
        text("Writer", 220, "?"),
        integer("Milliseconds"),
        integer("Bytes", optional="?"),
        money("UnitPrice"),
    ),
    "Clerk": (
        integer("ClerkId"),
        text("LastName", 20),
        text("FirstName", 20),
        text("Title", 30, "?"),
        integer("ReportsTo", "Clerk", "?"),
        moment("BornOn", "?"),
        moment("HiredOn", "?"),
    ),
    "Shopper": (
        integer("ShopperId"),
        text("FirstName", 40),
        text("LastName", 20),
        text("Company", 80, "?"),
        text("Town", 40, "?"),
        text("Email", 60),
        integer("ClerkId", "Clerk", "?"),
    ),
    "Bill": (
        integer("BillId"),
        integer("ShopperId", "Shopper"),
        moment("BilledOn"),
        text("Town", 40, "?"),
        money("Total"),
    ),
    "BillLine": (
        integer("BillLineId"),
        integer("BillId", "Bill"),
        integer("SongId", "Song"),
        money("UnitPrice"),
        integer("Quantity"),
    ),
    "Mix": (integer("MixId"), text("Name", 120, "?")),
    "MixSong": (integer("MixId", "Mix"), integer("SongId", "Song")),
}
KEYS = {name: columns[:2] if name == "MixSong" else columns[:1] for name, columns in TABLES.items()}

_FIRST = ("Ada", "Björn", "Chloé", "Dario", "Élan", "Fumiko", "Grzegorz", "Hana", "Iñaki", "Jo")
_LAST = ("Abe", "Borg", "Čapek", "D'Arc", "Eriksen", "Fuchs", "García", "Hỷ", "Ito", "O'Neil")
_WORDS = (
    "Blue",
    "Café",
    "Don't",
    "Evening",
    "Fire",
    "Größe",
    "Home",
    "Ice\\Water",
    "Jazz",
    'Knock "Twice"',
    "Lune",
    "雨",
)
_TOWNS = ("Graz", "Lima", "Łódź", "Oslo", "Pune", "São Paulo", None)
_STYLES = ("Ambient", "Blues", "Choir", "Drone", "Electro", "Folk", "Groove", "Hymn")
_FORMATS = ("Cassette", "Disc", "File", "Vinyl")


class _Dice:
    def __init__(self) -> None:
        self._next = Random(SEED).random

    def below(self, limit: int) -> int:
        return int(self._next() * limit)

    def skewed(self, limit: int) -> int:
        return int(self._next() ** 2 * limit)

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]

    def words(self, most: int) -> str:
        return " ".join(self.one_of(_WORDS) for _ in range(1 + self.below(most)))

    def moment(self) -> str:
        day = f"{1950 + self.below(70)}-{1 + self.below(12):02}-{1 + self.below(28):02}"
        return f"{day} {self.below(24):02}:{self.below(60):02}:00"

    def maybe(self, value: T, share: int) -> T | None:
        return None if self.below(share) == 0 else value


def rows_of_tables() -> dict[str, list[Row]]:
    """The rows of all tables, by their keys."""
    dice = _Dice()
    songs = [_song(dice, number) for number in range(1, 901)]
    bills = [_bill(dice, number) for number in range(1, 251)]
    lines = [
        (number, 1 + dice.below(250), 1 + (song := dice.skewed(900)), songs[song][8], 1 + dice.below(3))
        for number in range(1, 1_201)
    ]
    mixed = {(1 + dice.skewed(12), 1 + dice.below(900)) for _ in range(3_000)}
    return {
        "Performer": [(number, dice.words(2)) for number in range(1, 61)],
        "Record": [(number, dice.words(4), 1 + dice.skewed(60)) for number in range(1, 121)],
        "Style": [(number, name) for number, name in enumerate(_STYLES, start=1)],
        "Format": [(number, name) for number, name in enumerate(_FORMATS, start=1)],
        "Song": songs,
        "Clerk": [_clerk(dice, number) for number in range(1, 9)],
        "Shopper": [_shopper(dice, number) for number in range(1, 41)],
        "Bill": bills,
        "BillLine": lines,
        "Mix": [(number, dice.maybe(dice.words(2), 6)) for number in range(1, 13)],
        "MixSong": sorted(mixed),
    }


def _song(dice: _Dice, number: int) -> Row:
    record, style = dice.maybe(1 + dice.below(120), 20), dice.maybe(1 + dice.skewed(8), 15)
    writer, size = dice.maybe(f"{dice.one_of(_FIRST)} {dice.one_of(_LAST)}", 3), dice.maybe(dice.below(9_000_000), 9)
    price = dice.one_of((0.99, 1.49, 1.99))
    return number, dice.words(5), record, 1 + dice.skewed(4), style, writer, 60_000 + dice.below(400_000), size, price


def _clerk(dice: _Dice, number: int) -> Row:
    title = dice.maybe(dice.one_of(("Manager", "Sales")), 4)
    chief = None if number == 1 else 1 + dice.below(number - 1)
    return number, dice.one_of(_LAST), dice.one_of(_FIRST), title, chief, dice.maybe(dice.moment(), 4), dice.moment()


def _shopper(dice: _Dice, number: int) -> Row:
    first, last, clerk = dice.one_of(_FIRST), dice.one_of(_LAST), dice.maybe(1 + dice.below(8), 10)
    company = None if dice.below(3) else dice.words(2)
    return number, first, last, company, dice.one_of(_TOWNS), f"shopper{number}@example.org", clerk


def _bill(dice: _Dice, number: int) -> Row:
    return number, 1 + dice.skewed(40), dice.moment(), dice.one_of(_TOWNS), (199 + 100 * dice.below(20)) / 100


def write_music_shop(folder: Path) -> MusicShop:
    """Write all four files into a folder."""
    shop = MusicShop(*(folder / name for name in ("shop.sqlite", "shop.sql", "shop_mysql.sql", "shop_postgres.sql")))
    rows = rows_of_tables()
    shop.sqlite.write_text("".join(_sqlite(rows)), encoding="utf-8")
    shop.mysql.write_text("".join(_mysql(rows)), encoding="utf-8")
    shop.postgres.write_text("".join(_postgres(rows)), encoding="utf-8")
    with closing(sqlite3.connect(shop.image)) as connection:
        connection.executescript(shop.sqlite.read_text(encoding="utf-8"))
    return shop


def _sqlite(rows: dict[str, list[Row]]) -> Iterator[str]:
    yield from (f"DROP TABLE IF EXISTS [{name}];\n" for name in TABLES)
    for name, columns in TABLES.items():
        parts = [f"[{column.name}] {_declared(column)}" for column in columns]
        parts.append(f"CONSTRAINT [PK_{name}] PRIMARY KEY ({_names(KEYS[name], '[', ']')})")
        parts += [
            f"FOREIGN KEY ([{column.name}]) REFERENCES [{column.references}] ([{column.references}Id]) "
            "ON DELETE NO ACTION ON UPDATE NO ACTION"
            for column in columns
            if column.references
        ]
        yield f"CREATE TABLE [{name}]\n(\n    " + ",\n    ".join(parts) + "\n);\n"
    for name, columns in TABLES.items():
        yield from (f"CREATE INDEX [IFK_{name}{c.name}] ON [{name}] ([{c.name}]);\n" for c in columns if c.references)
    for name, columns in TABLES.items():
        for row in rows[name]:
            cells = ", ".join(_literal(cell, backslash="\\") for cell in row)
            yield f"INSERT INTO [{name}] ({_names(columns, '[', ']')}) VALUES ({cells});\n"


def _mysql(rows: dict[str, list[Row]]) -> Iterator[str]:
    yield "-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n\n/*!40101 SET NAMES utf8mb4 */;\n"
    yield "/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;\n"
    for name, columns in TABLES.items():
        parts = [f"`{column.name}` {_declared(column, null='DEFAULT NULL').lower()}" for column in columns]
        parts = [part.replace("nvarchar", "varchar").replace("numeric", "decimal") for part in parts]
        parts.append(f"PRIMARY KEY ({_names(KEYS[name], '`', '`')})")
        parts += [f"KEY `IFK_{name}{column.name}` (`{column.name}`)" for column in columns if column.references]
        parts += [
            f"CONSTRAINT `FK_{name}{c.name}` FOREIGN KEY (`{c.name}`) REFERENCES `{c.references}` (`{c.references}Id`)"
            for c in columns
            if c.references
        ]
        yield f"DROP TABLE IF EXISTS `{name}`;\nCREATE TABLE `{name}` (\n  " + ",\n  ".join(parts)
        yield "\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;\n"
        values = ",".join(f"({','.join(_literal(cell, backslash=_TWICE) for cell in row)})" for row in rows[name])
        yield f"LOCK TABLES `{name}` WRITE;\nINSERT INTO `{name}` VALUES {values};\nUNLOCK TABLES;\n"


def _postgres(rows: dict[str, list[Row]]) -> Iterator[str]:
    yield "--\n-- PostgreSQL database dump\n--\n\n"
    yield "SET client_encoding = 'UTF8';\nSET standard_conforming_strings = on;\n\n"
    for name, columns in TABLES.items():
        own = f"public.{_snake(name)}"
        parts = [f"{_snake(c.name)} {c.postgres}{'' if c.is_optional else ' NOT NULL'}" for c in columns]
        yield f"CREATE TABLE {own} (\n    " + ",\n    ".join(parts) + "\n);\n\n"
    for name, columns in TABLES.items():
        yield f"COPY public.{_snake(name)} ({', '.join(_snake(c.name) for c in columns)}) FROM stdin;\n"
        yield from ("\t".join(map(_copied, row)) + "\n" for row in rows[name])
        yield "\\.\n\n"
    for name in TABLES:
        key = ", ".join(_snake(column.name) for column in KEYS[name])
        yield f"ALTER TABLE ONLY public.{_snake(name)}\n    ADD CONSTRAINT {_snake(name)}_pkey PRIMARY KEY ({key});\n\n"
    for name, columns in TABLES.items():
        for column in columns:
            if column.references:
                yield _postgres_reference(_snake(name), _snake(column.name), _snake(column.references))


def _postgres_reference(table: str, column: str, parent: str) -> str:
    return (
        f"ALTER TABLE ONLY public.{table}\n    ADD CONSTRAINT {table}_{column}_fkey FOREIGN KEY ({column}) "
        f"REFERENCES public.{parent}({parent}_id);\n\n"
    )


_TWICE = "\\\\"


def _declared(column: Column, null: str = "") -> str:
    return f"{column.type.removesuffix('?')} {null if column.is_optional else 'NOT NULL'}".rstrip()


def _names(columns: Iterable[Column], before: str, after: str) -> str:
    return ", ".join(f"{before}{column.name}{after}" for column in columns)


def _literal(cell: Cell, backslash: str) -> str:
    if isinstance(cell, str):
        return "'" + cell.replace("\\", backslash).replace("'", "''") + "'"
    return "NULL" if cell is None else repr(cell)


def _copied(cell: Cell) -> str:
    return r"\N" if cell is None else str(cell).replace("\\", _TWICE)


def _snake(name: str) -> str:
    """The name as PostgreSQL has it.

    >>> _snake("BillLine"), _snake("SongId")
    ('bill_line', 'song_id')
    """
    return "".join(
        f"_{letter.lower()}" if letter.isupper() and at else letter.lower() for at, letter in enumerate(name)
    )
