"""What a suggestion says: candidates with a score in [0, 1] and the evidence in words; nothing applies them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class PrimaryKeySuggestion:
    """Columns that may identify the rows of a table."""

    table: str
    columns: tuple[str, ...]
    score: float
    reason: str


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

    def to_dict(self, threshold: float) -> dict[str, object]:
        """What reaches the threshold as JSON; `complete` is false if time ran out before everything was compared."""
        keys = [key for key in self.primary_keys if key.score >= threshold]
        return {
            "complete": self.complete,
            "primary_keys": [_document(key, "score") for key in keys],
            "foreign_keys": [_document(key, "score", "hit_rate") for key in self.likely_foreign_keys(threshold)],
        }


def _document(suggestion: PrimaryKeySuggestion | ForeignKeySuggestion, *shares: str) -> dict[str, object]:
    """A suggestion as JSON, with its shares rounded to what can be told apart."""
    document = asdict(suggestion)
    return document | {name: None if document[name] is None else round(document[name], 6) for name in shares}


def in_words(evidence: Sequence[str]) -> str:
    """A reason from its parts."""
    return ", ".join(part for part in evidence if part)
