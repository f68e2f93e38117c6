"""A single CSV file, completed by options: its table's name and keys, and inline tables beside it."""

from app.sources.assembly import Origin, ParsedTable, assemble, parsed_csv
from app.sources.csv.reader import CsvRows, csv_text, read_csv
from app.sources.input_file import InputFile
from app.sources.kinds import own_delimiter
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, SourceKind
from app.sources.table_options import Structure


def load_csv(file: InputFile, options: SourceOptions) -> RelationalSource:
    """Read a CSV file; see `csv.reader` and `assembly` for what is refused."""
    delimiter = options.delimiter or own_delimiter(file.name)
    structure = options.structure
    rows = read_csv(csv_text(file, delimiter), options.max_source_rows, inline_rows(structure))
    return single_table(file, SourceKind.CSV, rows, structure)


def single_table(
    file: InputFile, kind: SourceKind, rows: CsvRows, structure: Structure, notes: tuple[str, ...] = ()
) -> RelationalSource:
    """The source of one file's rows, with the tables that options add to it."""
    name = structure.table_name or file.name.rsplit(".", 1)[0] or file.name
    references = structure.references_of(name)
    own = parsed_csv(name, rows, structure.primary_key, references, structure.column_types, file=file.name)
    tables: list[ParsedTable] = [own, *structure.inline]
    return assemble(Origin(kind, file.sha256(), file.size), tables, notes)


def inline_rows(structure: Structure) -> int:
    """How many rows the inline tables have."""
    return sum(table.row_count for table in structure.inline)
