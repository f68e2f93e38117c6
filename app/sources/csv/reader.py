"""CSV text becomes columns of text, exactly, or an error names the record that breaks the rules."""

from dataclasses import dataclass

from app.errors import InvalidOptionError, SourceLimitError
from app.sources.csv.columns import block_columns
from app.sources.csv.faults import shown
from app.sources.csv.header import header_doubt, header_names, no_header
from app.sources.csv.scanner import BLOCK_BYTES, Block, CsvText, check_fields
from app.sources.files.delimiters import likely_delimiter
from app.sources.files.input_file import InputFile
from app.sources.files.utf8 import text_start
from app.tables.column import Column, Kind, concatenated, null_column

_LOOKED_AT = 100
"""Rows of a file with one column in which another delimiter is looked for."""

_NO_DELIMITERS = frozenset('"\r\n\0')


@dataclass(frozen=True, eq=False, slots=True)
class CsvRows:
    """The columns of a CSV file in order; all are text without NULLs.

    `likely_delimiter` is another one that seems to separate the fields of a file with one column; `header_doubt` says
    why the header looks like a record.
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    row_count: int
    likely_delimiter: str | None = None
    header_doubt: str | None = None


def csv_text(file: InputFile, delimiter: str = ",", *, has_header: bool = True) -> CsvText:
    """The checked text of a file; see `utf8.text_start` for what is refused."""
    content = file.content()
    return CsvText(file.name, content, text_start(content, file.name), delimiter, has_header)


def read_csv(text: CsvText, max_rows: int, used_rows: int = 0, block_bytes: int = BLOCK_BYTES) -> CsvRows:
    """All rows below the header, if any; rows are counted before they are kept, beside `used_rows` of other tables.

    Raises `CsvInvalidError`, `CsvHeaderInvalidError`, `SourceEmptyError` without a record, and `SourceLimitError`
    with more than `max_rows` rows.
    """
    rows = _Rows(text)
    for block in text.blocks(block_bytes):
        rows.add(block)
        if used_rows + rows.count > max_rows:
            raise too_many_rows(max_rows, text.name)
        rows.keep()
    return rows.finished()


def first_rows(text: CsvText, count: int) -> CsvRows:
    """The first `count` rows, or all if there are fewer; what comes after their block is not read."""
    rows = _Rows(text)
    for block in text.blocks():
        rows.add(block, most=count - rows.count)
        rows.keep()
        if rows.count >= count:
            break
    return rows.finished()


def row_count(text: CsvText) -> int:
    """The number of rows; raises as `read_csv` does."""
    rows = _Rows(text)
    for block in text.blocks():
        rows.add(block)
    return rows.count


class _Rows:
    """Collects the columns of a file block by block; blank lines at its end are rows of a single column only."""

    def __init__(self, text: CsvText) -> None:
        self._text = text
        self._end = text.blank_end
        self._names: tuple[str, ...] = ()
        self._header: str | None = None
        self._parts: list[list[Column]] = []
        self._block: Block | None = None
        self.count = 0

    def add(self, block: Block, most: int | None = None) -> None:
        """Check a block (or its first `most` rows) and count its rows; `keep` makes columns of them."""
        if not self._names:
            self._names = header_names(self._text, block)
            if self._text.has_header:
                self._header = shown(self._text.delimiter.join(self._names))
                block = block.after(1)
        if len(self._names) > 1:
            block = block.until(self._end)
        if most is not None:
            block = block.after(0, most)
        check_fields(self._text, block, len(self._names), self.count + 1, self._header)
        self.count += block.record_count
        self._block = block

    def keep(self) -> None:
        """Make columns of the block that was added last."""
        if self._block is not None and self._block.record_count:
            self._parts.append(block_columns(self._block, len(self._names)))

    def finished(self) -> CsvRows:
        if not self._names:
            raise no_header(self._text)
        columns = [concatenated(parts) for parts in zip(*self._parts, strict=True)] or self._no_rows()
        doubt = header_doubt(self._names, columns) if self._text.has_header else None
        return CsvRows(self._names, tuple(columns), self.count, self._likely_delimiter(columns), doubt)

    def _likely_delimiter(self, columns: list[Column]) -> str | None:
        if len(columns) > 1:
            return None
        cells = (str(columns[0].cell(row)) for row in range(min(self.count, _LOOKED_AT)))
        first = self._names[0] if self._text.has_header else next(cells, "")
        return likely_delimiter(first, cells, self._text.delimiter)

    def _no_rows(self) -> list[Column]:
        return [null_column(0, Kind.TEXT) for _ in self._names]


def too_many_rows(limit: int, name: str | None = None) -> SourceLimitError:
    """The error for a source with more rows than allowed."""
    return SourceLimitError(
        f"The source has more than {limit:,} rows, the limit in force.",
        hint="Raise max_source_rows, or choose resource_profile=full_scale.",
        file=name,
        limit=limit,
    )


def checked_delimiter(value: object) -> str:
    """`value` as a delimiter: one ASCII character that is not a quote, a line end or NUL; else `InvalidOptionError`."""
    if isinstance(value, str) and len(value) == 1 and value.isascii() and value not in _NO_DELIMITERS:
        return value
    raise InvalidOptionError(
        "delimiter must be one ASCII character other than a quote or a line end.",
        hint='For example ";" or a tab ("\\t" in JSON).',
        option="delimiter",
        value=str(value)[:100],
    )
