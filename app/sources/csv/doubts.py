"""Warnings of a CSV file that can be read, though hardly as it was meant."""

from collections.abc import Iterator

from app.sources.csv.faults import shown
from app.sources.csv.reader import CsvRows
from app.sources.files.delimiters import advice
from app.sources.relational_source import SourceWarning, WarningCode


def doubts_of(table: str, rows: CsvRows) -> Iterator[SourceWarning]:
    """The warnings of the table that was read so: about its only column, and about its header."""
    if rows.likely_delimiter is not None:
        message = f"Table {table} has one column, {shown(rows.names[0])}. {advice(rows.likely_delimiter)}"
        where = {"table": table, "delimiter": rows.likely_delimiter}
        yield SourceWarning(WarningCode.DELIMITER_DOUBTFUL, message, where)
    if rows.header_doubt is not None:
        message = (
            f"Table {table}: the first line, which names the columns, looks like a record, for {rows.header_doubt}. "
            "If it is one, set the option header to false."
        )
        yield SourceWarning(WarningCode.HEADER_DOUBTFUL, message, {"table": table})
