"""Scripts in a form that can be written down, and made smaller piece by piece."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, a comment or a client's command, as it is written."""

    written: str

    def text(self) -> str:
        return self.written


@dataclass(frozen=True, slots=True)
class Definition:
    """CREATE TABLE; `entries` are columns by name, and constraints under the name ""."""

    table: str
    entries: tuple[tuple[str, str], ...]
    head: str = "CREATE TABLE"
    tail: str = ""

    def text(self) -> str:
        lines = ",\n  ".join(text for _, text in self.entries)
        return f"{self.head} {self.table} (\n  {lines}\n){self.tail};"

    def without(self, place: int) -> "Definition":
        return replace(self, entries=self.entries[:place] + self.entries[place + 1 :])

    def place_of(self, column: str) -> int:
        return [name for name, _ in self.entries].index(column)


@dataclass(frozen=True, slots=True)
class Rows:
    """INSERT, or COPY with its lines; `columns` is None where none are named, and fields are as they are written."""

    table: str
    columns: tuple[str, ...] | None
    rows: tuple[tuple[str, ...], ...]
    head: str = "INSERT INTO"
    tail: str = ""

    def text(self) -> str:
        names = "" if self.columns is None else f" ({', '.join(self.columns)})"
        if self.head == "COPY":
            lines = ["\t".join(row) for row in self.rows]
            return "\n".join([f"COPY {self.table}{names} FROM stdin;", *lines, "\\."])
        values = ",\n".join(f"({', '.join(row)})" for row in self.rows)
        return f"{self.head} {self.table}{names} VALUES {values}{self.tail};"

    def smaller(self) -> Iterator["Rows"]:
        """With fewer rows: halves first, then one by one."""
        size = len(self.rows) // 2
        while size >= 1:
            for at in range(0, len(self.rows), size):
                yield replace(self, rows=self.rows[:at] + self.rows[at + size :])
            size //= 2

    def without(self, definition: Definition, column: str) -> "Rows":
        """Without the fields of a column of the table."""
        if self.columns is None:
            place = definition.place_of(column)
        elif column in self.columns:
            place = self.columns.index(column)
        else:
            return self
        names = self.columns and self.columns[:place] + self.columns[place + 1 :]
        return replace(self, columns=names, rows=tuple(row[:place] + row[place + 1 :] for row in self.rows))


Piece = Statement | Definition | Rows


@dataclass(frozen=True, slots=True)
class Script:
    """Pieces in their order; `encoding` is that of the file, `session` how the server begins it.

    `before` and `after` stay when the script is made smaller: a header, the ends of a transaction.
    """

    pieces: tuple[Piece, ...]
    encoding: str = "utf-8"
    session: Mapping[str, str] = field(default_factory=dict)
    before: str = ""
    after: str = ""

    def text(self) -> bytes:
        lines = [self.before, *(piece.text() for piece in self.pieces), self.after]
        return ("\n".join(line for line in lines if line) + "\n").encode(self.encoding, "replace")

    def without_lines(self, lines: Sequence[int]) -> "Script":
        """The script without the pieces that hold these lines (from 1)."""
        kept: list[Piece] = []
        line, unwanted = 1 + self.before.count("\n") + bool(self.before), set(lines)
        for piece in self.pieces:
            height = piece.text().count("\n") + 1
            if unwanted.isdisjoint(range(line, line + height)):
                kept.append(piece)
            line += height
        return replace(self, pieces=tuple(kept))

    def smaller(self) -> Iterator["Script"]:
        """Scripts that lack one thing: many pieces first, then single ones, then columns, constraints and rows."""
        size = len(self.pieces) // 2
        while size >= 1:
            for at in range(0, len(self.pieces), size):
                yield replace(self, pieces=self.pieces[:at] + self.pieces[at + size :])
            size //= 2
        for piece in self.pieces:
            if isinstance(piece, Definition):
                yield from (self._without_entry(piece, place) for place in range(len(piece.entries)))
                yield self._with(piece, replace(piece, tail=""))
            elif isinstance(piece, Rows):
                yield from (self._with(piece, less) for less in piece.smaller())

    def _with(self, old: Piece, new: Piece) -> "Script":
        return replace(self, pieces=tuple(new if piece is old else piece for piece in self.pieces))

    def _without_entry(self, definition: Definition, place: int) -> "Script":
        column = definition.entries[place][0]

        def less(piece: Piece) -> Piece:
            if piece is definition:
                return definition.without(place)
            if column and isinstance(piece, Rows) and piece.table == definition.table:
                return piece.without(definition, column)
            return piece

        return replace(self, pieces=tuple(map(less, self.pieces)))
