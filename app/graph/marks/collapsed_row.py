"""Edges that are source rows."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from app.errors import GraphInvalidError
from app.graph.model.edge_documents import EdgeDocuments, cells_of
from app.graph.model.edge_key import Digests, EdgeKey
from app.graph.model.property_graph import EdgeMark, EdgeTable, JsonTexts, JsonValues, PropertyGraph
from app.graph.model.row_edges import RowEdges
from app.tables.column import Column
from app.tables.dictionary import IntArray
from app.tables.json_cells import json_cells, json_objects, row_objects
from app.tables.schema import ForeignKey


@dataclass(frozen=True, eq=False)
class CollapsedRowMark(RowEdges, EdgeMark):
    """Each edge is a row with all its fields; it joins the two rows that the row references."""

    member: ClassVar[str] = "row_endpoints"

    @property
    def about(self) -> tuple[Hashable, ...]:
        """The table."""
        return ("rows", self.table)

    @property
    def rows(self) -> RowEdges:
        """The source rows that the edges are."""
        return self

    def properties(self) -> dict[str, object]:
        """The table, and the keys that lead to the ends."""
        ends = {"source": self.source_key.to_dict(), "target": self.target_key.to_dict()}
        return {"table": self.table, "row_endpoints": ends}

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """The rows' places in their table."""
        return (self.row_index,)

    @property
    def columns_held(self) -> Mapping[str, Column]:
        """The rows' fields."""
        return self.columns

    def rebuilt(self, arrays: Sequence[IntArray], columns: Mapping[str, Column]) -> "CollapsedRowMark":
        """The same mark on other rows."""
        return replace(self, row_index=arrays[0], columns=columns)

    def order_keys(self, edges: EdgeTable) -> list[IntArray]:
        """The rows' places in their table."""
        del edges
        return [self.row_index]

    def turned(self) -> "CollapsedRowMark":
        """The keys change places."""
        return replace(self, source_key=self.target_key, target_key=self.source_key)

    def identity(self, edges: EdgeTable, graph: PropertyGraph) -> EdgeKey:
        """The row's own."""
        del edges, graph
        return EdgeKey.of(["row", self.table], [], self.row_index)

    def json_fields(self, offsets: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]) -> JsonTexts:
        """The row's fields, and its place in the table."""
        del graph, ids
        names = sorted(self.columns)
        cells = [json_cells(self.columns[name].take(offsets)) for name in names]
        places = list(map(str, self.row_index[offsets].tolist()))
        return {"data": json_objects(names, cells, len(offsets)), "row_index": places}

    def json_values(self, offsets: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]) -> JsonValues:
        """The row's fields, and its place in the table."""
        del graph, ids
        rows = zip(row_objects(self.columns, offsets), self.row_index[offsets].tolist(), strict=True)
        return [{"data": data, "row_index": place} for data, place in rows]

    @classmethod
    def from_document(cls, edges: EdgeDocuments) -> "CollapsedRowMark":
        """The mark of edges that were read; their fields must be those of the table's schema."""
        table, ends = edges.shared["table"], edges.shared["row_endpoints"]
        schemas = {nodes.schema.name: nodes.schema for nodes in edges.nodes.values() if nodes.schema is not None}
        names = schemas[table].column_names
        if any(each["data"].keys() != set(names) for each in edges.each):
            message = f"An edge that is a row of table {table} has other fields than its schema."
            raise GraphInvalidError(message, table=table)
        return cls(
            table,
            ForeignKey.from_dict(ends["source"]),
            ForeignKey.from_dict(ends["target"]),
            edges.integers("row_index"),
            {name: cells_of([each["data"][name] for each in edges.each], name) for name in names},
        )
