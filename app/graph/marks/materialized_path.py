"""Edges that are whole paths along foreign keys."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from app.graph.derivation.paths import PathStep, path_fault, pointers_of
from app.graph.model.edge_documents import EdgeDocuments, text_of
from app.graph.model.edge_key import Digests, EdgeKey
from app.graph.model.identity import hex_ids, node_prefix
from app.graph.model.property_graph import Content, EdgeMark, EdgeTable, JsonTexts, JsonValues, PropertyGraph
from app.graph.model.shared_content import key_content
from app.tables.column import Column
from app.tables.dictionary import IntArray
from app.values import canonical_json


@dataclass(frozen=True, eq=False, slots=True)
class MaterializedPathMark(EdgeMark):
    """Each edge is one whole path of 2 or 3 hops, kept with its multiplicity.

    `inner_nodes[i]` holds, for each edge, the row offset in the table where hop i ends (all hops but the last).
    """

    member: ClassVar[str] = "path"
    merges: ClassVar[bool] = False
    is_shortcut: ClassVar[bool] = True

    path: tuple[PathStep, ...]
    inner_nodes: tuple[IntArray, ...]

    @property
    def about(self) -> tuple[Hashable, ...]:
        """The hops."""
        return ("path", self.path)

    def properties(self) -> dict[str, object]:
        """The hops."""
        return {"path": [step.to_dict() for step in self.path]}

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """The rows between the ends."""
        return self.inner_nodes

    def rebuilt(self, arrays: Sequence[IntArray], columns: Mapping[str, Column]) -> "MaterializedPathMark":
        """The same mark on other paths."""
        del columns
        return replace(self, inner_nodes=tuple(arrays))

    def order_keys(self, edges: EdgeTable) -> list[IntArray]:
        """Stop by stop."""
        return list(self._stops(edges))

    def _stops(self, edges: EdgeTable) -> tuple[IntArray, ...]:
        return (edges.sources, *self.inner_nodes, edges.targets)

    def identity(self, edges: EdgeTable, graph: PropertyGraph) -> EdgeKey:
        """The whole sequence of rows, and the edge type."""
        inner = [graph.rows_of(step.target_table).label for step in self.path[:-1]]
        stops = zip((edges.source_label, *inner, edges.target_label), self._stops(edges), strict=True)
        return EdgeKey.of(["path", edges.type, [step.to_dict() for step in self.path]], list(stops))

    def content(self, edges: EdgeTable, graph: PropertyGraph) -> Content:
        """The foreign keys of the hops."""
        del edges
        return tuple(part for step in self.path for part in key_content(graph, step.foreign_key))

    def errors(self, edges: EdgeTable, graph: PropertyGraph) -> Iterator[str]:
        """Paths that the graph does not have, paths that lack, and paths that stand twice."""
        fault = path_fault(self.path, self._stops(edges), pointers_of(graph))
        if fault:
            yield f"Edge type {edges.type}: {fault}."

    def json_fields(self, offsets: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]) -> JsonTexts:
        """The ids of the rows between the ends."""
        return {"node_ids": [canonical_json(nodes) for nodes in self._inner_ids(offsets, graph, ids)]}

    def json_values(self, offsets: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]) -> JsonValues:
        """The ids of the rows between the ends."""
        return [{"node_ids": nodes} for nodes in self._inner_ids(offsets, graph, ids)]

    def _inner_ids(
        self, offsets: IntArray, graph: PropertyGraph, ids: Mapping[str, Digests]
    ) -> Iterator[tuple[str, ...]]:
        tables = [graph.rows_of(step.target_table) for step in self.path[:-1]]
        inner = [
            hex_ids(node_prefix(nodes), ids[nodes.label][at[offsets]])
            for nodes, at in zip(tables, self.inner_nodes, strict=True)
        ]
        return zip(*inner, strict=True)

    @classmethod
    def from_document(cls, edges: EdgeDocuments) -> "MaterializedPathMark":
        """The mark of edges that were read; their inner nodes must be rows of the tables that the path runs through."""
        path = tuple(map(PathStep.from_dict, edges.shared["path"]))
        inner = [
            edges.nodes_at(list(map(text_of, ids))) for ids in zip(*(e["node_ids"] for e in edges.each), strict=True)
        ]
        held = [edges.nodes[label].schema for label, _ in inner]
        if [schema and schema.name for schema in held] != [step.target_table for step in path[:-1]]:
            raise ValueError("node_ids are not the rows that the path runs through")
        return cls(path, tuple(offsets for _, offsets in inner))
