"""One small source through every reader: equal rows, keys, edges and row ids where types allow.

The differences are those of `CELLS`: a CSV file has no NULL and no numbers, so its cells are texts, empty for NULL. A
reader that is added to `READERS` has to find the same source.
"""

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import apsw
import pytest

from app.graph.g0 import build_initial_graph, match_references
from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.identity import hex_ids, node_digests, node_prefix
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, WarningCode
from app.values import Scalar
from tests.sources.dumps.support import copy_block, mysql_literal
from tests.support.row_ids import keyed_row_id, positional_row_id

SQL = """
CREATE TABLE team (
  code TEXT PRIMARY KEY NOT NULL, name TEXT, lead TEXT REFERENCES person(login), size INTEGER, pay REAL
);
CREATE TABLE person (login TEXT PRIMARY KEY NOT NULL, team TEXT REFERENCES team(code));
CREATE TABLE shift (team TEXT, day TEXT, note TEXT, PRIMARY KEY (team, day), FOREIGN KEY (team) REFERENCES team(code));
CREATE TABLE swap (team TEXT, day TEXT, "why, or not" TEXT, FOREIGN KEY (team, day) REFERENCES shift(team, day));
INSERT INTO team VALUES ('007', 'Ä "quoted", name', 'ann', 3, 1.5);
INSERT INTO team VALUES ('7', 'two
lines', NULL, -1, 0.25), ('b', '', 'nobody', NULL, NULL);
INSERT INTO person VALUES ('ann', '007'), ('bob', '7'), ('cy', NULL), ('dee', '07');
INSERT INTO shift VALUES ('007', '1', 'a'), ('007', '2', 'b'), ('7', '1', NULL);
INSERT INTO swap VALUES ('007', '2', 'x'), ('7', '2', 'y'), (NULL, '1', 'z'), ('7', '1', 'x'), ('007', '2', 'x');
"""

ROWS: dict[str, list[tuple[Scalar, ...]]] = {
    "team": [
        ("007", 'Ä "quoted", name', "ann", 3, 1.5),
        ("7", "two\nlines", None, -1, 0.25),
        ("b", "", "nobody", None, None),
    ],
    "person": [("ann", "007"), ("bob", "7"), ("cy", None), ("dee", "07")],
    "shift": [("007", "1", "a"), ("007", "2", "b"), ("7", "1", None)],
    "swap": [("007", "2", "x"), ("7", "2", "y"), (None, "1", "z"), ("7", "1", "x"), ("007", "2", "x")],
}
COLUMNS = {
    "team": ("code", "name", "lead", "size", "pay"),
    "person": ("login", "team"),
    "shift": ("team", "day", "note"),
    "swap": ("team", "day", "why, or not"),
}
KEYS = {"team": ("code",), "person": ("login",), "shift": ("team", "day"), "swap": ()}
REFERENCES = {
    "team": [(("lead",), "person", ("login",))],
    "person": [(("team",), "team", ("code",))],
    "shift": [(("team",), "team", ("code",))],
    "swap": [(("team", "day"), "shift", ("team", "day"))],
}
EDGES = {
    "team(lead) -> person(login)": {(0, 0)},
    "person(team) -> team(code)": {(0, 0), (1, 1)},
    "shift(team) -> team(code)": {(0, 0), (1, 0), (2, 1)},
    "swap(team, day) -> shift(team, day)": {(0, 1), (3, 2), (4, 1)},
}
DANGLING = {
    "team(lead) -> person(login)": [2],
    "person(team) -> team(code)": [3],
    "swap(team, day) -> shift(team, day)": [1],
}


def sql_text(folder: Path) -> RelationalSource:
    (folder / "x.sql").write_bytes(SQL.encode())
    return load_source(folder / "x.sql")


def image(folder: Path) -> RelationalSource:
    connection = apsw.Connection(str(folder / "x.db"))
    connection.execute(SQL)
    connection.close()
    return load_source(folder / "x.db")


def image_at_full_scale(folder: Path) -> RelationalSource:
    image(folder)
    return load_source(folder / "x.db", SourceOptions.from_options({"resource_profile": "full_scale"}))


def documents(table: str) -> dict[str, object]:
    references = [
        {"columns": list(columns), "ref_table": parent, "ref_columns": list(targets)}
        for columns, parent, targets in REFERENCES[table]
    ]
    return {
        "name": table,
        "columns": list(COLUMNS[table]),
        "primary_key": list(KEYS[table]),
        "foreign_keys": references,
    }


def csv_bundle(folder: Path) -> RelationalSource:
    for table, rows in ROWS.items():
        with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS[table], *rows])
    tables = [documents(table) | {"file_name": f"{table}.csv"} for table in ROWS]
    (folder / "csv_schema.json").write_text(json.dumps({"version": "csv_bundle.v1", "tables": tables}))
    return load_source(folder)


def inline(folder: Path) -> RelationalSource:
    """The tables beside a CSV file without rows, which is left out of the comparison."""
    (folder / "first.csv").write_text("id\n")
    tables = [
        documents(table) | {"rows": [dict(zip(COLUMNS[table], row, strict=True)) for row in rows]}
        for table, rows in ROWS.items()
    ]
    return load_source(folder / "first.csv", SourceOptions.from_options({"tables": tables}))


def definitions(quote: str, real: str) -> Iterable[str]:
    """CREATE TABLE as a dump has it, without keys, which follow the rows."""
    for table, names in COLUMNS.items():
        types = {"size": "integer", "pay": real}
        columns = ", ".join(f"{quote}{name}{quote} {types.get(name, 'varchar(99)')}" for name in names)
        yield f"CREATE TABLE {quote}{table}{quote} ({columns});"


def constraints(quote: str, only: str) -> Iterable[str]:
    def listed(names: Iterable[str]) -> str:
        return f"({', '.join(f'{quote}{name}{quote}' for name in names)})"

    for table, key in KEYS.items():
        if key:
            yield f"ALTER TABLE {only}{quote}{table}{quote} ADD CONSTRAINT k_{table} PRIMARY KEY {listed(key)};"
    for table, references in REFERENCES.items():
        for columns, parent, targets in references:
            yield (
                f"ALTER TABLE {only}{quote}{table}{quote} ADD CONSTRAINT f_{table} "
                f"FOREIGN KEY {listed(columns)} REFERENCES {quote}{parent}{quote} {listed(targets)};"
            )


def mysql_dump(folder: Path) -> RelationalSource:
    rows = [
        f"INSERT INTO `{table}` VALUES {','.join('(' + ','.join(map(mysql_literal, row)) + ')' for row in rows)};"
        for table, rows in ROWS.items()
    ]
    header = "-- MySQL dump 10.13"
    text = "\n".join([header, *definitions("`", "double"), *rows, *constraints("`", "")])
    (folder / "dump.sql").write_bytes(text.encode())
    return load_source(folder / "dump.sql")


def postgres_dump(folder: Path) -> RelationalSource:
    """Definitions and rows in a file each."""
    rows = [copy_block(table, [f'"{name}"' for name in COLUMNS[table]], rows) for table, rows in ROWS.items()]
    header = "--\n-- PostgreSQL database dump\n--"
    (folder / "schema.sql").write_bytes("\n".join([header, *definitions('"', "double precision")]).encode())
    (folder / "data.sql").write_bytes("\n".join([*rows, *constraints('"', "ONLY ")]).encode())
    return load_source([folder / "schema.sql", folder / "data.sql"])


READERS: dict[str, Callable[[Path], RelationalSource]] = {
    "sql": sql_text,
    "image": image,
    "image at full_scale": image_at_full_scale,
    "csv": csv_bundle,
    "inline": inline,
    "mysql": mysql_dump,
    "postgres": postgres_dump,
}
CELLS: dict[str, Callable[[Scalar], Scalar]] = {"csv": lambda cell: "" if cell is None else str(cell)}


def cells(reader: str, rows: Iterable[tuple[Scalar, ...]]) -> list[tuple[Scalar, ...]]:
    convert = CELLS.get(reader, lambda cell: cell)
    return [tuple(map(convert, row)) for row in rows]


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def source(reader: str, tmp_path: Path) -> RelationalSource:
    return READERS[reader](tmp_path)


def test_rows_and_types(reader: str, source: RelationalSource) -> None:
    for table, rows in ROWS.items():
        columns = source.tables[table].columns
        found = list(zip(*(column.to_list() for column in columns.values()), strict=True))
        assert tuple(columns) == COLUMNS[table]
        assert [[(type(cell), cell) for cell in row] for row in found] == [
            [(type(cell), cell) for cell in row] for row in cells(reader, rows)
        ]


def test_keys(source: RelationalSource) -> None:
    for table in ROWS:
        schema = source.schema.table(table)
        keys = [(key.columns, key.ref_table, key.ref_columns) for key in schema.foreign_keys]
        assert schema.primary_key == KEYS[table]
        assert keys == REFERENCES[table]
    assert [(warning.code, warning.where["table"]) for warning in source.warnings] == [
        (WarningCode.NO_PRIMARY_KEY, "swap")
    ]


def test_edges_and_dangling_references(source: RelationalSource) -> None:
    references = match_references(source.schema, source.tables)
    graph = build_initial_graph(source.schema, source.tables, references)
    edges = {
        table.mark.foreign_key.label: set(zip(table.sources.tolist(), table.targets.tolist(), strict=True))
        for table in graph.edge_tables
        if isinstance(table.mark, ForeignKeyMark)
    }

    assert edges == EDGES
    assert {found.foreign_key.label: found.rows.tolist() for found in references.dangling()} == DANGLING


def test_row_ids(source: RelationalSource) -> None:
    graph = build_initial_graph(source.schema, source.tables, match_references(source.schema, source.tables))
    for table, rows in ROWS.items():
        nodes = graph.node_tables[table]
        places = [COLUMNS[table].index(name) for name in KEYS[table]]
        assert hex_ids(node_prefix(nodes), node_digests(nodes)) == [
            keyed_row_id(table, [row[place] for place in places]) if places else positional_row_id(table, number)
            for number, row in enumerate(rows)
        ]
