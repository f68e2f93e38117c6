"""A CSV or TXT file by itself, completed by options: its table's name and keys, and inline tables beside it.

A TXT file is a strict table if its fields are separated, else one record a line.
"""

import re
from typing import Any

import numpy as np
import pyarrow as pa

from app.budget import check_deadline
from app.errors import CsvHeaderInvalidError, CsvInvalidError, InvalidOptionError, NotAvailableError, SourceEmptyError
from app.sources.csv.reader import CsvRows, read_csv, too_many_rows
from app.sources.csv.scanner import CsvText
from app.sources.declared.assembly import assemble, parsed_csv
from app.sources.declared.options import Structure, TableOptions, TxtMode
from app.sources.files.input_file import InputFile
from app.sources.relational_source import RelationalSource, SourceKind
from app.tables.column import text_column

TEXT_COLUMN = "text"
"""The one column of a file that is read line by line."""

_VISIBLE = re.compile(r"\S")


def load_csv(file: InputFile, options: TableOptions) -> RelationalSource:
    """Read a CSV file; see `csv.reader` and `assembly` for what is refused."""
    structure = options.structure
    rows = read_csv(options.text_of(file), options.max_source_rows, structure.inline_rows)
    return _single_table(file, SourceKind.CSV, rows, structure)


def load_txt(file: InputFile, options: TableOptions) -> RelationalSource:
    """Read a TXT file as `txt_mode` and `delimiter` say.

    Raises `SourceEmptyError` if there is no text, `NotAvailableError` for entities, and what CSV tables raise.
    """
    _check_mode(options)
    text = options.text_of(file, "\t")
    _refuse_no_text(text)
    structure = options.structure
    rows = _table(text, options, structure.inline_rows)
    note = f"Read as a table separated by {text.delimiter!r}." if rows else "Read as one record a line."
    rows = rows or _lines(text, options.max_source_rows, structure.inline_rows)
    return _single_table(file, SourceKind.TXT, rows, structure, (note,))


def _check_mode(options: TableOptions) -> None:
    of_tables = options.given(("delimiter", "header"))
    if of_tables and options.txt_mode is not TxtMode.AUTO:
        raise InvalidOptionError(
            f"{of_tables[0]} and txt_mode={options.txt_mode} exclude each other: only a table has a {of_tables[0]}.",
            hint="Leave one of them out.",
            option=of_tables[0],
        )
    if options.txt_mode is TxtMode.ENTITIES:
        raise NotAvailableError(
            "txt_mode=entities is not available yet: a language model has to find the entities, and this version "
            "calls none.",
            hint="Use txt_mode=auto or txt_mode=lines.",
            option="txt_mode",
        )


def _refuse_no_text(text: CsvText) -> None:
    """Raise `SourceEmptyError` for a file of nothing but blanks."""
    if not _VISIBLE.search(text.content[text.start :].decode()):
        raise SourceEmptyError(
            f"{text.name}: the file has no text.", hint="Choose a file with at least one word.", file=text.name
        )


def _table(text: CsvText, options: TableOptions, used_rows: int) -> CsvRows | None:
    """The table of a delimiter that was asked for, or of tabs if the file is strictly one, with a row at least."""
    if options.delimiter is not None:
        return read_csv(text, options.max_source_rows, used_rows)
    if options.txt_mode is TxtMode.LINES or not _has_tab_in_first_line(text):
        return None
    try:
        rows = read_csv(text, options.max_source_rows, used_rows)
    except (CsvInvalidError, CsvHeaderInvalidError):
        return None
    return rows if rows.row_count else None


def _has_tab_in_first_line(text: CsvText) -> bool:
    end = text.content.find(b"\n", text.start)
    return text.content.find(b"\t", text.start, None if end < 0 else end) >= 0


def _lines(text: CsvText, max_rows: int, used_rows: int) -> CsvRows:
    """One record a line, blank ones included; LF, CR LF and CR end a line, as everywhere in text."""
    content = text.content[text.start :].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    content = content if content.endswith(b"\n") else content + b"\n"
    ends = np.flatnonzero(np.frombuffer(content, np.uint8) == ord("\n"))
    check_deadline()
    if used_rows + len(ends) > max_rows:
        raise too_many_rows(max_rows, text.name)
    return CsvRows((TEXT_COLUMN,), (text_column(_between(content, ends)),), len(ends))


def _between(content: bytes, ends: Any) -> Any:
    """The texts that end at these offsets, without the line feeds there."""
    kept = content.replace(b"\n", b"")
    offsets = np.concatenate([[0], ends - np.arange(len(ends))])
    return pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(kept))


def _single_table(
    file: InputFile, kind: SourceKind, rows: CsvRows, structure: Structure, notes: tuple[str, ...] = ()
) -> RelationalSource:
    """The source of one file's rows, with the tables that options add to it."""
    name = structure.table_name or file.name.rsplit(".", 1)[0] or file.name
    references = structure.references_of(name)
    own = parsed_csv(name, rows, structure.primary_key, references, structure.column_types, file.name)
    return assemble(kind, file.sha256(), file.size, [own, *structure.inline], notes)
