"""The text of one file, and errors that say where in it they arose."""

from dataclasses import dataclass, field

from app.errors import CellInvalidError, SqlInvalidError, SqlUnsupportedError

_SHOWN = 60
_UNSUPPORTED_HINT = (
    "Of a dump, table definitions, keys and rows with literal values are read; functions, views and settings are left "
    "out. Load the dump into its database, and dump it again without whatever changes or computes rows."
)


@dataclass(frozen=True, slots=True)
class Script:
    """A file's text without its byte order mark; bytes that are not UTF-8 are surrogates, as in a binary literal."""

    name: str
    text: str
    _counted: list[int] = field(default_factory=lambda: [0, 1], init=False, repr=False, compare=False)
    """The offset whose line was asked for last, and that line: many errors in order take one walk over the text."""

    def line(self, at: int) -> int:
        """The line of a character offset, counted from 1."""
        start, line = self._counted if self._counted[0] <= at else (0, 1)
        self._counted[:] = at, line + self.text.count("\n", start, at)
        return self._counted[1]

    def shown(self, at: int) -> str:
        """The beginning of what stands at an offset, on one line."""
        part = " ".join(self.text[at : at + _SHOWN].split())
        return part.encode("utf-8", "replace").decode() or "the end of the text"

    def unsupported(
        self, at: int, reason: str, *, hint: str = _UNSUPPORTED_HINT, **where: object
    ) -> SqlUnsupportedError:
        """The refusal of a statement, or of a part of one, that cannot be read exactly."""
        line = self.line(at)
        message = f"{self.name}, line {line}: {reason}, at: {self.shown(at)}"
        return SqlUnsupportedError(message, hint=hint, file=self.name, line=line, **where)

    def invalid(self, at: int, reason: str, *, hint: str = "", **where: object) -> SqlInvalidError:
        """The error for a statement that its own database would refuse."""
        line = self.line(at)
        return SqlInvalidError(f"{self.name}, line {line}: {reason}.", hint=hint, file=self.name, line=line, **where)

    def bad_cell(
        self, at: int, complaint: str, *, hint: str, table: str, column: str, **where: object
    ) -> CellInvalidError:
        """The error for a cell, of a row at an offset, that cannot be kept."""
        line = self.line(at)
        message = f"{self.name}, line {line}: a cell of table {table}, column {column}, {complaint}."
        return CellInvalidError(message, hint=hint, file=self.name, line=line, table=table, column=column, **where)
