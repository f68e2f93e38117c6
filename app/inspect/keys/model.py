"""What a suggestion says: candidates with a score in [0, 1] and the evidence in words; nothing applies them."""

from collections.abc import Sequence
from dataclasses import dataclass

DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class PrimaryKeySuggestion:
    """Columns that may identify the rows of a table."""

    table: str
    columns: tuple[str, ...]
    score: float
    reason: str

    def to_dict(self) -> dict[str, object]:
        """The suggestion as JSON."""
        return {
            "table": self.table,
            "columns": list(self.columns),
            "score": round(self.score, 3),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class ForeignKeySuggestion:
    """Columns that may refer to another table.

    `hit_rate` is the share of rows with a complete key that find a row there; None if no row has one.
    """

    table: str
    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]
    score: float
    hit_rate: float | None
    reason: str

    def to_dict(self) -> dict[str, object]:
        """The suggestion as JSON."""
        return {
            "table": self.table,
            "columns": list(self.columns),
            "ref_table": self.ref_table,
            "ref_columns": list(self.ref_columns),
            "score": round(self.score, 3),
            "hit_rate": None if self.hit_rate is None else round(self.hit_rate, 6),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class KeySuggestions:
    """All candidates, best first; a table may have several for its primary key, a column one reference at most."""

    primary_keys: tuple[PrimaryKeySuggestion, ...]
    foreign_keys: tuple[ForeignKeySuggestion, ...]
    complete: bool = True

    def best_primary_keys(self, threshold: float = DEFAULT_THRESHOLD) -> dict[str, PrimaryKeySuggestion]:
        """The best candidate of each table that reaches the threshold."""
        best: dict[str, PrimaryKeySuggestion] = {}
        for key in self.primary_keys:
            if key.score >= threshold:
                best.setdefault(key.table, key)
        return best

    def likely_foreign_keys(self, threshold: float = DEFAULT_THRESHOLD) -> list[ForeignKeySuggestion]:
        """The references that reach the threshold, best first."""
        return [key for key in self.foreign_keys if key.score >= threshold]

    def above(self, threshold: float) -> "KeySuggestions":
        """Only what reaches the threshold."""
        return KeySuggestions(
            tuple(key for key in self.primary_keys if key.score >= threshold),
            tuple(self.likely_foreign_keys(threshold)),
            self.complete,
        )

    def to_dict(self) -> dict[str, object]:
        """The suggestions as JSON; `complete` is false if time ran out before everything was compared."""
        return {
            "complete": self.complete,
            "primary_keys": [key.to_dict() for key in self.primary_keys],
            "foreign_keys": [key.to_dict() for key in self.foreign_keys],
        }


def in_words(evidence: Sequence[str]) -> str:
    """A reason from its parts."""
    return ", ".join(part for part in evidence if part)
