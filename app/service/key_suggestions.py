"""The use case of key suggestions: tables of files in, ranked candidates and a csv_bundle.v1 proposal out."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.budget import deadline
from app.datasets.sandbox import MIB, SandboxLimits, run_in_sandbox
from app.errors import InvalidOptionError, SourceEmptyError
from app.sources.csv.reader import checked_delimiter, csv_text, read_csv
from app.sources.input_file import InputFile
from app.sources.key_suggestions.model import KeySuggestions
from app.sources.key_suggestions.suggest import suggest_keys
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.tables.schema import ColumnSchema, TableSchema
from app.tables.table import Table

BUNDLE = "csv_bundle.v1"
DEFAULT_SECONDS = 60.0
MAX_SECONDS = 3_600.0

_TASK = "app.service.key_suggestions:suggest_document"
_MEMORY = 6 * 1024 * MIB
_CSV = (".csv", ".tsv")
_CSV_BYTES = 1024 * MIB
_CSV_ROWS = 10_000_000


def suggest(
    paths: Sequence[Path], *, threshold: float, delimiter: str | None = None, seconds: float = DEFAULT_SECONDS
) -> dict[str, Any]:
    """Candidates of at least `threshold` as JSON, with `proposal`, a csv_bundle.v1 schema, where all files are CSV.

    A folder stands for its CSV files. Half of the time at most goes into reading; the search ends when the time is up,
    and `complete` is false then.
    """
    if not 0 <= threshold <= 1:
        raise InvalidOptionError("threshold must be from 0 to 1.", option="threshold", value=threshold)
    if not 0 < seconds <= MAX_SECONDS:
        raise InvalidOptionError(
            f"max-seconds must be above 0 and at most {MAX_SECONDS:,.0f}.", option="max-seconds", value=seconds
        )
    argument = {
        "paths": [str(path.absolute()) for path in files_of(paths)],
        "threshold": threshold,
        "delimiter": delimiter,
        "seconds": seconds,
    }
    document: dict[str, Any] = run_in_sandbox(_TASK, argument, SandboxLimits(_MEMORY, 2 * seconds))
    return document


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files meant: of a folder its CSV files, by name."""
    return [file for path in paths for file in (_csv_files(path) if path.is_dir() else [path])]


def _csv_files(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in _CSV)
    if not found:
        raise SourceEmptyError(
            f"The folder {folder} holds no CSV files.", hint="Name the files themselves.", file=folder.name
        )
    return found


def suggest_document(argument: Mapping[str, Any]) -> dict[str, Any]:
    """`suggest` as a task for a process of its own."""
    paths, seconds = [Path(path) for path in argument["paths"]], argument["seconds"]
    all_csv = all(path.suffix.lower() in _CSV for path in paths)
    with deadline(seconds, "reading the tables", "--max-seconds"):
        tables = list(_csv_tables(paths, argument["delimiter"])) if all_csv else _declared_tables(paths)
    with deadline(seconds, "suggesting keys", "--max-seconds"):
        found = suggest_keys(tables, empty_is_missing=all_csv)
    document = {
        "threshold": argument["threshold"],
        "tables": len(tables),
        **found.above(argument["threshold"]).to_dict(),
    }
    if all_csv:
        document["proposal"] = proposal(paths, tables, found, argument["threshold"])
    return document


def _csv_tables(paths: Sequence[Path], delimiter: str | None) -> Iterator[Table]:
    budget, rows = _CSV_BYTES, _CSV_ROWS
    for path in paths:
        file = InputFile.open(path, budget)
        budget -= file.size
        sign = "\t" if delimiter is None and path.suffix.lower() == ".tsv" else delimiter
        content = read_csv(csv_text(file, checked_delimiter("," if sign is None else sign)), rows)
        rows -= content.row_count
        schema = TableSchema(path.stem, tuple(ColumnSchema(name) for name in content.names))
        yield Table(schema, dict(zip(content.names, content.columns, strict=True)), content.row_count)


def _declared_tables(paths: Sequence[Path]) -> list[Table]:
    """The tables of one source: a database, or the scripts of one."""
    options = SourceOptions.from_options({"resource_profile": "full_scale", "unsupported": "skip"})
    return list(load_source(paths, options).tables.values())


def proposal(
    paths: Sequence[Path], tables: Sequence[Table], found: KeySuggestions, threshold: float
) -> dict[str, object]:
    """A csv_bundle.v1 schema of these files with the keys that reach the threshold: to be looked over, not applied."""
    keys, references = found.best_primary_keys(threshold), found.likely_foreign_keys(threshold)
    return {
        "version": BUNDLE,
        "tables": [
            {
                "file_name": path.name,
                "name": table.schema.name,
                "columns": list(table.schema.column_names),
                "primary_key": list(keys[table.schema.name].columns) if table.schema.name in keys else [],
                "foreign_keys": [
                    {"columns": list(key.columns), "ref_table": key.ref_table, "ref_columns": list(key.ref_columns)}
                    for key in references
                    if key.table == table.schema.name
                ],
            }
            for path, table in zip(paths, tables, strict=True)
        ],
    }
