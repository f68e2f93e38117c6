"""PostgreSQL: started privately, run, dumped, and asked what it holds."""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

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

DATABASE = "campaign"
_NEXT = "-- next answer"

_KINDS = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), Kind.INTEGER),
    **dict.fromkeys(("float4", "float8"), Kind.REAL),
    "bool": Kind.BOOLEAN,
    "numeric": Kind.NUMERIC,
    "bytea": Kind.BYTES,
}

_PRINTED_AS_DUMPED = """
SET timezone = UTC;
SET datestyle = ISO; SET intervalstyle = postgres; SET extra_float_digits = {digits}; SET bytea_output = hex;
SET search_path = ''; SET xmloption = content;
"""

_TABLES = """
SELECT json_build_object('oid', c.oid::text, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
    'root', coalesce(pg_partition_root(c.oid)::oid, c.oid)::text,
    'columns', (SELECT coalesce(json_agg(
            json_build_array(a.attnum, a.attname, b.typname, a.attgenerated) ORDER BY a.attnum), '[]')
        FROM pg_attribute a CROSS JOIN LATERAL (
            WITH RECURSIVE base AS (SELECT t.* FROM pg_type t WHERE t.oid = a.atttypid
                UNION ALL SELECT t.* FROM pg_type t JOIN base ON t.oid = base.typbasetype)
            SELECT typname FROM base WHERE typtype <> 'd') b
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    'primary_key', (SELECT conkey FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p'))
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY c.oid
"""

_FOREIGN_KEYS = """
SELECT json_build_array(conrelid::oid::text, conkey, confrelid::oid::text, confkey,
    (SELECT json_agg(format('OPERATOR(%I.%s)', n.nspname, o.oprname) ORDER BY place)
     FROM unnest(conpfeqop) WITH ORDINALITY AS used (operator, place)
     JOIN pg_operator o ON o.oid = operator JOIN pg_namespace n ON n.oid = o.oprnamespace))
FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 ORDER BY oid
"""


@dataclass(frozen=True, slots=True)
class _Relation:
    """A table of the server's catalogue; `columns` by number, `root` is the table that it is a partition of."""

    oid: str
    schema: str
    name: str
    kind: str
    root: str
    columns: dict[int, ColumnAnswer]
    primary_key: tuple[int, ...]

    @property
    def source(self) -> str:
        """What to select from: its own rows, not those of tables that inherit from it."""
        only = "" if self.kind == "p" else "ONLY "
        return f"{only}{quoted(self.schema)}.{quoted(self.name)}"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class PostgresServer:
    """A cluster of our own; each script runs in a fresh database."""

    dialect = "postgres"

    def __init__(self, socket: Path, version: str) -> None:
        self._socket = socket
        self.version = version

    @classmethod
    @contextmanager
    def started(cls) -> Iterator["PostgresServer"]:
        """A new cluster, removed at the end; `ServerUnavailableError` where there is none."""
        folders = sorted(glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(Path(path).parent.name))
        postgres, initdb = program("postgres", *folders), program("initdb", *folders)
        with private_folder("pg") as folder:
            data = str(folder / "data")
            locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--username=tester", "--no-sync"]
            finish([initdb, *locale, "-D", data], folder, folder / "setup.log")
            settings = ["fsync=off", "full_page_writes=off", "listen_addresses=", "autovacuum=off", "timezone=UTC"]
            command = [postgres, "-D", data, "-k", str(folder), *(part for each in settings for part in ("-c", each))]
            server = cls(folder, output_of([postgres, "--version"]).decode().strip())
            with running(command, folder, server._is_ready):
                yield server

    def _is_ready(self) -> bool:
        try:
            output_of(self._psql("postgres", "-c", "SELECT 1"))
        except ScriptRefusedError:
            return False
        return True

    def _client(self, name: str, *arguments: str) -> list[str]:
        folders = sorted(glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(Path(path).parent.name))
        return [program(name, *folders), "--host", str(self._socket), "--username", "tester", *arguments]

    def _psql(self, database: str, *arguments: str) -> list[str]:
        return self._client("psql", "--no-psqlrc", "--quiet", "-At", "--dbname", database, *arguments)

    def run(self, script: Path, session: Mapping[str, str]) -> list[Complaint]:
        """Run a script in a fresh database; returns what the server says of statements that it refuses."""
        zone = session.get("zone", "UTC")
        fresh = f"CREATE DATABASE {DATABASE} TEMPLATE template0 ENCODING UTF8 STRATEGY file_copy"
        output_of(
            self._psql(
                "postgres",
                "-c",
                f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)",
                "-c",
                fresh,
                "-c",
                f"ALTER DATABASE {DATABASE} SET timezone = '{zone}'",
            )
        )
        said = complaints_of(self._psql(DATABASE, "--file", str(script), "--output", os.devnull))
        return [each for each in _complaints(said, script) if "transaction is aborted" not in each.message]

    def dump(self, options: tuple[str, ...]) -> bytes:
        """What pg_dump writes with these options, or pg_dumpall if that is the first word."""
        if options[:1] == ("pg_dumpall",):
            return output_of(self._client("pg_dumpall", *options[1:]))
        return output_of(self._client("pg_dump", *options, DATABASE))

    def answer(self, session: Mapping[str, str]) -> Answer:
        """Everything that the database holds; `digits` is the extra_float_digits that a dump was written with."""
        digits = session.get("digits", "3")
        tables, keys = self._ask([_TABLES, _FOREIGN_KEYS], digits)
        relations = {each.oid: each for each in map(_relation, tables)}
        roots = [each for each in relations.values() if each.root == each.oid]
        names = shared_names([(each.schema, each.name) for each in roots])
        called = {oid: names[relations[each.root].schema, relations[each.root].name] for oid, each in relations.items()}
        joins = [_join(document, relations) for document in keys]
        queries = [f"SELECT {_cells('t', each)} FROM {each.source} t" for each in roots] + [
            join.query for join in joins
        ]
        answers = self._ask(queries, digits)
        found = (_table(called[root.oid], root, rows) for root, rows in zip(roots, answers, strict=False))
        edges = _edges(dict(zip(joins, answers[len(roots) :], strict=True)), relations, called)
        return Answer({table.name: table for table in found}, edges)

    def _ask(self, queries: list[str], digits: str) -> list[list[Any]]:
        """The rows of each query of one JSON column."""
        settings = _PRINTED_AS_DUMPED.format(digits=digits)
        sent = settings + "".join(f"{query};\n\\echo {_NEXT}\n" for query in queries)
        answers: list[list[Any]] = [[]]
        for line in output_of(self._psql(DATABASE), sent=sent.encode()).decode().split("\n")[:-1]:
            if line == _NEXT:
                answers.append([])
            else:
                answers[-1].append(json.loads(line))
        return answers[:-1]


@dataclass(frozen=True, slots=True)
class _Join:
    """A foreign key as the server's own join; `child` and `parent` are object numbers."""

    child: str
    columns: tuple[str, ...]
    parent: str
    ref_columns: tuple[str, ...]
    query: str


def _join(document: list[Any], relations: dict[str, _Relation]) -> _Join:
    """With the operators that the constraint itself compares by, and columns in the order of the partitioned tables."""
    table, numbers, target, ref_numbers, operators = document
    child, parent = relations[table], relations[target]
    columns = tuple(child.columns[number].name for number in numbers)
    ref_columns = tuple(parent.columns[number].name for number in ref_numbers)
    on = " AND ".join(
        f"p.{quoted(b)} {operator} c.{quoted(a)}"
        for a, b, operator in zip(columns, ref_columns, operators, strict=True)
    )
    cells = f"{_cells('c', child, relations[child.root])}, {_cells('p', parent, relations[parent.root])}"
    query = f"SELECT json_build_array({cells}) FROM {child.source} c JOIN {parent.source} p ON {on}"
    return _Join(table, columns, target, ref_columns, query)


def _edges(
    answers: dict[_Join, list[Any]], relations: dict[str, _Relation], called: dict[str, str]
) -> dict[Key, Edges]:
    """The edges of each key; one of a whole partitioned table holds for partitions, which may declare it again."""
    found: dict[Key, dict[str, Edges]] = defaultdict(lambda: defaultdict(Counter))
    for join, pairs in answers.items():
        key = Key.of(called[join.child], join.columns, called[join.parent], join.ref_columns)
        found[key][join.child] += Counter((tuple(left), tuple(right)) for left, right in pairs)
    edges: dict[Key, Edges] = {}
    for key, by_child in found.items():
        whole = next((by_child[oid] for oid in by_child if relations[oid].root == oid), None)
        edges[key] = sum(by_child.values(), Counter()) if whole is None else whole
    return edges


def _table(name: str, relation: _Relation, rows: list[Any]) -> TableAnswer:
    key = tuple(relation.columns[number].name for number in relation.primary_key)
    return TableAnswer(name, tuple(relation.columns.values()), key, tuple(map(tuple, rows)))


def _relation(document: dict[str, Any]) -> _Relation:
    columns = {
        number: ColumnAnswer(name, _KINDS.get(kind, Kind.TEXT), bool(generated))
        for number, name, kind, generated in document["columns"]
    }
    return _Relation(
        document["oid"],
        document["schema"],
        document["name"],
        document["kind"],
        document["root"],
        columns,
        tuple(document["primary_key"] or ()),
    )


def _cells(alias: str, relation: _Relation, ordered_by: _Relation | None = None) -> str:
    """A JSON array of what the types' output functions print, NULL for NULL."""
    columns = [f"{alias}.{quoted(column.name)}" for column in (ordered_by or relation).columns.values()]
    return f"json_build_array({', '.join(map(_printed, columns))})"


def _printed(column: str) -> str:
    """`IS NULL` would be true of a composite value of NULLs, and a cast to text trims character(n)."""
    return f"CASE WHEN num_nulls({column}) = 0 THEN format('%s', {column}) END"


def _complaints(said: str, script: Path) -> Iterator[Complaint]:
    """The errors that psql prints."""
    for line in said.splitlines():
        head, error, message = line.partition(": ERROR:")
        if error and head.startswith(f"psql:{script}:"):
            yield Complaint(int(head.rpartition(":")[2]), message.strip())
