"""Identities, and what those of edges are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from app.tables.dictionary import IntArray
from app.values import canonical_json

Digests: TypeAlias = npt.NDArray[np.uint8]
"""Identities of nodes or edges without their prefix, shape (count, 20)."""


@dataclass(frozen=True, eq=False, slots=True)
class EdgeKey:
    """What the identities of an edge table are made of: two edges have one identity if all of it is the same.

    `head` begins the JSON key of every edge. `nodes` complete it, each by its type and the offset for each edge, and
    `number` comes last: a foreign-key edge is its child row's; a row that is an edge is its own; a path is its whole
    node sequence; an attribute is its row's, a category its row's and position's; a column join is its two rows'.
    """

    head: str
    nodes: tuple[tuple[str, IntArray], ...]
    number: IntArray | None = None

    @property
    def columns(self) -> tuple[IntArray, ...]:
        """The integers that tell the edges of one head and the same node types apart, each of shape (edges,)."""
        offsets = tuple(offsets for _, offsets in self.nodes)
        return offsets if self.number is None else (*offsets, self.number)

    @classmethod
    def of(
        cls, parts: Sequence[object], nodes: Sequence[tuple[str, IntArray]], number: IntArray | None = None
    ) -> "EdgeKey":
        """The key whose JSON array begins with `parts`."""
        return cls(canonical_json(parts)[:-1], tuple(nodes), number)
