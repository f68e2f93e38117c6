"""G0, the first graph: every source row a node, every matching foreign key an edge."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.budget import check_deadline
from app.errors import ForeignKeyTargetNotUniqueError
from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.names import foreign_key_type, next_free
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.tables.dictionary import IntArray
from app.tables.matching import DANGLING, match_rows, reference_column
from app.tables.schema import ForeignKey, RelationalSchema, TableSchema
from app.tables.table import Table


@dataclass(frozen=True, eq=False, slots=True)
class DanglingReferences:
    """Rows whose complete foreign key finds no parent; `rows` are their offsets in the child table."""

    foreign_key: ForeignKey
    rows: IntArray

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False, slots=True)
class References:
    """Where every foreign key of a source points: `pointers[key][child row]` as in `tables.matching`."""

    pointers: Mapping[ForeignKey, IntArray]

    def dangling(self) -> tuple[DanglingReferences, ...]:
        """The references that point nowhere, by foreign key, only if there are any."""
        found = (DanglingReferences(key, np.flatnonzero(at == DANGLING)) for key, at in self.pointers.items())
        return tuple(references for references in found if len(references))


def match_references(schema: RelationalSchema, tables: Mapping[str, Table]) -> References:
    """Match every declared foreign key; `ForeignKeyTargetNotUniqueError` if two parent rows have one key."""
    pointers: dict[ForeignKey, IntArray] = {}
    for key in schema.foreign_keys:
        check_deadline()
        pointers[key] = _matched(key, tables)
    return References(pointers)


def _matched(key: ForeignKey, tables: Mapping[str, Table]) -> IntArray:
    child, parent = tables[key.table], tables[key.ref_table]
    own = [child.schema.column(name) for name in key.columns]
    pairs = list(zip(own, key.ref_columns, strict=True))
    match = match_rows(
        [reference_column(child.columns[column.name], column) for column in own],
        [reference_column(parent.columns[name], column) for column, name in pairs],
        [parent.schema.column(name) for name in key.ref_columns],
    )
    if match.duplicate_parents is not None:
        raise _not_unique(key, parent, match.duplicate_parents)
    return match.pointers


def _not_unique(key: ForeignKey, parent: Table, rows: tuple[int, int]) -> ForeignKeyTargetNotUniqueError:
    value = [parent.columns[name].cell(rows[0]) for name in key.ref_columns]
    shown = ", ".join(repr(part)[:80] for part in value)
    return ForeignKeyTargetNotUniqueError(
        f"Foreign key {key.label}: rows {rows[0] + 1} and {rows[1] + 1} of {key.ref_table} share the key ({shown}).",
        hint="A reference must lead to one row: remove the duplicate, or reference a unique key.",
        table=key.ref_table,
        column=", ".join(key.ref_columns),
        row=rows[1] + 1,
    )


def build_initial_graph(schema: RelationalSchema, tables: Mapping[str, Table], references: References) -> PropertyGraph:
    """G0 of a source; columns are shared with the source, not copied."""
    nodes = {
        table.schema.name: NodeTable(table.schema.name, table.row_count, table.columns, table.schema)
        for table in (tables[schema_table.name] for schema_table in schema)
    }
    edges = tuple(
        _foreign_key_edges(key, name, references.pointers[key])
        for table in schema
        for key, name in foreign_key_types(table).items()
    )
    return PropertyGraph(nodes, edges)


def foreign_key_types(table: TableSchema) -> dict[ForeignKey, str]:
    """The edge type of each of a table's foreign keys: by its columns, numbered if one target has it twice."""
    taken: dict[str, set[str]] = {}
    types: dict[ForeignKey, str] = {}
    for key in table.foreign_keys:
        names = taken.setdefault(key.ref_table, set())
        types[key] = next_free(foreign_key_type(key), names)
        names.add(types[key])
    return types


def _foreign_key_edges(key: ForeignKey, name: str, pointers: IntArray) -> EdgeTable:
    sources = np.flatnonzero(pointers >= 0)
    return EdgeTable(name, key.table, key.ref_table, sources, pointers[sources], ForeignKeyMark(key))
