"""Node tables: all nodes of one type, in columns."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from app.tables.column import Column
from app.tables.dictionary import BoolArray, IntArray
from app.tables.schema import TableSchema
from app.values import canonical_sha256

ENTITY_VALUE = "value"
"""The one field of an attribute entity."""


@dataclass(frozen=True, eq=False)
class NodeTable:
    """All nodes of one type.

    `schema` is set if the nodes are source rows: node i is then row `row_index[i]` of that table (int64, ascending;
    None: row i, since all rows are nodes), its columns are the row's fields. `absent` is True where a row's field is
    not on its node but elsewhere, shape (nodes,); a field that no node has is not a column. `identity_key` is a
    proposed key. Entity tables have no schema and one column, `value`; `identity` is the type that their identities
    are made of, if they were renamed.
    """

    label: str
    count: int
    columns: Mapping[str, Column]
    schema: TableSchema | None = None
    row_index: IntArray | None = None
    absent: Mapping[str, BoolArray] = field(default_factory=dict)
    identity_key: tuple[str, ...] = ()
    identity: str | None = None

    @property
    def is_rows(self) -> bool:
        """Whether the nodes are source rows."""
        return self.schema is not None

    @property
    def rows(self) -> IntArray:
        """The row of each node."""
        return np.arange(self.count) if self.row_index is None else self.row_index

    @property
    def identity_type(self) -> str:
        """The type that an entity's identity is made of."""
        return self.identity or self.label

    @property
    def nbytes(self) -> int:
        """Bytes held by the columns."""
        held = sum(column.nbytes for column in self.columns.values())
        held += sum(mask.nbytes for mask in self.absent.values())
        return held + (0 if self.row_index is None else self.row_index.nbytes)

    def take(self, nodes: IntArray) -> "NodeTable":
        """These nodes alone (offsets, ascending); fields that none of them has are dropped."""
        absent = {name: mask[nodes] for name, mask in self.absent.items()}
        gone = {name for name, mask in absent.items() if mask.all()}
        columns = {name: column.take(nodes) for name, column in self.columns.items() if name not in gone}
        partly = {name: mask for name, mask in absent.items() if mask.any() and name not in gone}
        rows = self.rows[nodes] if self.is_rows else None
        return replace(self, count=len(nodes), columns=columns, absent=partly, row_index=rows)

    def without_field(self, name: str, nodes: BoolArray) -> "NodeTable":
        """The same nodes, except that those of the mask `nodes` no longer hold a field."""
        column = self.columns[name]
        gone = nodes | self.absent.get(name, False)
        others = {other: held for other, held in self.columns.items() if other != name}
        absent = {other: mask for other, mask in self.absent.items() if other != name}
        if gone.all():
            return replace(self, columns=others, absent=absent)
        return replace(self, columns={**self.columns, name: column.cleared(gone)}, absent={**absent, name: gone})

    @cached_property
    def digest(self) -> str:
        """SHA-256 of label, schema and content; without nodes there are no fields, whichever columns are kept."""
        columns = {name: column.digest() for name, column in self.columns.items()} if self.count else {}
        absent = {name: np.flatnonzero(mask).tolist() for name, mask in self.absent.items() if mask.any()}
        rows = array_digest(self.rows) if self.is_rows else ""
        names = [self.label, self.identity_type, list(self.identity_key), repr(self.schema)]
        return canonical_sha256([names, self.count, columns, absent, rows])


def array_digest(array: IntArray) -> str:
    """SHA-256 of the integers of an array."""
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
