"""What an edge table means: the marks of construction_graph.v1, one class each."""

from dataclasses import dataclass
from typing import TypeAlias

from app.tables.dictionary import IntArray
from app.tables.schema import ForeignKey


@dataclass(frozen=True, slots=True)
class ForeignKeyMark:
    """Each edge runs from a child row to the parent row that it references."""

    foreign_key: ForeignKey


@dataclass(frozen=True, slots=True)
class PathStep:
    """One hop along a declared foreign key: forward from child to parent, or reverse."""

    foreign_key: ForeignKey
    forward: bool

    @property
    def source_table(self) -> str:
        """The table where the hop begins."""
        return self.foreign_key.table if self.forward else self.foreign_key.ref_table

    @property
    def target_table(self) -> str:
        """The table where the hop ends."""
        return self.foreign_key.ref_table if self.forward else self.foreign_key.table

    def to_dict(self) -> dict[str, object]:
        """The document form: the key's fields and `direction`."""
        return {**self.foreign_key.to_dict(), "direction": "forward" if self.forward else "reverse"}


@dataclass(frozen=True, eq=False, slots=True)
class MaterializedPathMark:
    """Each edge is one whole path of 2 or 3 hops, kept with its multiplicity.

    `inner_nodes[i]` holds, for each edge, the row offset in the table where hop i ends (all hops but the last).
    """

    path: tuple[PathStep, ...]
    inner_nodes: tuple[IntArray, ...]


@dataclass(frozen=True, slots=True)
class ExtractedAttributeMark:
    """Each edge runs from a source row to the entity that holds the value of `column`."""

    table: str
    column: str


EdgeMark: TypeAlias = ForeignKeyMark | MaterializedPathMark | ExtractedAttributeMark
