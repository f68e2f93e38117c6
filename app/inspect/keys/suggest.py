"""Suggests primary keys and foreign keys of tables that declare none, from names and values together."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from app.errors import TimeBudgetExhaustedError
from app.inspect.keys.composite_keys import composite_keys
from app.inspect.keys.composite_references import composite_references
from app.inspect.keys.foreign_keys import single_references
from app.inspect.keys.model import DEFAULT_THRESHOLD, ForeignKeySuggestion, KeySuggestions, PrimaryKeySuggestion
from app.inspect.keys.names import TableNames
from app.inspect.keys.primary_keys import referred_to, single_keys
from app.inspect.keys.profiles import TableProfile
from app.tables.table import Table

_CLEAR_KEY = 0.7


def suggest_keys(tables: Iterable[Table], *, empty_is_missing: bool = False) -> KeySuggestions:
    """Candidates for the keys of these tables, whatever they declare; declared keys are not looked at.

    `empty_is_missing` says that an empty text is not a value, as in CSV. Under a deadline the search ends when the time
    is up, and the result says so; `TimeBudgetExhaustedError` never leaves this function.
    """
    profiles = [TableProfile.of(table, empty_is_missing) for table in tables]
    search = _Search(profiles, TableNames(profile.name for profile in profiles))
    try:
        search.run()
    except TimeBudgetExhaustedError:
        return search.result(complete=False)
    return search.result(complete=True)


@dataclass(eq=False)
class _Search:
    """What was found so far; each step builds on the ones before it."""

    tables: list[TableProfile]
    names: TableNames
    keys: dict[str, list[PrimaryKeySuggestion]] = field(default_factory=dict)
    references: list[ForeignKeySuggestion] = field(default_factory=list)

    def run(self) -> None:
        """Single keys, references to them, composite keys for tables without a clear key, references to those."""
        self.keys = single_keys(self.tables, self.names)
        for reference in single_references(self.tables, self.names, self.keys):
            self.references.append(reference)
        self.keys = referred_to(self.keys, self.references)
        referring: dict[str, set[str]] = {table.name: set() for table in self.tables}
        for reference in self.references:
            if reference.score >= DEFAULT_THRESHOLD:
                referring[reference.table].update(reference.columns)
        for table in self.tables:
            if all(key.score < _CLEAR_KEY for key in self.keys[table.name]):
                self.keys[table.name] += composite_keys(table, self.names[table.name], referring[table.name])
        best_keys = KeySuggestions(self._ordered_keys(), ()).best_primary_keys()
        self.references += composite_references(self.tables, best_keys, referring)

    def _ordered_keys(self) -> tuple[PrimaryKeySuggestion, ...]:
        return tuple(sorted((key for keys in self.keys.values() for key in keys), key=lambda key: -key.score))

    def result(self, *, complete: bool) -> KeySuggestions:
        """Everything found, best first."""
        references = tuple(sorted(self.references, key=lambda key: -key.score))
        return KeySuggestions(self._ordered_keys(), references, complete)
