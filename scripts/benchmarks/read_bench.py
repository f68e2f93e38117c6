"""Reading a dump, a CSV and a SQLite image of the same rows: rows a second and peak memory beside other readers."""

import csv
import json
import sqlite3
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scripts.benchmarks.build_bench import generated
from scripts.benchmarks.read_task import ENGINES
from scripts.benchmarks.tables import GeneratedTable, write_image

MIB = 1024 * 1024
FORMATS = ("sql", "csv", "image")

_FILES = {"sql": "source.sql", "csv": "entry.csv", "image": "source.db"}
_MODULES = {"graphwright": "app", "SQLite runs it": "apsw", "sqlite-utils": "sqlite_utils", "duckdb": "duckdb"}
_MOST_ROWS = 198_000
_SECONDS = 60
_PADDING = "padding "
_OVERHEAD = {"sql": 113, "csv": 76, "image": 86}
"""Bytes of a row without padding, roughly."""


def run(mebibytes: int, rounds: int, json_file: Path | None) -> bool:
    """Measure all engines on all formats, print the table, and return whether all read all rows."""
    with tempfile.TemporaryDirectory() as folder:
        files = {kind: Path(folder) / name for kind, name in _FILES.items()}
        rows = _write(files, mebibytes * MIB)
        engines = _installed()
        results = [
            result
            for kind, path in files.items()
            for result in _measured([engine for engine in engines if kind in ENGINES[engine]], kind, path, rounds)
        ]
    _print(results)
    if json_file is not None:
        json_file.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return all(result["rows"] in _acceptable(result, rows) for result in results)


def _acceptable(result: dict[str, Any], rows: dict[str, int]) -> list[int | None]:
    """What the number of rows may be: a peer may be unable to read a file, we may not."""
    whole = rows[result["format"]]
    return [whole] if result["engine"] == "graphwright" else [whole, None]


def _installed() -> list[str]:
    missing = [engine for engine, module in _MODULES.items() if find_spec(module) is None]
    for engine in missing:
        print(f"{engine} is not installed and left out.", file=sys.stderr)
    return [engine for engine in _MODULES if engine not in missing]


def _write(files: dict[str, Path], size: int) -> dict[str, int]:
    """Write each format at about `size` bytes, and return the rows of each."""
    rows = {}
    for kind, path in files.items():
        tables = _padded(generated(_MOST_ROWS), size // _MOST_ROWS - _OVERHEAD[kind])
        rows[kind] = tables[-1].rows if kind == "csv" else sum(table.rows for table in tables)
        image = path if kind == "image" else path.with_suffix(".tmp")
        write_image(tables, image)
        if kind != "image":
            _export(image, kind, path)
    return rows


def _padded(tables: list[GeneratedTable], length: int) -> list[GeneratedTable]:
    """The tables with texts that are `length` characters longer."""
    words = next(column for column in tables[-1].columns if column.name == "note")
    padding = (_PADDING * (length // len(_PADDING) + 1))[: max(0, length)]
    words.values[:] = [f"{text}{padding}" for text in words.values]
    return tables


def _export(image: Path, kind: str, path: Path) -> None:
    """The dump of a database, or its largest table as CSV."""
    connection = sqlite3.connect(image)
    with path.open("w", encoding="utf-8", newline="") as out:
        if kind == "sql":
            out.writelines(f"{statement}\n" for statement in connection.iterdump())
        else:
            rows = connection.execute("SELECT * FROM entry")
            writer = csv.writer(out)
            writer.writerow([column[0] for column in rows.description])
            writer.writerows(rows)
    connection.close()


def _measured(engines: list[str], kind: str, path: Path, rounds: int) -> list[dict[str, Any]]:
    """The fastest of several runs of each engine, in turn, since the machine's speed changes from minute to minute."""
    runs: dict[str, list[dict[str, Any]]] = {engine: [] for engine in engines}
    for _ in range(rounds):
        for engine, so_far in runs.items():
            if not so_far or "failed" not in so_far[-1]:
                so_far.append(_run(engine, kind, path))
    return [_best(engine, kind, path, measured) for engine, measured in runs.items()]


def _run(engine: str, kind: str, path: Path) -> dict[str, Any]:
    """One reading, in a process of its own."""
    command = [sys.executable, "-m", "scripts.benchmarks.read_task", engine, kind, str(path)]
    try:
        child = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return {"failed": f"not read in {_SECONDS} seconds"}
    if child.returncode:
        reasons = [line for line in child.stderr.splitlines() if "Error: " in line]
        return {"failed": "".join(reasons[-1:])}
    measured: dict[str, Any] = json.loads(child.stdout)
    return measured


def _best(engine: str, kind: str, path: Path, runs: list[dict[str, Any]]) -> dict[str, Any]:
    if "failed" in runs[-1]:
        return {"engine": engine, "format": kind, "rows": None, **runs[-1]}
    best = min(runs, key=lambda measured: measured["seconds"])
    size = path.stat().st_size / MIB
    return {
        "engine": engine,
        "format": kind,
        "mib": size,
        **best,
        "rows_per_second": best["rows"] / best["seconds"],
        "mib_per_second": size / best["seconds"],
    }


def _print(results: list[dict[str, Any]]) -> None:
    print("| format | engine | MiB | rows | seconds | rows a second | peak memory, MiB | times as long as ours |")
    print("|---|---|---|---|---|---|---|---|")
    ours = {result["format"]: result.get("seconds") for result in results if result["engine"] == "graphwright"}
    for result in results:
        if result["rows"] is None:
            print(f"| {result['format']} | {result['engine']} | failed: {result['failed'][:100]} | | | | | |")
            continue
        print(
            f"| {result['format']} | {result['engine']} | {result['mib']:.1f} | {result['rows']:,} "
            f"| {result['seconds']:.2f} | {result['rows_per_second']:,.0f} | {result['peak_mib']:,.0f} "
            f"| {_ratio(result['seconds'], ours[result['format']])} |"
        )


def _ratio(seconds: float, ours: float | None) -> str:
    return "" if ours is None else f"{seconds / ours:.1f}"
