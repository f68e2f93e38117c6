"""What a dump holds besides tables and rows: left out, counted, and named, a line for each kind."""

from collections.abc import Mapping

from app.sources.sql.lexing.names import phrases

MOST_NAMES = 1_000
"""Names in one line; whoever shows it to people cuts it shorter."""

_PLURALS = {
    "policy": "policies",
    "ALTER TABLE of something else": "ALTER TABLE of other things",
    "definition of a table that exists": "definitions of tables that exist",
    "comment on something else": "comments on other things",
    "index": "indexes",
    "DROP TABLE": "DROP TABLE",
}
_VERBS = frozenset(
    phrases(
        """
        alter, analyze, begin, change, check, cluster, commit, drop, end, flush, grant, import foreign schema, lo_close,
        lo_open, lo_unlink, lock, lowrite, notify, optimize, reassign, refresh, reindex, release, reset, revoke,
        savepoint, security label, set, set_config, setval, start transaction, unlock, use, vacuum
        """
    )
)


class SkippedStatements:
    """Counts what is left out by its subject, and keeps the names of those that have one."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}
        self._counts: dict[str, int] = {}

    def add(self, subject: str, name: str = "") -> None:
        """Count one statement."""
        self._counts[subject] = self._counts.get(subject, 0) + 1
        names = self._names.setdefault(subject, {})
        if name:
            names[name.replace("`", "").replace('"', "")] = None

    @property
    def counts(self) -> Mapping[str, int]:
        """How many statements were left out, by their subject."""
        return self._counts

    def notes(self) -> tuple[str, ...]:
        """One line for each subject with names, and one for all statements without."""
        named = [self._line(subject) for subject in self._counts if self._names[subject]]
        unnamed = [_counted(count, subject) for subject, count in self._counts.items() if not self._names[subject]]
        return (*named, *([f"Skipped statements of the dump: {', '.join(unnamed)}."] if unnamed else []))

    def _line(self, subject: str) -> str:
        names = list(self._names[subject])
        more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
        return f"Skipped {_counted(self._counts[subject], subject)}: {', '.join(names[:MOST_NAMES])}{more}."


def _counted(count: int, subject: str) -> str:
    if subject in _VERBS:
        return f"{count} {subject.upper()}"
    return f"{count} {subject if count == 1 else _PLURALS.get(subject, subject + 's')}"
