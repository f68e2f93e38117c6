"""What is wrong with a CSV file, by record and by physical line."""

from dataclasses import dataclass

from app.errors import CsvInvalidError, SourceLimitError
from app.sources.files.delimiters import advice, other_delimiter
from app.sources.foreign_keys import counted

_SHOWN = 80
_CLOSE = "Close the quoted field with a quote; a quote within it is written twice."


@dataclass(frozen=True, slots=True)
class Position:
    """A record, counted from 1 below the header, which is 0, and the offset of its first byte."""

    record: int
    offset: int


@dataclass(frozen=True, slots=True)
class CsvFault:
    """Makes the errors of one file; `content` is its text, from `start` on."""

    name: str
    content: bytes
    start: int
    delimiter: str

    def wrong_width(self, position: Position, fields: int, expected: int, header: str | None) -> CsvInvalidError:
        """A record with more or fewer fields than the header, or than the first record if `header` is None."""
        blank = ", for the line is blank" if fields == 1 and self._is_blank(position.offset) else ""
        origin = f"the header was taken from line 1: {header}" if header else "as in record 1, for header is false"
        return self._invalid(
            position,
            f"{counted(fields, 'field')}, {expected} expected{blank} ({origin})",
            hint=self._with_advice(
                "Each record needs as many fields as the first one. Quote fields that hold the delimiter, "
                "and remove lines above the header."
            ),
            fields=fields,
            expected=expected,
        )

    def never_closed(self, position: Position, opened: int) -> CsvInvalidError:
        """A quote that is open at the end of the file."""
        line = self._line(opened)
        return CsvInvalidError(
            f"{self.name}: the quote opened in {_named(position)} (line {line}) is never closed; 0 rows kept.",
            hint=_CLOSE,
            **self._at(position, line),
        )

    def endless(self, position: Position, opened: int, limit: int) -> SourceLimitError:
        """A quoted field over the limit, which most likely lacks its closing quote."""
        line = self._line(opened)
        return SourceLimitError(
            f"{self.name}: the quote opened in {_named(position)} (line {line}) is not closed within {limit:,} bytes, "
            "the most that a field may have.",
            hint=_CLOSE,
            **self._at(position, line),
            limit=limit,
        )

    def stray_quote(self, position: Position, offset: int) -> CsvInvalidError:
        """A quote within a field that does not begin with one."""
        return self._invalid(
            position,
            f"a quote within a field that is not quoted (in line {self._line(offset)})",
            hint=self._with_advice("Put the whole field in quotes, and write each quote within it twice."),
        )

    def early_close(self, position: Position, opened: int, offset: int) -> CsvInvalidError:
        """A quoted field that goes on after its closing quote."""
        follows = self.content[offset + 1 : offset + 5].decode(errors="ignore")[:1]
        where = f"opened in line {self._line(opened)} is closed in line {self._line(offset)}"
        return self._invalid(
            position,
            f"the quoted field {where} and followed by {follows!r}, not by the delimiter or the line's end",
            hint=self._with_advice("Write each quote within a quoted field twice."),
        )

    def bare_return(self, position: Position, offset: int) -> CsvInvalidError:
        """A carriage return outside quotes that no line feed follows."""
        return self._invalid(
            position,
            f"a carriage return without a line feed, outside quotes (in line {self._line(offset)})",
            hint="Save the file with line ends of LF or CR LF; quote fields that hold a carriage return.",
        )

    def long_field(self, position: Position, column: int, limit: int) -> SourceLimitError:
        """A field over the limit of bytes."""
        line = self._line(position.offset)
        return SourceLimitError(
            f"{self.name}, {_named(position)} (line {line}): field {column + 1} has more than {limit:,} bytes.",
            hint="Leave such contents out of the source, and keep a reference to them.",
            **self._at(position, line),
            limit=limit,
        )

    def _invalid(self, position: Position, problem: str, *, hint: str, **where: object) -> CsvInvalidError:
        line = self._line(position.offset)
        message = f"{self.name}, {_named(position)} (line {line}): {problem}."
        return CsvInvalidError(message, hint=hint, **self._at(position, line), **where)

    def _at(self, position: Position, line: int) -> dict[str, object]:
        return {"file": self.name, "record": position.record, "line": line}

    def _with_advice(self, hint: str) -> str:
        """The hint, after one about another delimiter that the file seems to have."""
        other = other_delimiter(self.content, self.start, self.delimiter)
        return hint if other is None else f"{advice(other)} Else {hint[0].lower()}{hint[1:]}"

    def _line(self, offset: int) -> int:
        return self.content.count(b"\n", self.start, offset) + 1

    def _is_blank(self, offset: int) -> bool:
        return self.content[offset : offset + 2].lstrip(b"\r").startswith(b"\n")


def _named(position: Position) -> str:
    return f"record {position.record}" if position.record else "the header"


def shown(text: str) -> str:
    """`text` in quotes, cut after a few words, and on one line."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return '"' + cut.replace("\r", "\\r").replace("\n", "\\n") + '"'
