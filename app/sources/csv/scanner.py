"""Finds the fields and records of CSV text by RFC 4180, many megabytes at a time.

A byte is inside quotes when an odd number of quotes precedes it, so separators outside quotes are found by counting.
The count is right if every quote is one that the RFC allows: an opening quote after a separator or as the second
of two, a closing one before a separator or as the first of two. Both are checked on whole blocks of bytes; the first
quote that stands elsewhere is an error.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

import numpy as np
import numpy.typing as npt

from app.budget import check_deadline
from app.errors import CsvInvalidError, SourceLimitError
from app.sources.csv.faults import CsvFault, Position
from app.tables.dictionary import BoolArray, IntArray

Bytes = npt.NDArray[np.uint8]

QUOTE, LINE_FEED, CARRIAGE_RETURN = b'"\n\r'

MAX_FIELD_BYTES = 16 * 1024 * 1024
MAX_COLUMNS = 2_000
"""As many as SQLite, against which queries are checked, allows in a table."""

BLOCK_BYTES = 4 * 1024 * 1024
_TAIL = 4096


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Whole records between two offsets of `content`.

    `separators` are the offsets of the delimiter or line feed after each field, shape (fields,); `line_ends` are the
    positions of those among them that end a record, shape (records,).
    """

    content: bytes
    start: int
    separators: IntArray
    line_ends: IntArray

    @property
    def end(self) -> int:
        """The offset after the last record."""
        return int(self.separators[-1]) + 1

    @property
    def record_count(self) -> int:
        """How many records there are."""
        return len(self.line_ends)

    def after(self, records: int, end: int | None = None) -> "Block":
        """The block without its first `records` records, and without those from the record `end` on."""
        first = int(self.line_ends[records - 1]) + 1 if records else 0
        line_ends = self.line_ends[records:end]
        last = int(line_ends[-1]) + 1 if len(line_ends) else first
        start = int(self.separators[first - 1]) + 1 if first else self.start
        return Block(self.content, start, self.separators[first:last], line_ends - first)

    def until(self, offset: int) -> "Block":
        """The block without the records that begin at `offset` or after it."""
        if not len(self.separators) or self.end <= offset:
            return self
        kept = np.searchsorted(self.separators[self.line_ends], offset)
        return self.after(0, int(kept))

    def record_start(self, record: int) -> int:
        """The offset of the first byte of a record."""
        return int(self.separators[self.line_ends[record - 1]]) + 1 if record else self.start


@dataclass(frozen=True, slots=True)
class CsvText:
    """Checked UTF-8 text of a file called `name`, without NULs: see `utf8.text_start`, which gives `start`.

    Without `has_header` the first record is one like the others.
    """

    name: str
    content: bytes
    start: int
    delimiter: str = ","
    has_header: bool = True

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
        """All records in order, in blocks of about `block_bytes`; a last line needs no line end.

        Raises `CsvInvalidError` for quotes and carriage returns that RFC 4180 does not allow.
        """
        if self.start >= len(self.content):
            return
        whole = self.content.endswith(b"\n")
        text = self if whole else replace(self, content=self.content + b"\n")
        yield from _RecordFinder(text, block_bytes).blocks()

    @property
    def blank_end(self) -> int:
        """The offset after the last line that is not blank, and after the line feed that ends it or would end it."""
        last = self.content.find(b"\n", _end_without_lines(self.content))
        is_blank = b"\r" not in (self.content[last + 1 :] + b"\n").replace(b"\r\n", b"\n")
        return last + 1 if last >= 0 and is_blank else len(self.content) + 1


def _end_without_lines(content: bytes) -> int:
    """The length of `content` without the line ends at its end, of which no copy is made."""
    end = len(content)
    while end:
        start = max(0, end - _TAIL)
        rest = content[start:end].rstrip(b"\r\n")
        if rest:
            return start + len(rest)
        end = start
    return 0


class _Kind(Enum):
    STRAY_QUOTE = auto()
    EARLY_CLOSE = auto()
    BARE_RETURN = auto()


@dataclass(frozen=True, slots=True)
class _Fault:
    """A byte that RFC 4180 does not allow there; `offset` counts from the start of the scanned range."""

    offset: int
    kind: _Kind


class _RecordFinder:
    def __init__(self, text: CsvText, block_bytes: int) -> None:
        self._text = text
        self._bytes: Bytes = np.frombuffer(text.content, np.uint8)
        self._block_bytes = block_bytes
        self._delimiter = ord(text.delimiter)
        self._fault = CsvFault(text.name, text.content, text.start, text.delimiter)
        self._has_quotes, self._has_returns = (byte in text.content for byte in (b'"', b"\r"))
        self._records = 0 if text.has_header else 1

    def blocks(self) -> Iterator[Block]:
        start, size = self._text.start, len(self._bytes)
        while start < size:
            block = self._next(start, size)
            yield block
            self._records += block.record_count
            start = block.end

    def _next(self, start: int, size: int) -> Block:
        """The block from `start`, taken longer until a record ends in it."""
        length = self._block_bytes
        while True:
            check_deadline()
            end = min(start + length, size)
            block, opened = self._scanned(start, end)
            if block.record_count:
                return block
            if opened is not None and (end == size or end - opened > MAX_FIELD_BYTES):
                raise self._never_closed(block, opened, whole=end == size)
            length *= 2

    def _scanned(self, start: int, end: int) -> tuple[Block, int | None]:
        """The whole records in a range before a fault, and the offset of a quote that is still open at its end.

        Raises the fault if no record ends before it.
        """
        view = self._bytes[start:end]
        quotes = np.flatnonzero(view == QUOTE) if self._has_quotes else np.empty(0, np.int64)
        separators = np.flatnonzero((view == self._delimiter) | (view == LINE_FEED))
        separators = _outside(quotes, separators)
        line_ends = np.flatnonzero(view[separators] == LINE_FEED)
        faults = [fault for fault in self._faults(view, quotes) if fault is not None]
        if faults:
            fault = min(faults, key=lambda found: found.offset)
            line_ends = line_ends[separators[line_ends] < fault.offset]
            if not len(line_ends):
                raise self._error(fault, start, quotes)
        last = int(line_ends[-1]) + 1 if len(line_ends) else 0
        block = Block(self._text.content, start, separators[:last] + start, line_ends)
        return block, start + _last_opening(quotes) if len(quotes) % 2 else None

    def _faults(self, view: Bytes, quotes: IntArray) -> Iterator["_Fault | None"]:
        """The first fault of each kind: a quote that neither begins nor ends a field, a return without line feed."""
        opening, closing = quotes[0::2], quotes[1::2]
        before = view[np.maximum(opening - 1, 0)]
        begins = self._separates(before) | (before == QUOTE) | (opening == 0)
        yield _first(opening[~begins], _Kind.STRAY_QUOTE)
        yield _first(closing[~self._ends_field(view, closing)], _Kind.EARLY_CLOSE)
        if self._has_returns:
            returns = np.flatnonzero(view == CARRIAGE_RETURN)
            last = len(view) - 1
            bare = returns[(view[np.minimum(returns + 1, last)] != LINE_FEED) & (returns < last)]
            yield _first(_outside(quotes, bare), _Kind.BARE_RETURN)

    def _error(self, fault: "_Fault", start: int, quotes: IntArray) -> CsvInvalidError:
        position, offset = Position(self._records, start), start + fault.offset
        if fault.kind is _Kind.STRAY_QUOTE:
            return self._fault.stray_quote(position, offset)
        if fault.kind is _Kind.BARE_RETURN:
            return self._fault.bare_return(position, offset)
        opened = start + _last_opening(quotes[quotes < fault.offset])
        return self._fault.early_close(position, opened, offset)

    def _separates(self, found: Bytes) -> BoolArray:
        return np.asarray((found == self._delimiter) | (found == LINE_FEED))

    def _ends_field(self, view: Bytes, closing: IntArray) -> BoolArray:
        """Whether a separator, CR LF or another quote follows; what the view does not show is left for later."""
        last = len(view) - 1
        next_byte, second = view[np.minimum(closing + 1, last)], view[np.minimum(closing + 2, last)]
        line_end = (next_byte == CARRIAGE_RETURN) & ((second == LINE_FEED) | (closing + 2 > last))
        return np.asarray(self._separates(next_byte) | (next_byte == QUOTE) | line_end | (closing + 1 > last))

    def _never_closed(self, block: Block, opened: int, *, whole: bool) -> CsvInvalidError | SourceLimitError:
        start = Position(self._records, block.start)
        return self._fault.never_closed(start, opened) if whole else self._fault.endless(start, opened, MAX_FIELD_BYTES)


def _first(offsets: IntArray, kind: _Kind) -> _Fault | None:
    return _Fault(int(offsets[0]), kind) if len(offsets) else None


def _outside(quotes: IntArray, offsets: IntArray) -> IntArray:
    """Those of ascending offsets before which an even number of quotes stands."""
    return offsets[(np.searchsorted(quotes, offsets) & 1) == 0] if len(quotes) else offsets


def _last_opening(quotes: IntArray) -> int:
    """The offset of the quote that opened the field in which an odd number of quotes ends."""
    opening = quotes[0::2]
    begins = np.ones(len(opening), np.bool_)
    begins[1:] = opening[1:] - 1 != quotes[1:-1:2]
    return int(opening[begins][-1])


def check_fields(text: CsvText, block: Block, columns: int, first_record: int, header: str | None) -> None:
    """Raise for the first record with more or fewer fields than the first one, or with a field over the limit.

    `first_record` is the number of the block's first record, counted from 1; `header` is shown in the message.
    """
    fault = CsvFault(text.name, block.content, text.start, text.delimiter)
    widths = np.diff(block.line_ends, prepend=-1)
    wrong = np.flatnonzero(widths != columns)
    if len(wrong):
        position = Position(first_record + int(wrong[0]), block.record_start(int(wrong[0])))
        raise fault.wrong_width(position, int(widths[wrong[0]]), columns, header)
    sizes: npt.NDArray[Any] = np.diff(block.separators, prepend=block.start - 1) - 1
    if len(sizes) and sizes.max() > MAX_FIELD_BYTES:
        record, column = divmod(int(np.argmax(sizes)), columns)
        position = Position(first_record + record, block.record_start(record))
        raise fault.long_field(position, column, MAX_FIELD_BYTES)
