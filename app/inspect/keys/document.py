"""Suggestions as JSON: ranked candidates of the tables of files, and a csv_bundle.v1 schema with the best ones."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.budget import deadline
from app.inspect.keys.model import KeySuggestions
from app.inspect.keys.suggest import suggest_keys
from app.sources.csv.reader import checked_delimiter, csv_text, read_csv
from app.sources.files.input_file import InputFile
from app.sources.files.kinds import own_delimiter
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.tables.schema import ColumnSchema, TableSchema
from app.tables.table import Table

BUNDLE = "csv_bundle.v1"

_CSV_BYTES = 1024 * 1024 * 1024
_CSV_ROWS = 10_000_000


def suggestion_document(argument: Mapping[str, Any]) -> dict[str, Any]:
    """The suggestions for the files at `paths` as JSON, from and to JSON: a task for a process of its own.

    Half of `seconds` at most goes into reading; with `all_csv` a `proposal` comes with them.
    """
    paths, delimiter = [Path(path) for path in argument["paths"]], argument["delimiter"]
    seconds, all_csv = argument["seconds"], argument["all_csv"]
    with deadline(seconds, "reading the tables", "--max-seconds"):
        tables = list(_csv_tables(paths, delimiter)) if all_csv else _declared_tables(paths, delimiter)
    with deadline(seconds, "suggesting keys", "--max-seconds"):
        found = suggest_keys(tables, empty_is_missing=all_csv)
    document = {
        "threshold": argument["threshold"],
        "tables": len(tables),
        **found.to_dict(argument["threshold"]),
    }
    if all_csv:
        document["proposal"] = proposal(paths, tables, found, argument["threshold"])
    return document


def _csv_tables(paths: Sequence[Path], delimiter: str | None) -> Iterator[Table]:
    budget, rows = _CSV_BYTES, _CSV_ROWS
    for path in paths:
        file = InputFile.open(path, budget)
        budget -= file.size
        sign = own_delimiter(path.name) if delimiter is None else checked_delimiter(delimiter)
        content = read_csv(csv_text(file, sign), rows)
        rows -= content.row_count
        schema = TableSchema(path.stem, tuple(ColumnSchema(name) for name in content.names))
        yield Table(schema, dict(zip(content.names, content.columns, strict=True)), content.row_count)


def _declared_tables(paths: Sequence[Path], delimiter: str | None) -> list[Table]:
    """The tables of one source: a database, or the scripts of one, which have no use for a delimiter."""
    given = {"resource_profile": "full_scale", "unsupported": "skip", "delimiter": delimiter}
    options = SourceOptions.from_options(given)
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
