"""What one query may use."""

from dataclasses import dataclass, field

from app.budget import RowLimit


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Most intermediate rows and most seconds of one query; the defaults are those of the bounded profile."""

    rows: RowLimit = field(default_factory=lambda: RowLimit(200_000))
    seconds: float = 10.0
