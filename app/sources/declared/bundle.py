"""csv_bundle.v1: several CSV files and the schema that names their tables and keys."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.errors import CsvSchemaInvalidError, SourceNotFoundError
from app.sources.csv.header import check_names
from app.sources.csv.reader import read_csv
from app.sources.declared.assembly import ParsedTable, assemble, parsed_csv
from app.sources.declared.json_models import BUNDLE_VERSION, BundleDocument, BundleTable, parsed
from app.sources.declared.options import TableOptions
from app.sources.files.formats import RESTORE
from app.sources.files.input_file import InputFile, check_joint_size
from app.sources.files.kinds import BUNDLE_SUFFIXES, suffix_of
from app.sources.relational_source import RelationalSource, SourceKind
from app.values import canonical_sha256, fold_identifier

SCHEMA_FILE = "csv_schema.json"
"""The schema of a folder that holds a bundle."""

MAX_SCHEMA_BYTES = 8 * 1024 * 1024


def parse_bundle(document: object) -> BundleDocument:
    """A csv_schema; `CsvSchemaInvalidError` for anything but a valid csv_bundle.v1."""
    if not isinstance(document, Mapping):
        raise _invalid("", "it must be a JSON object")
    bundle = parsed(BundleDocument, document, _invalid)
    _check_unique("file_name", [table.file_name for table in bundle.tables])
    _check_unique("name", [table.name for table in bundle.tables])
    for position, table in enumerate(bundle.tables):
        if not is_plain_name(table.file_name):
            raise _invalid(
                f"tables.{position}.file_name", f"{table.file_name!r} is not a plain name of a CSV or TXT file"
            )
        check_names(tuple(table.columns), f"csv_schema, table {table.name}")
    return bundle


def is_plain_name(name: str) -> bool:
    """Whether a name can be a CSV or TXT file's own, on any system: no folder, no control character, not hidden."""
    plain = name.isprintable() and not set(name) & set('/\\:*?"<>|') and name[:1] != "."
    return plain and len(name.encode()) <= 255 and suffix_of(name) in BUNDLE_SUFFIXES


def bundle_sha256(document: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """The digest of a bundle: of its schema, and of the SHA-256 of each file by name."""
    return canonical_sha256({"csv_schema": document, "files": files})


def load_bundle_folder(folder: Path, options: TableOptions) -> RelationalSource:
    """Read a folder with its CSV files and `csv_schema.json`, or with the option csv_schema instead of that file."""
    kept = folder / SCHEMA_FILE
    document = options.csv_schema
    if document is None:
        document = schema_of_folder(folder)
    elif kept.exists():
        raise _invalid("", f"{folder.name} has a {SCHEMA_FILE} of its own, which options cannot override")
    bundle = parse_bundle(document)
    unused = _unused_files(folder, bundle)
    notes = (f"Not part of the csv_schema, and not read: {', '.join(unused)}.",) if unused else ()
    paths = {table.file_name: folder / table.file_name for table in bundle.tables}
    return _load(document, bundle, paths, options, notes)


def load_bundle_files(paths: Sequence[Path], options: TableOptions) -> RelationalSource:
    """Read these files by the option csv_schema, which declares each of them."""
    if options.csv_schema is None:
        raise CsvSchemaInvalidError(
            f"{len(paths)} CSV files need a csv_schema that names their tables and keys.",
            hint="graphwright suggest-keys FILES --write csv_schema.json proposes one; "
            "pass it with --option csv_schema=@csv_schema.json",
        )
    bundle = parse_bundle(options.csv_schema)
    check_file_names(bundle, [path.name for path in paths])
    return _load(options.csv_schema, bundle, {path.name: path for path in paths}, options)


def check_file_names(bundle: BundleDocument, names: Sequence[str]) -> None:
    """Raise `CsvSchemaInvalidError` unless these are the files that the schema declares, each once."""
    _check_unique("file", names)
    declared = [table.file_name for table in bundle.tables]
    for name in names:
        if name not in declared:
            raise _invalid("tables", f"no table is declared for {name}", file=name)
    for name in declared:
        if name not in names:
            raise _invalid("tables", f"the file {name} is declared and not given", file=name)


def read_schema(content: bytes) -> Any:
    """The JSON of a csv_schema file; `CsvSchemaInvalidError` if it is not one."""
    if len(content) > MAX_SCHEMA_BYTES:
        raise _invalid("", f"it has more than {MAX_SCHEMA_BYTES:,} bytes")
    try:
        return json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _invalid("", f"it is not JSON in UTF-8 ({error})") from error


def schema_of_folder(folder: Path) -> Any:
    """The JSON of a folder's csv_schema file; `SourceNotFoundError` if it has none."""
    path = folder / SCHEMA_FILE
    try:
        return read_schema(InputFile.open(path, MAX_SCHEMA_BYTES).content())
    except SourceNotFoundError as error:
        is_archive = (folder / "toc.dat").exists()
        raise SourceNotFoundError(
            f"The folder {folder} has no {SCHEMA_FILE} that can be read.",
            hint=RESTORE.format(name=folder)
            if is_archive
            else f"A folder of CSV files needs a {SCHEMA_FILE} in it, or the option csv_schema=@FILE.",
            file=path.name,
        ) from error


def _unused_files(folder: Path, bundle: BundleDocument) -> list[str]:
    declared = {table.file_name for table in bundle.tables}
    names = sorted(path.name for path in folder.iterdir() if suffix_of(path.name) in BUNDLE_SUFFIXES)
    return [name for name in names if name not in declared]


def _load(
    document: Mapping[str, Any],
    bundle: BundleDocument,
    paths: Mapping[str, Path],
    options: TableOptions,
    notes: Sequence[str] = (),
) -> RelationalSource:
    limit = options.max_source_bytes
    files = [InputFile.open(paths[table.file_name], limit, may_be_empty=True) for table in bundle.tables]
    check_joint_size(files, limit)
    tables: list[ParsedTable] = []
    rows = 0
    for table, file in zip(bundle.tables, files, strict=True):
        tables.append(_parsed_table(table, file, options, rows))
        rows += tables[-1].row_count
    digests = {file.name: file.sha256() for file in files}
    digest, size = bundle_sha256(document, digests), sum(file.size for file in files)
    return assemble(SourceKind.CSV_BUNDLE, digest, size, tables, notes)


def _parsed_table(table: BundleTable, file: InputFile, options: TableOptions, used_rows: int) -> ParsedTable:
    rows = read_csv(options.text_of(file), options.max_source_rows, used_rows)
    if not options.header:
        rows = replace(rows, names=(*table.columns, *rows.names[len(table.columns) :])[: len(rows.names)])
    if rows.names != tuple(table.columns):
        raise _other_header(table, rows.names)
    references = tuple(key.of_table(table.name) for key in table.foreign_keys)
    return parsed_csv(table.name, rows, tuple(table.primary_key), references, {}, file.name)


def _other_header(table: BundleTable, header: tuple[str, ...]) -> CsvSchemaInvalidError:
    for position, (declared, found) in enumerate(zip(table.columns, header, strict=False), start=1):
        if declared != found:
            problem = f'column {position} is "{found}" in the header and "{declared}" in the schema'
            break
    else:
        problem = f"the file has {len(header)} columns and the schema {len(table.columns)}"
    return _invalid(f"table {table.name}", f"{table.file_name}: {problem}", file=table.file_name, table=table.name)


def _check_unique(what: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if fold_identifier(name) in seen:
            raise _invalid("tables", f"the {what} {name} is there twice")
        seen.add(fold_identifier(name))


def _invalid(path: str, problem: str, **where: object) -> CsvSchemaInvalidError:
    at = f", {path}" if path else ""
    hint = f'A csv_schema is {{"version": "{BUNDLE_VERSION}", "tables": [{{"file_name", "name", "columns", …}}]}}.'
    return CsvSchemaInvalidError(f"csv_schema{at}: {problem}.", hint=hint, **where)
