"""What a preview cannot show of SQL text: errors that a build would raise, as warnings, those of one kind as one."""

import re
from dataclasses import dataclass

from app.errors import SourceError
from app.inspect.preview.model import PreviewWarning
from app.sources.sql.statements.splitter import Statement

_MOST_KINDS = 50
_WORDS = re.compile(r"[A-Za-z_]{1,40}(?:\s+[A-Za-z_]{1,40})?")


@dataclass(slots=True)
class _Kind:
    """The first error of a kind, and how many there are."""

    error: SourceError
    count: int = 1


class Problems:
    """Collects errors by their code and by the first words of the statements that they are about."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], _Kind] = {}
        self._unnamed = 0
        self.tables: set[object] = set()
        """The names, with their schemas, of tables of which rows are refused."""

    def add(self, statement: Statement, error: SourceError) -> None:
        """Take in what a build would refuse."""
        if statement.has_rows:
            self.tables.add(error.where.get("table"))
        words = _WORDS.match(statement.script.text, statement.start, statement.end)
        key = error.code, " ".join(words[0].upper().split()) if words else "statement"
        if key in self._kinds:
            self._kinds[key].count += 1
        elif len(self._kinds) < _MOST_KINDS:
            self._kinds[key] = _Kind(error)
        else:
            self._unnamed += 1

    def __len__(self) -> int:
        return len(self._kinds)

    def warnings(self) -> list[PreviewWarning]:
        """A warning for each kind, in order of appearance."""
        found = [_warning(words, kind) for (_, words), kind in self._kinds.items()]
        if self._unnamed:
            message = f"{self._unnamed:,} more statements of other kinds are not shown."
            found.append(PreviewWarning("statement_not_shown", message, {"count": self._unnamed}))
        return found


def _warning(words: str, kind: _Kind) -> PreviewWarning:
    places: dict[str, object] = {name: kind.error.where[name] for name in ("file", "line") if name in kind.error.where}
    more = f" {kind.count - 1:,} more {words} statements are not shown either." if kind.count > 1 else ""
    where: dict[str, object] = {"statement": words, "count": kind.count, "reason": kind.error.code, **places}
    return PreviewWarning("statement_not_shown", kind.error.message + more, where)
