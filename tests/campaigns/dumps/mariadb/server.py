"""MariaDB: started privately, run, dumped, and asked what it holds."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns.dumps.answer import Answer, ColumnAnswer, Edges, Key, Kind, TableAnswer, shared_names
from tests.campaigns.dumps.private_server import (
    Complaint,
    ScriptRefusedError,
    complaints_of,
    finish,
    output_of,
    private_folder,
    program,
    running,
)

SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")
DATABASE = "campaign"
"""The database in which a script begins."""

_NEXT = "-- next answer"

_SETTINGS = (
    "--skip-networking",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=OFF",
    "--innodb-flush-method=nosync",
    "--innodb-buffer-pool-size=32M",
    "--innodb-log-file-size=8M",
    "--skip-log-bin",
    "--default-time-zone=+00:00",
    "--character-set-server=utf8mb4",
    "--lower-case-table-names=0",
)
_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint", "year", "bit"), Kind.INTEGER),
    **dict.fromkeys(("float", "double"), Kind.REAL),
    "decimal": Kind.NUMERIC,
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), Kind.BYTES),
    **dict.fromkeys(("geometry", "point", "linestring", "polygon", "multipoint", "multilinestring"), Kind.BYTES),
    **dict.fromkeys(("multipolygon", "geometrycollection"), Kind.BYTES),
}
_UNTRANSLATED = ("date", "datetime", "timestamp", "time", "uuid", "inet4", "inet6")
"""Types whose text holds neither tabs nor line ends."""

_CHARSET = "$charset"
"""In queries: the character set of the dump, which may lack characters of a text and have ? for them."""

_TEXT, _BYTES = "text:", "bytes:"
"""What fields in hexadecimal digits begin with."""


def _name(column: str) -> str:
    return f"CONCAT('{_TEXT}', HEX({column}))"


_OURS = "{} NOT IN (" + ", ".join(f"'{name}'" for name in SYSTEM) + ")"
_COLUMNS = f"""
SELECT {_name("TABLE_SCHEMA")}, {_name("TABLE_NAME")}, {_name("COLUMN_NAME")}, DATA_TYPE, IS_GENERATED
FROM information_schema.COLUMNS JOIN information_schema.TABLES USING (TABLE_SCHEMA, TABLE_NAME)
WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND {_OURS.format("TABLE_SCHEMA")}
ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION
"""
_KEYS = f"""
SELECT {_name("TABLE_SCHEMA")}, {_name("TABLE_NAME")}, {_name("COLUMN_NAME")}, {_name("CONSTRAINT_NAME")},
    {_name("REFERENCED_TABLE_SCHEMA")}, {_name("REFERENCED_TABLE_NAME")}, {_name("REFERENCED_COLUMN_NAME")}
FROM information_schema.KEY_COLUMN_USAGE
WHERE (CONSTRAINT_NAME = 'PRIMARY' OR REFERENCED_TABLE_NAME IS NOT NULL) AND {_OURS.format("TABLE_SCHEMA")}
ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION
"""

Name = tuple[str, str]
"""Database and table."""


@dataclass(slots=True)
class _Keys:
    """`primary` by table; `foreign` by table and constraint: columns, referenced table, referenced columns."""

    primary: dict[Name, list[str]]
    foreign: dict[tuple[Name, str], tuple[list[str], Name, list[str]]]


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


class MariadbServer:
    """A server of our own; each script begins in an empty database, and finds no other."""

    dialect = "mysql"

    def __init__(self, socket: Path, version: str) -> None:
        self._socket = socket
        self.version = version

    @classmethod
    @contextmanager
    def started(cls) -> Iterator["MariadbServer"]:
        """A new server, removed at the end; `ServerUnavailableError` where there is none."""
        mariadbd, install = program("mariadbd", "/usr/sbin"), program("mariadb-install-db")
        with private_folder("my") as folder:
            data = [f"--datadir={folder / 'data'}", f"--tmpdir={folder}"]
            quick = ["--auth-root-authentication-method=normal", "--skip-test-db"]
            finish([install, "--no-defaults", *data, *quick], folder, folder / "setup.log")
            socket = folder / "my.sock"
            command = [mariadbd, "--no-defaults", *data, f"--socket={socket}", f"--pid-file={folder}/pid", *_SETTINGS]
            server = cls(socket, output_of([mariadbd, "--version"]).decode().strip())
            with running(command, folder, server._is_ready):
                yield server

    def _is_ready(self) -> bool:
        try:
            self._ask("SELECT 1")
        except ScriptRefusedError:
            return False
        return True

    def _client(self, name: str, *arguments: str) -> list[str]:
        return [program(name), "--no-defaults", f"--socket={self._socket}", "--user=root", *arguments]

    def run(self, script: Path, session: Mapping[str, str]) -> list[Complaint]:
        """Run a script in an empty server; returns what the server says of statements that it refuses."""
        dropped = "".join(f"DROP DATABASE {quoted(name)};" for name in self.databases())
        self._ask(f"SET foreign_key_checks = 0;{dropped} DO 0")
        self._ask(f"SET GLOBAL time_zone = '{session.get('server_zone', '+00:00')}'")
        self._ask(f"CREATE DATABASE {DATABASE} CHARACTER SET {session.get('charset', 'utf8mb4')}")
        mode = session.get("mode", "")
        start = f"--init-command=SET SESSION sql_mode = CONCAT_WS(',', @@sql_mode, '{mode}')"
        options = ("--force", "--batch", "--binary-mode", "--default-character-set=utf8mb4", start, DATABASE)
        return list(_complaints(complaints_of(self._client("mariadb", *options), script.read_bytes())))

    def databases(self) -> list[str]:
        """Databases that scripts made."""
        ours = _OURS.format("SCHEMA_NAME")
        found = self._ask(f"SELECT {_name('SCHEMA_NAME')} FROM information_schema.SCHEMATA WHERE {ours}")
        return [_text(name) for (name,) in found]

    def dump(self, options: tuple[str, ...]) -> bytes:
        """What mariadb-dump writes with these options, in which * stands for the databases."""
        names = self.databases()
        several = () if len(names) == 1 or "--databases" in options else ("--databases",)
        before = tuple(option for option in options if option != "*")
        return output_of(self._client("mariadb-dump", *before, *several, *names))

    def answer(self, session: Mapping[str, str]) -> Answer:
        """Everything that the databases hold; timestamps are printed in the session's zone."""
        zone = session.get("zone", "+00:00")
        tables, keys = self._tables(), self._keys()
        names = shared_names(list(tables))
        joins = {key: each for key, each in keys.foreign.items() if each[1] in tables}
        queries = [f"SELECT {_cells('t', columns)} FROM {_source(table)} t" for table, columns in tables.items()]
        queries += [_join(name, tables, *each) for (name, _), each in joins.items()]
        charset = session.get("dump_charset", "utf8mb4")
        answers = self._ask_all(f"SET time_zone = '{zone}'", [query.replace(_CHARSET, charset) for query in queries])
        edges: dict[Key, Edges] = {}
        for ((name, _), (child, target, parent)), rows in zip(joins.items(), answers[len(tables) :], strict=True):
            width = len(tables[name])
            key = Key.of(names[name], tuple(child), names[target], tuple(parent))
            edges[key] = Counter((tuple(row[:width]), tuple(row[width:])) for row in rows)
        found = {}
        for (name, columns), rows in zip(tables.items(), answers, strict=False):
            answered = tuple(column.answer for column in columns)
            visible = {column.name for column in answered}
            key_columns = tuple(column for column in keys.primary.get(name, ()) if column in visible)
            found[names[name]] = TableAnswer(names[name], answered, key_columns, tuple(map(tuple, rows)))
        return Answer(found, edges)

    def _tables(self) -> dict[Name, list["_Column"]]:
        tables: dict[Name, list[_Column]] = defaultdict(list)
        for database, table, name, kind, generated in self._ask(_COLUMNS):
            answer = ColumnAnswer(_text(name), _KINDS.get(str(kind), Kind.TEXT), generated == "ALWAYS")
            tables[_text(database), _text(table)].append(_Column(answer, str(kind)))
        return dict(tables)

    def _keys(self) -> _Keys:
        keys = _Keys(defaultdict(list), {})
        for database, table, column, constraint, ref_database, ref_table, ref_column in self._ask(_KEYS):
            name = (_text(database), _text(table))
            if ref_table is None:
                keys.primary[name].append(_text(column))
                continue
            empty: tuple[list[str], Name, list[str]] = ([], (_text(ref_database), _text(ref_table)), [])
            columns, _, ref_columns = keys.foreign.setdefault((name, str(constraint)), empty)
            columns.append(_text(column))
            ref_columns.append(_text(ref_column))
        return keys

    def _ask(self, query: str) -> list[list[str | None]]:
        """The fields of each row; NULL is None. Fields that may hold any text are asked for in hexadecimal digits."""
        [rows] = self._ask_all("DO 0", [query])
        return rows

    def _ask_all(self, before: str, queries: list[str]) -> list[list[list[str | None]]]:
        """The rows of each query."""
        options = ("--batch", "--raw", "--skip-column-names", "--default-character-set=utf8mb4")
        sent = f"{before};\n" + "".join(f"{query};\nSELECT '{_NEXT}';\n" for query in queries)
        answers: list[list[list[str | None]]] = [[]]
        for line in output_of(self._client("mariadb", *options), sent=sent.encode()).decode().split("\n")[:-1]:
            if line == _NEXT:
                answers.append([])
            else:
                answers[-1].append([None if field == "NULL" else _decoded(field) for field in line.split("\t")])
        return answers[:-1]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column and the name of its type."""

    answer: ColumnAnswer
    type: str


def _cells(alias: str, columns: list[_Column]) -> str:
    return ", ".join(_printed(f"{alias}.{quoted(column.answer.name)}", column) for column in columns)


def _printed(name: str, column: _Column) -> str:
    """What the server prints; text is marked and in digits, since a field may hold anything."""
    if column.type == "bit":
        return f"{name} + 0"
    if column.answer.kind is Kind.BYTES:
        return f"CONCAT('{_BYTES}', HEX({name}))"
    if column.answer.kind is not Kind.TEXT or column.type in _UNTRANSLATED:
        return name
    return f"CONCAT('{_TEXT}', HEX(CONVERT(CONVERT({name} USING {_CHARSET}) USING utf8mb4)))"


def _join(name: Name, tables: dict[Name, list[_Column]], child: list[str], target: Name, parent: list[str]) -> str:
    """A foreign key as the server's own join."""
    on = " AND ".join(f"p.{quoted(b)} = c.{quoted(a)}" for a, b in zip(child, parent, strict=True))
    cells = f"{_cells('c', tables[name])}, {_cells('p', tables[target])}"
    return f"SELECT {cells} FROM {_source(name)} c JOIN {_source(target)} p ON {on}"


def _source(table: Name) -> str:
    return ".".join(map(quoted, table))


def _decoded(field: str) -> str:
    return bytes.fromhex(field.removeprefix(_TEXT)).decode() if field.startswith(_TEXT) else field


def _text(field: str | None) -> str:
    """A field that is never NULL."""
    assert field is not None
    return field


def _complaints(said: str) -> Iterator[Complaint]:
    """The errors that the client prints."""
    for number, message in re.findall(r"^ERROR \d+ \(\w+\) at line (\d+): (.*)", said, re.MULTILINE):
        yield Complaint(int(number), message)
