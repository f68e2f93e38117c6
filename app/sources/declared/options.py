"""The options that say how CSV and TXT files are read and completed; checked whole before anything is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from app.errors import InvalidOptionError
from app.sources.csv.reader import checked_delimiter, csv_text
from app.sources.csv.scanner import CsvText
from app.sources.declared.assembly import ParsedTable
from app.sources.declared.inline_tables import parse_inline
from app.sources.declared.json_models import StructureDocument, parsed
from app.sources.files.input_file import InputFile
from app.sources.files.kinds import own_delimiter
from app.sources.foreign_keys import DeclaredReference

STRUCTURE = ("table_name", "primary_key", "foreign_keys", "column_types", "tables")


_LIMITS = frozenset({"max_source_bytes", "max_source_rows"})


class TxtMode(StrEnum):
    """`auto`: a strict tab-separated table, else lines; `lines`: a record a line; `entities`: by a language model."""

    AUTO = "auto"
    LINES = "lines"
    ENTITIES = "entities"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """Options as they were given, None if they were not; see `structure` for what is in the JSON ones.

    `max_source_bytes` and `max_source_rows` are limits of all files of a source together.
    """

    max_source_bytes: int
    max_source_rows: int
    table_name: str | None = None
    primary_key: Sequence[str] | None = None
    foreign_keys: Sequence[Mapping[str, Any]] | None = None
    column_types: Mapping[str, str] | None = None
    tables: Sequence[Mapping[str, Any]] | None = None
    delimiter: str | None = None
    header: bool = True
    txt_mode: TxtMode = TxtMode.AUTO
    csv_schema: Mapping[str, Any] | None = None

    @property
    def structure(self) -> "Structure":
        """The table options with their JSON parsed."""
        return structure_of({name: getattr(self, name) for name in STRUCTURE})

    def text_of(self, file: InputFile, delimiter: str | None = None) -> CsvText:
        """The checked text of a file; without an option `delimiter` separates its fields, or what its name says."""
        return csv_text(file, self.delimiter or delimiter or own_delimiter(file.name), has_header=self.header)

    def given(self, names: Sequence[str]) -> list[str]:
        """Those of these options that were given, and not as their default."""
        defaults = {field.name: field.default for field in fields(self)}
        return [name for name in names if getattr(self, name) != defaults[name]]


@dataclass(frozen=True, eq=False, slots=True)
class Structure:
    """What options declare of a single file's table, and the tables that they add to it."""

    table_name: str | None
    primary_key: Sequence[str] | None
    column_types: Mapping[str, str]
    inline: tuple[ParsedTable, ...]
    document: StructureDocument

    @property
    def inline_rows(self) -> int:
        """How many rows the inline tables have."""
        return sum(table.row_count for table in self.inline)

    def references_of(self, table: str) -> tuple[DeclaredReference, ...]:
        """The foreign keys of the file's table, which is called `table`."""
        return tuple(key.of_table(table) for key in self.document.foreign_keys or ())


def structure_of(options: Mapping[str, Any]) -> Structure:
    """The parsed table options; `InvalidOptionError`, or the error of an inline cell."""
    given = {name: options[name] for name in STRUCTURE if options.get(name) is not None}
    document = parsed(StructureDocument, given, _invalid)
    inline = tuple(parse_inline(table) for table in document.tables or ())
    return Structure(document.table_name, document.primary_key, document.column_types or {}, inline, document)


def checked_table_options(options: Mapping[str, object]) -> dict[str, Any]:
    """The given values of `TableOptions` by name, but for its limits; None is as good as left out."""
    names = {field.name for field in fields(TableOptions)} - _LIMITS
    given: dict[str, Any] = {name: options[name] for name in names if options.get(name) is not None}
    structure_of(given)
    if "delimiter" in given:
        checked_delimiter(given["delimiter"])
    if not isinstance(given.get("header", True), bool):
        raise _invalid("header", "it must be true or false")
    if "txt_mode" in given:
        given["txt_mode"] = _txt_mode(given["txt_mode"])
    if "csv_schema" in given and not isinstance(given["csv_schema"], Mapping):
        raise _invalid("csv_schema", "it must be a JSON object; use @FILE for a file that holds it")
    return given


def _txt_mode(value: object) -> TxtMode:
    if isinstance(value, str) and value in set(TxtMode):
        return TxtMode(value)
    raise _invalid("txt_mode", "it must be auto, lines or entities")


def _invalid(path: str, problem: str) -> InvalidOptionError:
    return InvalidOptionError(f"Option {path}: {problem}.", option=path.split(".", 1)[0], at=path)
