"""Edges between rows and the parts of a column that holds several categories in one text."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from app.graph.derivation.categories import category_parts
from app.graph.model.edge_documents import EdgeDocuments, text_of
from app.graph.model.edge_key import Digests, EdgeKey
from app.graph.model.node_table import ENTITY_VALUE
from app.graph.model.property_graph import Content, EdgeMark, EdgeTable, JsonTexts, JsonValues, PropertyGraph
from app.graph.model.rows import attribute_ends, resolve_column
from app.graph.model.shared_content import column_content, entity_values
from app.tables.column import Column, int_column
from app.tables.comparison import differing
from app.tables.dictionary import IntArray


@dataclass(frozen=True, eq=False, slots=True)
class UnfoldedCategoryMark(EdgeMark):
    """Each edge joins a source row and one part of its `column`, split at `delimiter`; `positions` count from 0."""

    member: ClassVar[str] = "unfolded_category"
    reaches_entities: ClassVar[bool] = True

    table: str
    column: str
    delimiter: str
    positions: IntArray

    @property
    def about(self) -> tuple[Hashable, ...]:
        """Column and delimiter."""
        return ("category", self.table, self.column, self.delimiter)

    def properties(self) -> dict[str, object]:
        """Column and delimiter."""
        return {"unfolded_category": {"table": self.table, "column": self.column, "delimiter": self.delimiter}}

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """The parts' positions."""
        return (self.positions,)

    @property
    def fields(self) -> Mapping[str, Column]:
        """The parts' positions."""
        return {"position": int_column(self.positions)}

    def rebuilt(self, arrays: Sequence[IntArray], columns: Mapping[str, Column]) -> "UnfoldedCategoryMark":
        """The same mark on other parts."""
        del columns
        return replace(self, positions=arrays[0])

    def order_keys(self, edges: EdgeTable) -> list[IntArray]:
        """Row by row, the parts in order."""
        return [edges.sources, self.positions, edges.targets]

    def identity(self, edges: EdgeTable, graph: PropertyGraph) -> EdgeKey:
        """The row's and the position's, and the type of the entities."""
        row, (label, _) = attribute_ends(graph, edges)
        entity = graph.node_tables[label].identity_type
        return EdgeKey.of(["category", self.table, self.column, self.delimiter, entity], [row], self.positions)

    def content(self, edges: EdgeTable, graph: PropertyGraph) -> Content:
        """The column, and the entities."""
        entities = (entity_values(graph, edges.source_label), entity_values(graph, edges.target_label))
        return (*entities, *column_content(graph, self.table, self.column))

    def errors(self, edges: EdgeTable, graph: PropertyGraph) -> Iterator[str]:
        """Parts that the column does not have, at rows of other tables, or at entities of other values."""
        (label, nodes), (entity_label, entities) = attribute_ends(graph, edges)
        rows = graph.rows_of(self.table)
        if label != rows.label:
            yield f"Edge type {edges.type}: it ends at nodes of type {label}, not at rows of {self.table}."
            return
        expected = category_parts(resolve_column(graph, self.table, self.column), self.delimiter)
        width = 1 + max(_greatest(expected.positions), _greatest(self.positions))
        known, wanted = expected.rows * width + expected.positions, rows.rows[nodes] * width + self.positions
        at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
        found = known[at] == wanted if len(known) else np.zeros(len(wanted), np.bool_)
        values = graph.node_tables[entity_label].columns[ENTITY_VALUE].take(entities)
        wrong = ~found
        wrong[found] = differing(expected.texts.take(at[found]), values.take(np.flatnonzero(found)))
        if wrong.any():
            where = int(rows.rows[nodes[np.argmax(wrong)]]) + 1
            what = f"a category of row {where} of {self.table} is not a part of its {self.column}"
            yield f"Edge type {edges.type}: {what}."

    def json_fields(self, offsets: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]) -> JsonTexts:
        """The part's position."""
        del graph, ids
        return {"position": list(map(str, self.positions[offsets].tolist()))}

    def json_values(self, offsets: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]) -> JsonValues:
        """The part's position."""
        del graph, ids
        return [{"position": position} for position in self.positions[offsets].tolist()]

    @classmethod
    def from_document(cls, edges: EdgeDocuments) -> "UnfoldedCategoryMark":
        """The mark of edges that were read."""
        category = edges.shared["unfolded_category"]
        table, column, delimiter = (text_of(category[name]) for name in ("table", "column", "delimiter"))
        return cls(table, column, delimiter, edges.integers("position"))


def _greatest(positions: IntArray) -> int:
    return int(positions.max()) if len(positions) else 0
