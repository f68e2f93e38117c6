"""Names of tables with their schema or database."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.values import fold_identifier


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name with its schema or database; "" stands for the one in force by default."""

    schema: str
    name: str

    @property
    def key(self) -> tuple[str, str]:
        """What equal names have in common, by ASCII case."""
        return fold_identifier(self.schema), fold_identifier(self.name)

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


def word_set(words: str) -> frozenset[str]:
    """Words of a text as a set."""
    return frozenset(words.split())


def phrases(text: str) -> tuple[str, ...]:
    """Runs of words between commas, in order."""
    return tuple(" ".join(part.split()) for part in text.split(","))


def final_names(names: Sequence[TableName]) -> list[str]:
    """What tables are called in a source: the bare name if no other schema has the same one, else with its schema.

    >>> final_names([TableName("public", "a"), TableName("s", "A"), TableName("s", "b")])
    ['public.a', 's.A', 'b']
    """
    counts = Counter(name.key[1] for name in names)
    return [name.name if counts[name.key[1]] == 1 else name.label for name in names]
