"""Reads one file with one engine and prints seconds, rows and peak memory: `python -m … ENGINE FORMAT PATH`.

What counts as read: all rows in this process, as the engine gives them: ours columns, sqlite-utils dicts, DuckDB a
table in memory. Merely running a script in SQLite is the measure for our SQL text. A CSV goes into an in-memory
database first with sqlite-utils, as its own `memory` command does.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

Reader = Callable[[Path], int]

_KIB = 1024
_REFERENCES = re.compile(r" REFERENCES \w+\(\w+\)")
_DECLARED = re.compile(r"CREATE TABLE \"?(\w+)")


def graphwright(path: Path) -> int:
    from app.sources.load import load_source

    return load_source(path).row_count


def sqlite_utils_sql(path: Path) -> int:
    import sqlite_utils

    database = sqlite_utils.Database(memory=True)
    database.conn.executescript(path.read_text(encoding="utf-8"))
    return _rows_of(database)


def sqlite_utils_csv(path: Path) -> int:
    import sqlite_utils
    from sqlite_utils.utils import rows_from_file

    database = sqlite_utils.Database(memory=True)
    with path.open("rb") as file:
        rows, _ = rows_from_file(file)
        database["entry"].insert_all(rows)
    return _rows_of(database)


def sqlite_utils_image(path: Path) -> int:
    import sqlite_utils

    return _rows_of(sqlite_utils.Database(path))


def _rows_of(database: Any) -> int:
    return sum(len(list(table.rows)) for table in database.tables)


def sqlite_sql(path: Path) -> int:
    import apsw

    connection = apsw.Connection(":memory:")
    connection.execute(path.read_text(encoding="utf-8")).fetchall()
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return sum(connection.execute(f"SELECT count(*) FROM {name}").get for name in tables)


def duckdb_sql(path: Path) -> int:
    import duckdb

    connection, script = duckdb.connect(":memory:"), path.read_text(encoding="utf-8")
    connection.execute(_REFERENCES.sub("", script))  # it takes none to a table that is not there yet
    return sum(
        connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for name in _DECLARED.findall(script)
    )


def duckdb_csv(path: Path) -> int:
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute("CREATE TABLE entry AS SELECT * FROM read_csv(?, all_varchar = true)", [str(path)])
    return int(connection.execute("SELECT count(*) FROM entry").fetchall()[0][0])


ENGINES: dict[str, dict[str, Reader]] = {
    "graphwright": {"sql": graphwright, "csv": graphwright, "image": graphwright},
    "SQLite runs it": {"sql": sqlite_sql},
    "sqlite-utils": {"sql": sqlite_utils_sql, "csv": sqlite_utils_csv, "image": sqlite_utils_image},
    "duckdb": {"sql": duckdb_sql, "csv": duckdb_csv},
}
"""DuckDB reads SQLite images with an extension that it fetches at run time, so it is left out there."""

_IMPORTS = {
    "graphwright": "app.sources.load",
    "SQLite runs it": "apsw",
    "sqlite-utils": "sqlite_utils",
    "duckdb": "duckdb",
}


def main() -> None:
    engine, kind, path = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    __import__(_IMPORTS[engine])
    before = _peak_mib()
    started = perf_counter()
    rows = ENGINES[engine][kind](path)
    seconds = perf_counter() - started
    print(json.dumps({"rows": rows, "seconds": seconds, "peak_mib": _peak_mib(), "start_mib": before}))


def _peak_mib() -> float:
    """The peak of this program's memory; getrusage would count what its parent held before."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / _KIB


if __name__ == "__main__":
    main()
