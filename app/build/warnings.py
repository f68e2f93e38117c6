"""All warnings of a build: those of reading the source, and the references that point nowhere."""

from collections.abc import Iterable
from typing import Any

from app.graph.g0 import DanglingReferences, References
from app.sources.relational_source import RelationalSource, SourceWarning, WarningCode


def all_warnings(source: RelationalSource, references: References) -> tuple[SourceWarning, ...]:
    """The source's own warnings, then one group for each foreign key with dangling rows."""
    return (*source.warnings, *map(_dangling_warning, references.dangling()))


def _dangling_warning(dangling: DanglingReferences) -> SourceWarning:
    key, count = dangling.foreign_key, len(dangling)
    rows = "1 row references" if count == 1 else f"{count:,} rows reference"
    return SourceWarning(
        WarningCode.DANGLING_REFERENCE,
        f"{key.label}: {rows} a row that does not exist; they are kept without an edge.",
        {"table": key.table, "columns": list(key.columns), "ref_table": key.ref_table},
        dangling.rows,
    )


def warning_count(warnings: Iterable[SourceWarning]) -> int:
    """Warnings counted one a row and foreign key."""
    return sum(warning.count for warning in warnings)


def warnings_document(warnings: Iterable[SourceWarning]) -> list[dict[str, Any]]:
    """The warnings as the report holds them."""
    return [warning.to_dict() for warning in warnings]
